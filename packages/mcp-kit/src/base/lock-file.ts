import { KitError } from './error.ts';
import { files } from './node-modules.ts';
import { pause } from './pause.ts';

export interface LockOptions {
  /** How long to wait for whoever has it; 60 s. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** What others are waited for to do, for whoever waits in vain. */
  readonly doing?: string;
}

/** How often a lock says that its holder is still there, and after which silence nobody is. */
const beatMs = 2000;
const silenceMs = 10_000;
const pollMs = 25;

/** Runs while no other process does so under the same file. Whoever is killed meanwhile blocks the others for seconds. */
export async function whileLocked<T>(
  file: string,
  run: () => Promise<T>,
  { waitMs = 60_000, signal, doing = 'its work' }: LockOptions = {},
): Promise<T> {
  const { rm, utimes } = files();
  const deadline = performance.now() + waitMs;
  while (!(await take(file))) {
    if (performance.now() > deadline) throw isHeld(file, doing, waitMs);
    await pause(pollMs, signal);
  }
  const beat = setInterval(() => {
    const now = new Date();
    // Without a sign of life it is taken away, which is no harm once we are done.
    utimes(file, now, now).catch(() => {});
  }, beatMs);
  beat.unref();
  try {
    return await run();
  } finally {
    clearInterval(beat);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  if (await create(file)) return true;
  if (await isSilent(file)) await clear(file);
  return false;
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await files().open(file, 'wx', 0o600);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a lock away that nobody holds. One at a time: a second would take the lock of whoever came after the first. */
async function clear(file: string): Promise<void> {
  const { rm } = files();
  const broom = `${file}.broom`;
  if (!(await create(broom))) {
    if (await isSilent(broom)) await rm(broom, { force: true });
    return;
  }
  try {
    if (await isSilent(file)) await rm(file, { force: true });
  } finally {
    await rm(broom, { force: true });
  }
}

async function isSilent(file: string): Promise<boolean> {
  try {
    const { mtimeMs } = await files().lstat(file);
    return Date.now() - mtimeMs > silenceMs;
  } catch {
    return false;
  }
}

function isHeld(file: string, doing: string, waitMs: number): KitError {
  const message = `another process did not finish ${doing} within ${waitMs} ms`;
  return new KitError('timeout', message, {
    hint: `Try again; if no other process is at it, remove ${file}.`,
    details: { ran: false },
  });
}
