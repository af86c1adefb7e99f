import { Buffer } from 'node:buffer';
import { eachRef, equalJson } from '../json.ts';
import type { Entry } from '../json.ts';
import { entryAt, parseTable } from '../table.ts';
import type { Table } from '../table.ts';
import { printPlain } from '../text.ts';
import { layoutOf, noteLayout } from './layout.ts';
import { fileOrder, placesIn, settled } from './order.ts';
import { patch, placed } from './patch.ts';

/** A table as it is written, and what is read when that is opened. */
export interface Printed {
  readonly bytes: Uint8Array;
  readonly table: Table;
  /** What it was. */
  readonly base: Table | undefined;
  /** The objects that were printed anew; nothing where all were. */
  readonly anew: readonly number[] | undefined;
  /** Everything has the id, and leads to the objects, that it had and led to before. */
  readonly hangsAsBefore: boolean;
}

/** The text of the file; the very text it was parsed from while nothing changed. */
export function printTable(table: Table): string {
  return textOf(print(table).bytes);
}

/** Prints a table. Objects that did not change are the bytes they were read from, but for the places of others in them. */
export function print(table: Table): Printed {
  const { editing, bytes: source } = table;
  const changed = changedIn(table);
  const hangsAsBefore = !hangsOtherwise(table, changed);
  const isSame = editing === undefined || (changed.size === 0 && hangsAsBefore);
  if (source !== undefined && isSame) {
    const same = editing?.base ?? table;
    return { bytes: source, table: same, base: same, anew: [], hangsAsBefore };
  }
  const next = hangsAsBefore ? { ...table, objects: [...table.objects] } : settled(table);
  const base = editing?.base;
  const patched = patch({ base, table: next, changed, hangsAsBefore });
  const bytes = patched?.bytes ?? printAll(next, hangsAsBefore);
  const written: Table = { ...next, bytes, editing: undefined };
  if (patched === undefined || isWorn(written)) {
    return { bytes, table: written, base, anew: undefined, hangsAsBefore };
  }
  noteLayout(written, patched.layout);
  const anew = [...changed].filter((index) => written.objects[index] !== undefined);
  return { bytes, table: written, base, anew, hangsAsBefore };
}

/** Prints everything anew. */
function printAll(table: Table, hangsAsBefore: boolean): Uint8Array {
  const places = { of: placesIn(table), hangsAsBefore };
  const objects = Array.from(fileOrder(table), (index) => placed(entryAt(table, index), places));
  return Buffer.from(printPlain(objects, table.style));
}

/** Whether most numbers of a table are of objects that are gone: reading it anew gives others. */
function isWorn(table: Table): boolean {
  return table.objects.length > 2 * fileOrder(table).length + 1000;
}

/** The objects that are not as they were read. */
function changedIn({ editing }: Table): ReadonlySet<number> {
  const changed = new Set<number>();
  const before = editing?.base?.objects ?? [];
  for (const [index, own] of editing?.own ?? []) {
    if (JSON.stringify(before[index]) !== JSON.stringify(own)) changed.add(index);
  }
  return changed;
}

/** Whether an object has come or gone, has another id, or leads to other objects. */
function hangsOtherwise(table: Table, changed: ReadonlySet<number>): boolean {
  const before = table.editing?.base?.objects;
  if (before?.length !== table.objects.length) return true;
  return [...changed].some((index) => {
    const [now, then] = [entryAt(table, index), before[index] ?? {}];
    return now['_id'] !== then['_id'] || refsIn(now) !== refsIn(then);
  });
}

/** What an object refers to, to compare it. */
function refsIn(entry: Entry): string {
  const refs: number[] = [];
  eachRef(entry, (index) => refs.push(index));
  return refs.join();
}

/**
 * Reads back what was printed anew, and looks whether all else is in its place: what was not changed is as it was read. Where
 * that cannot be told, everything is read back.
 */
export function readBack({ bytes, table, anew, hangsAsBefore }: Printed, name: string): Table {
  const layout = anew && layoutOf(table);
  if (anew === undefined || layout === undefined) return parseTable(textOf(bytes), name, bytes);
  const places = { of: placesIn(table), hangsAsBefore };
  const isAsPrinted = (index: number): boolean => {
    const text = textOf(bytes.subarray(layout.starts[index], layout.ends[index]));
    return equalJson(JSON.parse(text) as Entry, placed(entryAt(table, index), places));
  };
  return anew.every(isAsPrinted) ? table : parseTable(textOf(bytes), name, bytes);
}

/** The text of bytes in UTF-8. */
function textOf(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
