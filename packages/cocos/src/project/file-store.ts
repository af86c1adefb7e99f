import { readFileSync } from 'node:fs';
import { cloneTable, parseTable, type Table } from '#cocos/document';
import { codeOf } from './durable.ts';
import { fileOf } from './paths.ts';
import { hashOf, identityOf, stampOf, stampOfStat, statOf } from './stamp.ts';

/** A file as it was when it was read. */
export interface KnownFile {
  readonly stamp: string;
  readonly hash: string;
}

/** A scene or prefab that was written. */
export interface WrittenFile {
  readonly bytes: Uint8Array;
  /** What it is on the disk. */
  readonly identity: string | undefined;
  readonly table: Table;
  /** Another table of it, which nobody has. */
  readonly copy: Table | undefined;
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
  #kept = 0;
  /** A copy of a table that is kept, for the next who wants to edit it. */
  #spare: { readonly table: Table; readonly copy: Table } | undefined;

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
      this.#drop(path);
      return this.#keep(path, kept);
    }
    this.#drop(path);
    const known = this.read(path);
    if (known === undefined) return undefined;
    const { bytes, hash, stamp: current } = known;
    const table = parseTable(decode(bytes), path);
    return this.#keep(path, { table, hash, stamp: current, size: bytes.length });
  }

  /** Whether a scene or prefab was looked at, and is kept as it was then. */
  isKept(path: string): boolean {
    return this.#parsed.has(path);
  }

  /** A copy of a table that `table` gave, to be edited. */
  copyOf(table: Table): Table {
    const spare = this.#spare;
    if (spare?.table !== table) return cloneTable(table);
    this.#spare = undefined;
    return spare.copy;
  }

  /** Remembers what was just written, if that is still what is there: two tables of it, one to look at and one to edit. */
  adopt(path: string, written: WrittenFile): void {
    const stat = statOf(fileOf({ root: this.#root }, path));
    if (stat === undefined || identityOf(stat) !== written.identity) return;
    const { table, copy, bytes } = written;
    this.#drop(path);
    this.#keep(path, { table, hash: hashOf(bytes), stamp: stampOfStat(stat), size: bytes.length });
    this.#spare = copy && { table, copy };
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
  }
}

/** The text of bytes in UTF-8. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
