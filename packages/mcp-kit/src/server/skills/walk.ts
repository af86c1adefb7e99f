import { constants, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { files } from '#base';

/** A file as it was found: without having been read. */
export interface FoundFile {
  /** From the root, with `/`. */
  readonly path: string;
  /** Where it really is. */
  readonly place: string;
  readonly size: number;
  /** Another one where the file may be another one. */
  readonly sign: string;
  /** It was changed so lately that the next change may give the same sign. */
  readonly isFresh: boolean;
}

/** What cannot be served, and why. */
export interface Fault {
  /** From the root. */
  readonly path: string;
  readonly what: string;
}

/** What is in a folder, and in those in it. */
export interface Tree {
  readonly files: readonly FoundFile[];
  /** From the root, which is an empty text. */
  readonly folders: readonly string[];
  readonly faults: readonly Fault[];
}

const maxDepth = 12;
/** Of everything: a folder with more is not one of skills. */
const maxEntries = 20_000;
/** Clocks of file systems go in steps. */
const freshMs = 50;

/** Looks at a folder, and reads no file. Names that begin with a dot are left out; links lead only to files in the folder. */
export async function walk(root: string): Promise<Tree> {
  const { readdir, realpath } = files();
  const base = await realpath(root).catch(() => undefined);
  if (base === undefined)
    return { ...nothing, faults: [{ path: '', what: 'there is no such folder' }] };
  const tree = { files: [] as FoundFile[], folders: [] as string[], faults: [] as Fault[] };
  const waiting = [''];
  let entries = 0;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const listed = await readdir(path.join(base, folder), { withFileTypes: true }).catch(gone);
    if (listed === undefined) continue;
    tree.folders.push(folder);
    for (const entry of listed) {
      if (entry.name.startsWith('.')) continue;
      entries += 1;
      const at = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        const found = await look(base, at, entry.isSymbolicLink());
        if (found !== undefined) {
          if ('what' in found) tree.faults.push(found);
          else tree.files.push(found);
        }
      } else if (at.split('/').length > maxDepth) {
        tree.faults.push({ path: at, what: `it is more than ${maxDepth} folders deep` });
      } else waiting.push(at);
    }
    if (entries > maxEntries) {
      return {
        ...nothing,
        faults: [{ path: '', what: `there are more than ${maxEntries} files` }],
      };
    }
  }
  return tree;
}

const nothing: Tree = { files: [], folders: [], faults: [] };

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** What is there; nothing where it has gone meanwhile. */
async function look(
  base: string,
  at: string,
  isLink: boolean,
): Promise<FoundFile | Fault | undefined> {
  const { realpath, stat } = files();
  const place = await realpath(path.join(base, at)).catch(() => undefined);
  const stats =
    place === undefined ? undefined : await stat(place, { bigint: true }).catch(() => undefined);
  if (place === undefined || stats === undefined) {
    return isLink ? { path: at, what: 'it is a link that leads nowhere' } : undefined;
  }
  if (!isWithin(base, place))
    return { path: at, what: 'it is a link that leads out of the folder' };
  if (!stats.isFile()) return { path: at, what: 'it is neither a file nor a folder' };
  return { path: at, place, ...signOf(stats) };
}

function isWithin(base: string, place: string): boolean {
  return place.startsWith(base.endsWith(path.sep) ? base : base + path.sep);
}

function signOf(stats: BigIntStats): Pick<FoundFile, 'size' | 'sign' | 'isFresh'> {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  const isFresh = Math.abs(Date.now() - Number(ctimeNs / 1_000_000n)) < freshMs;
  return { size: Number(size), sign: [dev, ino, size, mtimeNs, ctimeNs].join(':'), isFresh };
}

/**
 * The bytes of a file that was found; nothing where something else is in its place by now, where it was changed while it was
 * read, or where it is longer than `most`.
 */
export async function readFound(
  { place, sign }: FoundFile,
  most: number,
): Promise<Uint8Array | undefined> {
  const { open, realpath } = files();
  let handle: FileHandle | undefined;
  try {
    // Windows has no such flags; there they are nothing, and count as 0.
    handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const before = await handle.stat({ bigint: true });
    if (signOf(before).sign !== sign || before.size > BigInt(most)) return undefined;
    const bytes = await readUpTo(handle, Number(before.size));
    const after = await handle.stat({ bigint: true });
    // A folder on the way may have become a link.
    const isSame = signOf(after).sign === sign && (await realpath(place)) === place;
    return isSame ? bytes : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

async function readUpTo(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
