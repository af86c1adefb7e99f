import type { Dirent } from 'node:fs';
import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownProcess, parseProcess, processState, type ProcessIdentity } from 'mcp-kit/internal';
import { CocosError } from '#cocos/document';
import { codeOf } from './durable.ts';
import { setAside } from './own-folder.ts';

/** The right to write; give it back. */
export interface Lock extends AsyncDisposable {
  /** Fails where somebody took us for dead, and may be writing. */
  assertHeld(): Promise<void>;
}

const released = 'released';

/** A ticket without content is being written, or its writer died in between. */
const writingMs = 2000;
/** How often a holder shows that it is alive, to those who cannot see its process. */
const beatMs = 1000;
/** For how long such a holder must have shown nothing, while somebody watched, to be taken for dead. */
const silentMs = 6000;
/** The same where nobody watched. */
const foreignMs = 60_000;
/** Larger than a ticket can be. */
const maxBytes = 4096;
/** No project is written so often; tickets from here on are somebody's joke, and numbers begin anew. */
const wrapAt = 900_000_000;

/** What is known of the ticket with the highest number. */
interface Top {
  readonly file: string;
  readonly number: number;
}

/** Who holds the lock, and what shows that it is alive. */
interface Held {
  readonly holder: ProcessIdentity | undefined;
  /** Another one whenever the holder has given a sign; undefined where its process can be seen, or is being made. */
  readonly sign: string | undefined;
}

/**
 * Waits for the right to write, in a folder that is there. Tickets are files with rising numbers: whoever makes the highest holds
 * the lock, and making a file succeeds for one only. The ticket of a process that died is passed by the next.
 */
export async function acquireLock(folder: string, waitMs: number): Promise<Lock> {
  const until = performance.now() + waitMs;
  let watched: { readonly sign: string; readonly sinceMs: number } | undefined;
  for (;;) {
    const nowMs = performance.now();
    const isSilent = watched !== undefined && nowMs - watched.sinceMs > silentMs;
    const attempt = await tryTicket(folder, isSilent ? watched?.sign : undefined);
    if ('number' in attempt) return lockOf(folder, attempt);
    const { sign } = attempt;
    if (sign === undefined) watched = undefined;
    else if (watched?.sign !== sign) watched = { sign, sinceMs: nowMs };
    if (performance.now() >= until) throw busy(attempt.holder);
    await sleep(5 + Math.random() * 20);
  }
}

function busy(holder: ProcessIdentity | undefined): CocosError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new CocosError('E_UNAVAILABLE', `${who} is writing to the project`, {
    suggestion: 'Try again in a moment.',
    details: holder && { pid: holder.pid, host: holder.host },
  });
}

/** The own ticket, or who holds the lock; `silent` is the sign of one that is dead. */
async function tryTicket(folder: string, silent: string | undefined): Promise<Top | Held> {
  const nobody: Held = { holder: undefined, sign: undefined };
  const top = Math.max(0, ...(await tickets(folder)));
  if (top > 0) {
    const held = await holderOf(ticketFile(folder, top), silent);
    if (held !== released) return held;
  }
  if (top >= wrapAt) {
    await rm(ticketFile(folder, top), { force: true });
    return nobody;
  }
  const own = { file: ticketFile(folder, top + 1), number: top + 1 };
  if (!(await makeTicket(own.file))) return nobody;
  const all = await tickets(folder);
  if (Math.max(...all) > own.number) {
    // This number was used and cleared away while we looked.
    await rm(own.file, { force: true });
    return nobody;
  }
  const passed = all.filter((number) => number < own.number);
  await Promise.all(passed.map((number) => rm(ticketFile(folder, number), { force: true })));
  return own;
}

async function makeTicket(file: string): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(ownProcess()), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function lockOf(folder: string, { file, number }: Top): Lock {
  const beat = (): void => {
    const now = new Date();
    // Whoever has lost its ticket finds out before it writes.
    utimes(file, now, now).catch(() => undefined);
  };
  const beating = setInterval(beat, beatMs).unref();
  return {
    async assertHeld() {
      const all = await tickets(folder);
      if (Math.max(0, ...all) === number) return;
      throw new CocosError(
        'E_UNAVAILABLE',
        'another process took over while this one stood still',
        {
          suggestion: 'Nothing was written. Try again.',
        },
      );
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      await giveBack(file);
    },
  };
}

/** The ticket stays as the highest number, so that numbers only rise. */
async function giveBack(file: string): Promise<void> {
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
}

async function holderOf(file: string, silent: string | undefined): Promise<Held | typeof released> {
  let content: string;
  let sign: string;
  let ageMs: number;
  try {
    const { size, mtimeMs, ino } = await stat(file);
    content = size > maxBytes ? '' : await readFile(file, 'utf8');
    sign = `${file} ${ino} ${mtimeMs}`;
    ageMs = Date.now() - mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { holder: undefined, sign: undefined };
    throw error;
  }
  if (content === released) return released;
  const holder = parseHolder(content);
  const state = holder && processState(holder);
  if (state === 'alive' || state === 'taken') return { holder, sign: undefined };
  if (state === 'gone' || sign === silent) return released;
  return ageMs > (holder === undefined ? writingMs : foreignMs) ? released : { holder, sign };
}

function parseHolder(content: string): ProcessIdentity | undefined {
  try {
    return parseProcess(JSON.parse(content));
  } catch {
    return undefined;
  }
}

const ticketFile = (folder: string, number: number) => path.join(folder, `ticket-${number}`);

/** The numbers of all tickets; what has the name of one and is none is set aside. */
async function tickets(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const number = numberOf(entry);
    if (number === undefined) continue;
    if (entry.isFile()) found.push(number);
    else await setAside(path.join(folder, entry.name));
  }
  return found;
}

/** Only numbers as they are made here. */
function numberOf({ name }: Dirent): number | undefined {
  const digits = /^ticket-([1-9]\d{0,8})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
