import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CocosError } from '#cocos/document';
import { codeOf } from './durable.ts';

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, so that a later process of the same number is not taken for it. */
  readonly began: string;
}

/** The right to write; give it back. */
export type Lock = AsyncDisposable;

const released = 'released';

/** A ticket without content is being written, or its writer died in between. */
const writingMs = 2000;
/** Nobody writes for so long; of another machine nothing else can be known. */
const foreignMs = 60_000;

/**
 * Waits for the right to write. Tickets are files with rising numbers: whoever makes the highest holds the lock, and making
 * a file succeeds for one only. The ticket of a process that died is passed by the next.
 */
export async function acquireLock(folder: string, waitMs: number): Promise<Lock> {
  await mkdir(folder, { recursive: true });
  const until = performance.now() + waitMs;
  for (;;) {
    const attempt = await tryTicket(folder);
    if (typeof attempt === 'string') return giveBack(attempt);
    if (performance.now() >= until) throw busy(attempt);
    await sleep(5 + Math.random() * 20);
  }
}

function busy(holder: Holder | undefined): CocosError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new CocosError('E_UNAVAILABLE', `${who} is writing to the project`, {
    suggestion: 'Try again in a moment.',
    details: { ...holder },
  });
}

/** The path of the own ticket, or who holds the lock. */
async function tryTicket(folder: string): Promise<string | Holder | undefined> {
  const top = Math.max(0, ...(await tickets(folder)));
  if (top > 0) {
    const holder = await holderOf(ticketFile(folder, top));
    if (holder !== released) return holder;
  }
  const own = ticketFile(folder, top + 1);
  if (!(await makeTicket(own))) return undefined;
  const all = await tickets(folder);
  if (Math.max(...all) > top + 1) {
    // This number was used and cleared away while we looked.
    await rm(own, { force: true });
    return undefined;
  }
  const passed = all.filter((number) => number <= top);
  await Promise.all(passed.map((number) => rm(ticketFile(folder, number), { force: true })));
  return own;
}

async function makeTicket(file: string): Promise<boolean> {
  const holder: Holder = { pid: process.pid, host: hostname(), began: beginOf(process.pid) };
  try {
    await writeFile(file, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The ticket stays as the highest number, so that numbers only rise. */
function giveBack(file: string): Lock {
  return {
    [Symbol.asyncDispose]: async () => {
      try {
        const handle = await open(file, 'r+');
        try {
          await handle.truncate(0);
          await handle.write(released, 0);
        } finally {
          await handle.close();
        }
      } catch (error) {
        // Somebody took us for dead.
        if (codeOf(error) !== 'ENOENT') throw error;
      }
    },
  };
}

async function holderOf(file: string): Promise<Holder | undefined | typeof released> {
  let content: string;
  let ageMs: number;
  try {
    content = await readFile(file, 'utf8');
    ageMs = Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (content === released) return released;
  const holder = parseHolder(content);
  if (holder === undefined) return ageMs > writingMs ? released : undefined;
  if (holder.host !== hostname()) return ageMs > foreignMs ? released : holder;
  return isAlive(holder.pid) && beginOf(holder.pid) === holder.began ? holder : released;
}

function parseHolder(content: string): Holder | undefined {
  try {
    const value = JSON.parse(content) as Partial<Holder>;
    const { pid, host, began } = value;
    const isWhole =
      typeof pid === 'number' && typeof host === 'string' && typeof began === 'string';
    return isWhole ? { pid, host, began } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Where the system says when a process began; empty elsewhere. */
function beginOf(pid: number): string {
  if (process.platform !== 'linux') return '';
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return fields?.[19] ?? '';
  } catch {
    return '';
  }
}

const ticketFile = (folder: string, number: number) => path.join(folder, `ticket-${number}`);

async function tickets(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => {
    const number = /^ticket-(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}
