import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CocosError, isObject } from '#cocos/document';
import type { FileStep } from './journal.ts';
import { entryOf, ownFolder, setAside } from './own-folder.ts';
import { hashOf } from './stamp.ts';

/** What is remembered of a call by the name that its caller gave it; it may be written together with what the call did. */
export interface Note {
  readonly key: string;
  /** What the key must have had until then; where it has something else by then, the call is not this one's any more. */
  readonly expected: string | undefined;
  readonly value: string;
  /** What to remember instead once what the call did was taken back. */
  readonly undone?: string | undefined;
  /** For how long. */
  readonly ttlMs: number;
}

/** The same where it may not be known yet what to remember. */
export interface EarlyNote extends Omit<Note, 'value'> {
  readonly value: string | undefined;
}

/** How much is remembered in a project. */
const maxKeys = 4096;
const maxBytes = 64 * 1024 * 1024;

/** Nobody remembers for longer; what says so came with the project from somebody else. */
const maxTtlMs = 30 * 24 * 60 * 60_000;

interface Kept {
  readonly key: string;
  readonly value: string;
  readonly undone?: string | undefined;
  readonly untilMs: number;
}

/**
 * What is remembered under keys, each in a file of its own in `local/mcp-kit/keys`. Only whoever holds the lock of the project
 * may look or write: it sees what is true, and nobody writes at the same time.
 */
export class KeyFiles {
  readonly #root: string;
  /** The sizes of the files that were seen. */
  readonly #sizes = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  async get(key: string): Promise<string | undefined> {
    const kept = read(path.join(await this.#folder(), nameOf(key)));
    return kept?.key === key && isKnown(kept) ? kept.value : undefined;
  }

  /** Remembers a value, unless there is no room for a key that is new. */
  async put({ key, value, ttlMs }: Omit<Note, 'expected'>): Promise<void> {
    const folder = await this.#folder();
    const file = path.join(folder, nameOf(key));
    const entry = entryOf(file);
    if (entry === undefined) await this.#makeRoom(folder, value.length);
    else if (!entry.isFile()) await setAside(file);
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, textOf({ key, value, ttlMs }), { flag: 'wx' });
    await rename(draft, file);
  }

  async delete(key: string): Promise<void> {
    await rm(path.join(await this.#folder(), nameOf(key)), { force: true });
  }

  /** The same as `put`, as a part of a transaction. */
  async stepFor(note: Note): Promise<FileStep> {
    const file = path.join(await this.#folder(), nameOf(note.key));
    // Also where it has lapsed: as long as nobody else has written, it is this call's.
    const kept = read(file);
    if ((kept?.key === note.key ? kept.value : undefined) !== note.expected) {
      throw new CocosError('E_CONFLICT', 'another call with this key has taken over', {
        suggestion: 'Nothing was written. Ask again with the same key.',
      });
    }
    const entry = entryOf(file);
    if (entry !== undefined && !entry.isFile()) await setAside(file);
    const before = entry?.isFile() === true ? hashOf(readFileSync(file)) : undefined;
    return {
      path: `local/mcp-kit/keys/${path.basename(file)}`,
      before,
      after: Buffer.from(textOf(note)),
    };
  }

  /** What is remembered from now on of a call whose transaction is taken back; nothing where the call is not known any more. */
  async undoneStep(name: string, hash: string | null): Promise<FileStep[]> {
    const file = path.join(await this.#folder(), path.basename(name));
    const kept = read(file);
    if (kept?.undone === undefined || hashOf(readFileSync(file)) !== hash) return [];
    const { key, undone: value, untilMs } = kept;
    const after = Buffer.from(textOf({ key, value, ttlMs: untilMs - Date.now() }));
    return [{ path: name, before: hash, after }];
  }

  #folder(): Promise<string> {
    return ownFolder(this.#root, 'keys');
  }

  /** Forgets what has lapsed where there is no room. */
  async #makeRoom(folder: string, wanted: number): Promise<void> {
    if (await this.#hasRoom(folder, wanted)) return;
    for (const name of this.#sizes.keys()) {
      const file = path.join(folder, name);
      const kept = read(file);
      if (kept === undefined || !isKnown(kept)) await rm(file, { force: true, recursive: true });
    }
    if (await this.#hasRoom(folder, wanted)) return;
    throw new CocosError('E_UNAVAILABLE', 'there is no room for more keys', {
      details: { isFull: true },
    });
  }

  /** Others may have written since: what is new is measured. */
  async #hasRoom(folder: string, wanted: number): Promise<boolean> {
    const names = await readdir(folder);
    const present = new Set(names);
    for (const name of this.#sizes.keys()) if (!present.has(name)) this.#sizes.delete(name);
    for (const name of names) {
      if (this.#sizes.has(name)) continue;
      const found = await stat(path.join(folder, name)).catch(() => undefined);
      this.#sizes.set(name, found?.size ?? 0);
    }
    let bytes = wanted;
    for (const size of this.#sizes.values()) bytes += size;
    return names.length < maxKeys && bytes <= maxBytes;
  }
}

function isKnown({ untilMs }: Kept): boolean {
  const leftMs = untilMs - Date.now();
  return leftMs > 0 && leftMs <= maxTtlMs;
}

function textOf({ key, value, undone, ttlMs }: Omit<Note, 'expected'>): string {
  const kept: Kept = { key, value, undone, untilMs: Date.now() + Math.min(ttlMs, maxTtlMs) };
  return JSON.stringify(kept);
}

function nameOf(key: string): string {
  return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`;
}

/** What a file remembers; undefined for anything else. */
function read(file: string): Kept | undefined {
  const entry = entryOf(file);
  if (entry?.isFile() !== true || entry.size > maxBytes) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(value)) return undefined;
    const { key, value: text, undone, untilMs } = value;
    const isWhole =
      typeof key === 'string' && typeof text === 'string' && typeof untilMs === 'number';
    if (!isWhole) return undefined;
    return { key, value: text, undone: typeof undone === 'string' ? undone : undefined, untilMs };
  } catch {
    return undefined;
  }
}
