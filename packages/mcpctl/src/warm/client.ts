import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
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
  const asked = { ...surroundings, argv };
  const answer = await ask(path, asked);
  if (answer !== 'nobody') return answer === 'given';
  return (await start(program, path)) && (await ask(path, asked)) === 'given';
}

/** So many of them at the same time: whose environment differs from call to call must not start one each. */
const maxKeepers = 4;

/** Whether one more may be started; what those that were killed have left is removed. */
async function hasRoom(folder: string): Promise<boolean> {
  let alive = 0;
  for (const name of readdirSync(folder)) {
    const socket = join(folder, name);
    if (await isHeard(socket)) alive += 1;
    else rmSync(socket, { force: true });
  }
  return alive < maxKeepers;
}

function isHeard(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Starts such a process, which outlives this one; whether it can be asked. */
async function start(program: string, path: string): Promise<boolean> {
  if (!(await hasRoom(dirname(path)))) return false;
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [...process.execArgv, program, '__warm', path], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // It says a word when it listens, and ends when it cannot, or when another does.
  const isThere = await new Promise<boolean>((resolve) => {
    child.stdout.once('data', () => resolve(true));
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(true));
  });
  child.stdout.destroy();
  child.unref();
  return isThere;
}

/** Has a call answered: prints what is said, and ends as it says. `refused`: it has to be made here; `nobody`: none listens. */
function ask(path: string, asked: Asked): Promise<'given' | 'refused' | 'nobody'> {
  return new Promise((resolve) => {
    let text = '';
    let hasBegun = false;
    const socket = connect(path);
    const hear = (said: Said): void => {
      if ('begun' in said) hasBegun = true;
      else if ('stdout' in said) process.stdout.write(said.stdout);
      else if ('stderr' in said) process.stderr.write(said.stderr);
      else {
        if ('exit' in said) process.exitCode = said.exit;
        socket.off('close', lose).destroy();
        resolve('exit' in said ? 'given' : 'refused');
      }
    };
    const lose = (): void => {
      // It ended as it was asked: nothing was done.
      if (!hasBegun) return resolve('refused');
      process.stderr.write(lostText);
      process.exitCode = lostCode;
      resolve('given');
    };
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) hear(JSON.parse(line) as Said);
    });
    socket.once('connect', () => socket.once('close', lose));
    socket.on('error', () => resolve('nobody'));
    // It leaves as soon as somebody takes it.
    socket.write(`${JSON.stringify(asked)}\n`);
  });
}

/** It ended in the middle of a call, which may have been made. */
const lostText =
  'mcpctl: the process that keeps servers open has ended\nIt may have been done all the same: look before you try again.\n';
/** As for any answer that is lost; the table of exit codes is not loaded for it. */
const lostCode = 4;
