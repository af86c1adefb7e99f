import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import {
  giveBack,
  noteSource,
  parseTable,
  type ReadSource,
  type Table,
  takeRoom,
} from '#cocos/document';
import { codeOf } from './durable.ts';
import { fileOf } from './paths.ts';
import { hashOf, identityOf, stampOf, stampOfStat, statOf } from './stamp.ts';

/** A file as it was when it was read. */
export interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
}

/** A scene or prefab that was written. */
interface WrittenFile {
  readonly hash: string;
  /** What it is on the disk. */
  readonly identity: string | undefined;
  readonly table: Table;
}

interface ParsedFile extends KnownFile {
  readonly table: Table;
  readonly size: number;
}

/** How many characters of scenes and prefabs are kept parsed. */
const maxKept = 64 * 1024 * 1024;

/** Reads the files of a project, and keeps its scenes and prefabs parsed while they do not change. */
export class FileStore {
  readonly #root: string;
  readonly #parsed = new Map<string, ParsedFile>();
  /** What files were before they were last written here, for whoever takes that back; it shares most with what they are. */
  readonly #replaced = new Map<string, ParsedFile>();
  #kept = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The bytes of a file, and what it takes to see later that they are the same. */
  read(path: string): (KnownFile & { readonly bytes: Buffer }) | undefined {
    const found = this.#read(path);
    return found && { ...found, hash: hashOf(found.bytes) };
  }

  /** The fingerprint of a file, without reading it where it is kept parsed. */
  hash(path: string): string | undefined {
    const kept = this.#parsed.get(path);
    const isSame = kept !== undefined && kept.stamp === stampOf(fileOf({ root: this.#root }, path));
    return isSame ? kept.hash : this.read(path)?.hash;
  }

  /** A scene or prefab, parsed; it is shared, and must not be changed. */
  table(path: string): ParsedFile | undefined {
    const kept = this.#parsed.get(path);
    const stamp = kept && stampOf(fileOf({ root: this.#root }, path));
    if (kept !== undefined && kept.stamp === stamp) {
      // The one used last is the last.
      this.#parsed.delete(path);
      this.#parsed.set(path, kept);
      return kept;
    }
    this.#drop(path);
    const file = fileOf({ root: this.#root }, path);
    const current = stampOf(file);
    if (current === undefined) return undefined;
    const parsed = withBytes(file, (bytes) => this.#parse(path, current, bytes));
    if (parsed !== undefined) return parsed;
    // It was replaced while it was read.
    const known = this.read(path);
    return known && this.#parse(path, known.stamp, known.bytes);
  }

  #parse(path: string, stamp: string, bytes: Uint8Array): ParsedFile {
    const known = { stamp, hash: hashOf(bytes) };
    const table = parseTable(decode(bytes), path, this.#sourceOf(path, known));
    return this.#keep(path, { ...known, table, size: bytes.length });
  }

  /** Whether a scene or prefab was looked at, and is kept as it was then. */
  isKept(path: string): boolean {
    return this.#parsed.has(path);
  }

  /** What a file was before it was last written here, if it had this fingerprint and is still known. */
  replaced(path: string, hash: string): Table | undefined {
    const before = this.#replaced.get(path);
    return before?.hash === hash ? before.table : undefined;
  }

  /** Remembers what was just written, if that is still what is there. */
  adopt(path: string, written: WrittenFile): void {
    const stat = statOf(fileOf({ root: this.#root }, path));
    if (stat === undefined || identityOf(stat) !== written.identity) return;
    const { table, hash } = written;
    const before = this.#parsed.get(path);
    this.#drop(path);
    if (before !== undefined) this.#replaced.set(path, before);
    const known = { stamp: stampOfStat(stat), hash };
    noteSource(table, this.#sourceOf(path, known));
    this.#keep(path, { ...known, table, size: Number(stat.size) });
  }

  /** Where the bytes of a file are to be had again, for as long as it is what is known of it. */
  #sourceOf(path: string, known: KnownFile): ReadSource {
    return (use) => {
      const file = fileOf({ root: this.#root }, path);
      return withBytes(file, (bytes) => {
        const isSame = stampOf(file) === known.stamp || hashOf(bytes) === known.hash;
        return isSame ? use(bytes) : undefined;
      });
    };
  }

  #read(path: string): { readonly stamp: string; readonly bytes: Buffer } | undefined {
    const file = fileOf({ root: this.#root }, path);
    const stamp = stampOf(file);
    if (stamp === undefined) return undefined;
    try {
      return { stamp, bytes: readFileSync(file) };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #keep(path: string, parsed: ParsedFile): ParsedFile {
    this.#parsed.set(path, parsed);
    this.#kept += parsed.size;
    // The one used longest ago is the first.
    for (const oldest of this.#parsed.keys()) {
      if (this.#kept <= maxKept || oldest === path) break;
      this.#drop(oldest);
    }
    return parsed;
  }

  #drop(path: string): void {
    this.#kept -= this.#parsed.get(path)?.size ?? 0;
    this.#parsed.delete(path);
    this.#replaced.delete(path);
  }
}

/** Lets `use` look at the bytes of a file, which are there only for as long as it does; undefined for what is no file, or changes. */
export function withBytes<Result>(
  file: string,
  use: (bytes: Uint8Array) => Result,
): Result | undefined {
  const stat = statOf(file);
  if (stat?.isFile() !== true) return undefined;
  const size = Number(stat.size);
  const room = takeRoom(size);
  try {
    const bytes = readInto(file, room.subarray(0, size));
    return bytes && use(bytes);
  } finally {
    giveBack(room);
  }
}

/** Fills memory with a file; undefined where the file is gone, or of another size by now. */
function readInto(file: string, room: Uint8Array): Uint8Array | undefined {
  const handle = openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    let read = 0;
    while (read < room.length) {
      const more = readSync(handle, room, read, room.length - read, null);
      if (more === 0) return undefined;
      read += more;
    }
    return fstatSync(handle).size === room.length ? room : undefined;
  } finally {
    closeSync(handle);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The text of bytes in UTF-8. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
