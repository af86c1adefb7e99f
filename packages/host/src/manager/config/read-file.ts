import fs, { type Stats } from 'node:fs';
import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import { configError, topOf } from './place.ts';

/** How large a configuration file may be. */
const maxConfigBytes = 4 * 1024 * 1024;

/**
 * Reads a regular file of bounded size; undefined when there is none. A link is refused unless `follow` is set. These files
 * are small and on this machine: handing each step to another thread would take longer than all of them.
 */
export async function readConfigFile(
  file: string,
  {
    follow = false,
    maxBytes = maxConfigBytes,
  }: { readonly follow?: boolean; readonly maxBytes?: number } = {},
): Promise<string | undefined> {
  const opened = openFile(file, follow);
  if (opened === undefined) return undefined;
  try {
    const stats = fs.fstatSync(opened);
    if (!stats.isFile()) throw irregular(file, kindOf(stats));
    if (stats.size > maxBytes) throw tooLarge(file, stats.size, maxBytes);
    return readText(opened, file, { size: stats.size, maxBytes });
  } finally {
    fs.closeSync(opened);
  }
}

function openFile(file: string, follow: boolean): number | undefined {
  // Without waiting: a pipe would make us wait for somebody to write.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  try {
    // Most places have no file, and an exception for each of them would take most of the time.
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    // Where a system cannot refuse to follow links, this look must do.
    if (!follow && stats.isSymbolicLink()) throw irregular(file, 'symlink');
    return fs.openSync(file, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
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

function readText(
  opened: number,
  file: string,
  { size, maxBytes }: { readonly size: number; readonly maxBytes: number },
): string {
  const chunks: Uint8Array[] = [];
  let total = 0;
  // The file may grow while it is read.
  for (;;) {
    const chunk = new Uint8Array(Math.max(size - total, 0) + 1024);
    const read = fs.readSync(opened, chunk);
    if (read === 0) break;
    total += read;
    if (total > maxBytes) throw tooLarge(file, total, maxBytes);
    chunks.push(chunk.subarray(0, read));
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
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(nearestReal(folder), nearestReal(file));
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

function nearestReal(file: string): string {
  let existing = path.resolve(file);
  const missing: string[] = [];
  for (;;) {
    try {
      return path.join(fs.realpathSync.native(existing), ...missing);
    } catch {
      const parent = path.dirname(existing);
      if (parent === existing) return path.resolve(file);
      missing.unshift(path.basename(existing));
      existing = parent;
    }
  }
}
