import { readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';
import { idleMsOf, socketFor, surroundingsOf, type Surroundings } from './place.ts';

/** What a process that answers calls is asked. */
export interface Asked extends Surroundings {
  readonly argv: readonly string[];
}

/** What it says, one line of JSON each: that it begins, output as it comes, at last the exit code; or that it cannot answer this. */
export type Said =
  | { readonly begun: true }
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly exit: number }
  | { readonly declined: true };

/** Options of calls that are for a person at a terminal, or that a program elsewhere cannot do. */
const cold = /^(?:--no-warm|--trace|--log-level(?:=.*)?|--help|-h|-|--|--args(?:-json)?=-)$/;

/**
 * Has a call answered by the process that keeps servers open, which is started if there is none; whether it was. On a terminal
 * servers may ask their user something, and what is typed after -- is most likely being worked on: these are not for it.
 */
export async function answerWarm(argv: readonly string[], program: string): Promise<boolean> {
  if (argv[0] !== 'call' || argv.some((word) => cold.test(word))) return false;
  if (isatty(1) || isatty(2) || idleMsOf(process.env) === 0) return false;
  const surroundings = surroundingsOf(program);
  const path = socketFor(surroundings);
  if (path === undefined) return false;
  const socket = (await dial(path)) ?? (await startThenDial(program, path));
  return socket !== undefined && relay(socket, { ...surroundings, argv });
}

function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

/** So many of them at the same time: whose environment differs from call to call must not start one each. */
const maxKeepers = 4;

/** Whether one more may be started; what those that were killed have left is removed. */
async function hasRoom(folder: string): Promise<boolean> {
  let alive = 0;
  for (const name of readdirSync(folder)) {
    const socket = await dial(join(folder, name));
    if (socket === undefined) rmSync(join(folder, name), { force: true });
    else alive += 1;
    socket?.destroy();
  }
  return alive < maxKeepers;
}

/** Starts such a process, which outlives this one. */
async function startThenDial(program: string, path: string): Promise<Socket | undefined> {
  if (!(await hasRoom(dirname(path)))) return undefined;
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [...process.execArgv, program, '__warm', path], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // It says a word when it listens, and ends when it cannot, or when another does.
  await new Promise<void>((resolve) => {
    child.stdout.once('data', () => resolve());
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  child.stdout.destroy();
  child.unref();
  return dial(path);
}

/** Prints what is said, and ends as it says; false when the call has to be made here. */
function relay(socket: Socket, asked: Asked): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    let hasBegun = false;
    const hear = (said: Said): void => {
      if ('begun' in said) hasBegun = true;
      else if ('stdout' in said) process.stdout.write(said.stdout);
      else if ('stderr' in said) process.stderr.write(said.stderr);
      else {
        if ('exit' in said) process.exitCode = said.exit;
        socket.off('close', lose).destroy();
        resolve('exit' in said);
      }
    };
    const lose = (): void => {
      // It ended as it was asked: nothing was done.
      if (!hasBegun) return resolve(false);
      process.stderr.write(lostText);
      process.exitCode = lostCode;
      resolve(true);
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) hear(JSON.parse(line) as Said);
    });
    socket.on('error', () => {});
    socket.once('close', lose);
    socket.write(`${JSON.stringify(asked)}\n`);
  });
}

/** It ended in the middle of a call, which may have been made. */
const lostText =
  'mcpctl: the process that keeps servers open has ended\nIt may have been done all the same: look before you try again.\n';
/** As for any answer that is lost; the table of exit codes is not loaded for it. */
const lostCode = 4;
