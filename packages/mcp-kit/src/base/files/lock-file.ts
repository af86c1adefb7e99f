import { KitError } from '../error.ts';
import { crypto, files } from '../node-modules.ts';
import { pause } from '../timers.ts';
import {
  ownProcess,
  parseProcess,
  processState,
  type ProcessIdentity,
} from '../processes/process-identity.ts';

export interface LockOptions {
  /** How long to wait for whoever has it; 60 s. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What others are waited for to do, for whoever waits in vain. */
  readonly doing?: string | undefined;
}

/** How often a lock says that its holder is still there, and after which silence nobody is. */
const beatMs = 2000;
const silenceMs = 10_000;
const pollMs = 25;

/**
 * Runs while no other process does so under the same file. The lock of a process that was killed is taken over at once
 * where it can be seen that it is gone, else when the lock has given no sign of life for 10 s.
 */
export async function whileLocked<T>(
  file: string,
  run: () => Promise<T>,
  { waitMs = 60_000, signal, doing = 'its work' }: LockOptions = {},
): Promise<T> {
  const deadline = performance.now() + waitMs;
  const seen: Seen = new Map();
  let release = await create(file);
  while (release === undefined) {
    if (performance.now() > deadline) throw isHeld(file, doing, waitMs);
    if (!(await clear(file, seen))) await pause(pollMs, signal);
    release = await create(file);
  }
  try {
    return await run();
  } finally {
    await release();
  }
}

/** Makes the file, which succeeds for one only; gives back how to let go of it. */
async function create(file: string): Promise<(() => Promise<void>) | undefined> {
  const { open, rm } = files();
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  const token = crypto().randomBytes(8).toString('hex');
  try {
    await handle.writeFile(JSON.stringify({ token, ...ownProcess() }));
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
  const beat = setInterval(() => {
    const now = new Date();
    // By its handle: what goes by its name may be another's lock by now.
    handle.utimes(now, now).catch(() => {});
  }, beatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    await handle.close();
    if ((await look(file))?.name === token) await rm(file, { force: true });
  };
}

/** A lock as it was found. */
interface Found {
  /** Tells it from all others that had its place. */
  readonly name: string;
  readonly mtimeNs: bigint;
  readonly holder: ProcessIdentity | undefined;
}

/** What was last seen of locks, and since when they are as they are. Clocks of others may be wrong, so only ours counts. */
type Seen = Map<string, { readonly sign: string; readonly sinceMs: number }>;

/**
 * Takes a lock away that nobody holds; whether there was one. Whoever does so holds a lock of its own meanwhile, which is
 * named after the one to take away: so nobody takes the lock of whoever came after it, and the locks of those that are
 * killed at it are taken away the same way.
 */
async function clear(file: string, seen: Seen): Promise<boolean> {
  const found = await look(file);
  if (found === undefined || !isAbandoned(file, found, seen)) return found === undefined;
  const claim = `${file}.${found.name}`;
  const release = await create(claim);
  if (release === undefined) return clear(claim, seen);
  try {
    if ((await look(file))?.name === found.name) await files().rm(file, { force: true });
    return true;
  } finally {
    await release();
  }
}

function isAbandoned(file: string, { name, mtimeNs, holder }: Found, seen: Seen): boolean {
  const state = holder && processState(holder);
  if (state === 'alive' || state === 'gone') return state === 'gone';
  const nowMs = performance.now();
  const sign = `${name}:${mtimeNs}`;
  const last = seen.get(file);
  if (last?.sign !== sign) seen.set(file, { sign, sinceMs: nowMs });
  else if (nowMs - last.sinceMs > silenceMs) return true;
  // Without a holder it was made on this machine, by one that was killed before it could write its name.
  return holder === undefined && Date.now() - Number(mtimeNs / 1_000_000n) > silenceMs;
}

async function look(file: string): Promise<Found | undefined> {
  const { lstat, readFile } = files();
  try {
    const stats = await lstat(file, { bigint: true });
    if (stats.isDirectory()) throw isFolder(file);
    const { ino, mtimeNs, size } = stats;
    const text = stats.isFile() && size < 1000n ? await readFile(file, 'utf8') : '';
    const { token = `${ino}-${mtimeNs}`, holder } = parse(text) ?? {};
    return { name: token, mtimeNs, holder };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(
  text: string,
): { readonly token: string; readonly holder: ProcessIdentity } | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const { token } = value;
    const holder = parseProcess(value);
    // The token becomes part of the name of a file.
    const isOurs = typeof token === 'string' && /^[0-9a-f]{16}$/.test(token);
    return isOurs && holder !== undefined ? { token, holder } : undefined;
  } catch {
    return undefined;
  }
}

function isFolder(file: string): KitError {
  return new KitError('invalid_config', `${file} is a folder, where a lock belongs`, {
    hint: 'Remove it.',
    details: { ran: false },
  });
}

function isHeld(file: string, doing: string, waitMs: number): KitError {
  const message = `another process did not finish ${doing} within ${waitMs} ms`;
  return new KitError('timeout', message, {
    hint: `Try again; if no other process is at it, remove ${file}.`,
    details: { ran: false },
  });
}
