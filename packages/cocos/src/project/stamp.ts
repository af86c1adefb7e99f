import { createHash } from 'node:crypto';
import { statSync, type BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import { giveBack, takeRoom } from '#cocos/document';
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

/** What stays of a file that is only given another name. */
export function identityOf({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}:${size}:${ino}`;
}

/** Changes whenever a file does: its times, size and place on the disk. Undefined for what is no file. */
export function stampOf(file: string): string | undefined {
  const stat = statOf(file);
  return stat?.isFile() === true ? stampOfStat(stat) : undefined;
}

/** The same of what is known of a file. */
export function stampOfStat({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
}

const hashes = new WeakMap<Uint8Array, string>();

/** The fingerprint of the bytes of a file; they must not change, because it is found only once. */
export function hashOf(bytes: Uint8Array): string {
  const known = hashes.get(bytes) ?? createHash('sha256').update(bytes).digest('hex');
  hashes.set(bytes, known);
  return known;
}

const pieceBytes = 2 ** 20;

/** The same of a file, however large. */
export async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  const room = takeRoom(pieceBytes);
  const piece = room.subarray(0, pieceBytes);
  const handle = await open(file);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(piece);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
    giveBack(room);
  }
}
