import { KitError } from 'mcp-kit/internal';
import type { ServerEntry } from './config/entry.ts';
import { entryDigest } from './trust/receipt.ts';

/** What a new configuration means for the servers that are managed; names, sorted. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Left alone. */
  readonly kept: readonly string[];
}

/** A manager knows servers by their names. */
export function requireUnique(entries: readonly ServerEntry[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) throw new KitError('invalid_argument', `two servers are called ${name}`);
    seen.add(name);
  }
}

/** Compares what is managed with what is to be. */
export function compareEntries(
  before: readonly ServerEntry[],
  now: readonly ServerEntry[],
): Reloaded {
  const old = new Map(before.map((entry) => [entry.name, entry]));
  const next = new Set(now.map(({ name }) => name));
  const isKept = (entry: ServerEntry): boolean => {
    const known = old.get(entry.name);
    return known !== undefined && isSame(known, entry);
  };
  const there = now.filter(({ name }) => old.has(name));
  return {
    added: names(now.filter(({ name }) => !old.has(name))),
    removed: names(before.filter(({ name }) => !next.has(name))),
    changed: names(there.filter((entry) => !isKept(entry))),
    kept: names(there.filter(isKept)),
  };
}

/** The same words in another file are another server: its approval is another, and so is the folder of its lock. */
function isSame(one: ServerEntry, other: ServerEntry): boolean {
  return one.provenance.file === other.provenance.file && entryDigest(one) === entryDigest(other);
}

function names(entries: readonly ServerEntry[]): readonly string[] {
  return entries.map(({ name }) => name).sort();
}
