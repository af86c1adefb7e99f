import type { BigIntStats } from 'node:fs';
import { copyFile, link, lstat, open, type FileHandle } from 'node:fs/promises';

/** Writes a new file, and returns what it is when it would survive a loss of power. */
export async function writeDurably(
  file: string,
  content: Uint8Array | string,
  mode?: number,
): Promise<BigIntStats> {
  const handle = await open(file, 'wx');
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

/**
 * Keeps a file under a second name, for when another takes its place under the first, and returns when that would survive a loss
 * of power. It is the same file where the system can do that, and else a copy.
 */
export async function keepDurably(file: string, copy: string): Promise<void> {
  await link(file, copy).catch(() => copyFile(file, copy));
  await using handle = await openToSync(copy);
  await handle.sync();
}

/**
 * Gives a file a second name, for whoever wants what it holds as if it were written now, and returns what it is when that would
 * survive a loss of power. One that has other names already, or cannot have any, is copied.
 */
export async function renewDurably(
  file: string,
  name: string,
  mode?: number,
): Promise<BigIntStats> {
  const isOnly = (await lstat(file)).nlink === 1;
  if (isOnly) await link(file, name).catch(() => copyFile(file, name));
  else await copyFile(file, name);
  await using handle = await openToSync(name);
  if (mode !== undefined) await handle.chmod(mode);
  const now = new Date();
  await handle.utimes(now, now);
  await handle.sync();
  return await handle.stat({ bigint: true });
}

/** Windows wants the right to write for that, others not even of files that can only be read. */
function openToSync(file: string): Promise<FileHandle> {
  return open(file, process.platform === 'win32' ? 'r+' : 'r');
}

/** Makes what happened to the names in a folder survive a loss of power, where the system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows keeps names safe by itself, and cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The code of a failure of the file system. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
