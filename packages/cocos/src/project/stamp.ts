import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';

/** Changes whenever a file does: its times, size and place on the disk. Undefined for what is no file. */
export function stampOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return undefined;
  return `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`;
}

/** The fingerprint of the bytes of a file. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
