import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { keepManagers } from '../open.ts';
import { setStreams, type Streams } from '../output.ts';
import { run } from '../run.ts';
import type { Asked, Said } from './client.ts';
import { keptManagers } from './kept-managers.ts';
import { idleMsOf, surroundingsOf } from './place.ts';

/** More than a command line can have. */
const maxAsked = 4 * 1024 * 1024;

/** Answers calls at a socket of this user, with servers that stay open, until nobody has called for a while. */
export async function keepWarm(path: string): Promise<void> {
  const own = JSON.stringify(surroundingsOf(mainFile()));
  const idleMs = idleMsOf(process.env);
  const managers = keptManagers();
  const output = new AsyncLocalStorage<Streams>();
  setStreams(() => output.getStore());
  keepManagers(managers.use);
  let underWay = 0;
  let hasEnded = false;
  const end = (): void => {
    // First, so that nobody comes any more.
    fs.rmSync(path, { force: true });
    hasEnded = true;
    void managers.close().finally(() => process.exit());
  };
  let idle = setTimeout(end, idleMs);
  const server = createServer((socket) => {
    if (hasEnded) return void socket.destroy();
    underWay += 1;
    clearTimeout(idle);
    socket.on('error', () => {});
    socket.once('close', () => {
      underWay -= 1;
      // Nobody will ask a program that has been replaced.
      if (underWay === 0) idle = setTimeout(end, isCurrent(own) ? idleMs : 0);
    });
    void serve(socket, own, output);
  });
  if (!(await listen(server, path))) return;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, end);
  process.stdout.on('error', () => {});
  process.stdout.write('ready\n');
}

function isCurrent(own: string): boolean {
  try {
    return JSON.stringify(surroundingsOf(mainFile())) === own;
  } catch {
    return false;
  }
}

/** The file that was started, as those who ask name it. */
function mainFile(): string {
  return process.argv[1] ?? '';
}

/** Listens, unless another process does; what one that was killed has left is taken over. */
async function listen(server: Server, path: string): Promise<boolean> {
  const attempt = (): Promise<boolean> =>
    new Promise((resolve) => {
      server.once('error', () => resolve(false));
      const mask = process.umask(0o177);
      server.listen(path, () => resolve(true));
      process.umask(mask);
    });
  if (await attempt()) return true;
  const { connect } = await import('node:net');
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (isAlive) return false;
  fs.rmSync(path, { force: true });
  return attempt();
}

/** Makes one call, as if it had been made in a process of its own. */
async function serve(
  socket: Socket,
  own: string,
  output: AsyncLocalStorage<Streams>,
): Promise<void> {
  const say = (said: Said): void => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(said)}\n`);
  };
  const asked = await readAsked(socket);
  if (asked === undefined) return void socket.destroy();
  const { argv, ...surroundings } = asked;
  if (JSON.stringify(surroundings) !== own) return say({ declined: true });
  const stop = new AbortController();
  socket.once('close', () => stop.abort('the caller has gone'));
  const streams: Streams = {
    stdout: { write: (stdout) => say({ stdout }) },
    stderr: { write: (stderr) => say({ stderr }) },
  };
  say({ begun: true });
  say({ exit: await output.run(streams, () => run(argv, stop.signal)) });
}

function readAsked(socket: Socket): Promise<Asked | undefined> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)) as Asked);
      else if (text.length > maxAsked) resolve(undefined);
    });
    socket.once('close', () => resolve(undefined));
  });
}
