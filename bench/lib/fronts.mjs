// What stands before a server and has HTTP in front, as a process of its own: started, put under load, ended with its family.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSlice } from './http-workload.mjs';
import { familyOf } from './proc.mjs';
import { ask, startCommand, startLoad, stop } from './processes.mjs';

const startMs = 30_000;

/** A port that nobody has. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** Tries again until it succeeds: a bridge listens before it can serve, or long after it was started. */
async function patiently(work) {
  const end = Date.now() + startMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(100);
    }
  }
}

/** Ends a process, and what it has started and left behind. */
export async function stopFamily(child) {
  const family = familyOf(child.pid);
  await stop(child);
  for (const pid of family) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }
}

/** Waits until processes that were needed for the start only have ended: a slice counts those that are there when it begins. */
async function untilSteady(child) {
  let before = '';
  for (let tries = 0; tries < 20; tries++) {
    const now = familyOf(child.pid).join(' ');
    if (now === before) return;
    before = now;
    await sleep(500);
  }
}

/** HTTP in front of a stdio server; all connections are of one session. */
export async function openHttpFront(front, { era, server, connections }) {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-bench-'));
  const args = front.http(server, port, front.program, folder);
  const child = startCommand(args, front.env?.(folder));
  child.stdout.resume();
  child.stderr.resume();
  const load = startLoad();
  const close = async () => {
    await stop(load);
    await stopFamily(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { tool } = front;
    const url = `http://127.0.0.1:${port}/mcp`;
    await patiently(async () => {
      await ask(load, 'open', { url, era, tool, connections, oneSession: true });
      await ask(load, 'probe', { what: 'call' });
    });
    await untilSteady(child);
  } catch (error) {
    await close();
    throw error;
  }
  const slice = (level, seconds) =>
    runSlice(load, familyOf(child.pid), { what: 'call', connections: level, seconds });
  return { slice, close };
}
