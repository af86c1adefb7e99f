import { constants, lstatSync } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Stats } from 'node:fs';
import { KitError } from 'mcp-kit/internal';
import { configError, topOf } from './place.ts';

/** How large a configuration file may be. */
const maxConfigBytes = 4 * 1024 * 1024;

/** Reads a regular file of bounded size; undefined when there is none. A link is refused unless `follow` is set. */
export async function readConfigFile(
  file: string,
  {
    follow = false,
    maxBytes = maxConfigBytes,
  }: { readonly follow?: boolean; readonly maxBytes?: number } = {},
): Promise<string | undefined> {
  const handle = await openFile(file, follow);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw irregular(file, kindOf(stats));
    if (stats.size > maxBytes) throw tooLarge(file, stats.size, maxBytes);
    return await readText(handle, file, maxBytes);
  } finally {
    await handle.close();
  }
}

async function openFile(file: string, follow: boolean): Promise<FileHandle | undefined> {
  // Without waiting: a pipe would make us wait for somebody to write.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    // Most places have no file, and an exception for each of them would take most of the time.
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Where a system cannot refuse to follow links, this look must do.
    if (!follow && stats.isSymbolicLink()) throw irregular(file, 'symlink');
    return await open(file, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  } catch (error) {
    if (error instanceof KitError) throw error;
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw irregular(file, 'symlink');
    if (code === 'ENXIO') throw irregular(file, 'socket');
    if (code === undefined) throw error;
    throw configError(topOf(file), `cannot be read (${code})`, { cause: error });
  }
}

async function readText(handle: FileHandle, file: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // The file may grow while it is read.
  for (;;) {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(64 * 1024));
    if (bytesRead === 0) break;
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(file, total, maxBytes);
    chunks.push(buffer.subarray(0, bytesRead));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw configError(topOf(file), 'is not UTF-8', { cause: error });
  }
}

function irregular(file: string, kind: string): Error {
  const message = `mcp config must be a regular file (got ${kind}): ${file}`;
  const hint = kind === 'symlink' ? 'Name the file that the link points to.' : undefined;
  return configError(topOf(file), message, { hint });
}

function tooLarge(file: string, bytes: number, maxBytes: number): Error {
  const message = `mcp config too large: ${bytes} bytes (max ${maxBytes}): ${file}`;
  return configError(topOf(file), message);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFIFO()) return 'fifo';
  return stats.isSocket() ? 'socket' : 'device';
}

/** Whether a path, with all links in it followed, is inside a folder. What does not exist is where its parent is. */
export async function isInside(folder: string, file: string): Promise<boolean> {
  const [top, target] = await Promise.all([nearestReal(folder), nearestReal(file)]);
  const relative = path.relative(top, target);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

async function nearestReal(file: string): Promise<string> {
  let existing = path.resolve(file);
  const missing: string[] = [];
  for (;;) {
    try {
      return path.join(await realpath(existing), ...missing);
    } catch {
      const parent = path.dirname(existing);
      if (parent === existing) return path.resolve(file);
      missing.unshift(path.basename(existing));
      existing = parent;
    }
  }
}
