import { createHash } from 'node:crypto';
import { statSync, type BigIntStats } from 'node:fs';
import { codeOf } from './durable.ts';

/** What is at a path; undefined where nothing is. */
export function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // A file stands where the path has a folder.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Changes whenever a file does: its times, size and place on the disk. Undefined for what is no file. */
export function stampOf(file: string): string | undefined {
  const stat = statOf(file);
  if (stat === undefined || !stat.isFile()) return undefined;
  return `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`;
}

/** The fingerprint of the bytes of a file. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
