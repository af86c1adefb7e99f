import { Buffer } from 'node:buffer';
import { eachRef, equalJson } from '../json.ts';
import type { Entry } from '../json.ts';
import { entryAt, parseTable } from '../table.ts';
import type { Table } from '../table.ts';
import { printPlain } from '../text.ts';
import { layoutOf, noteLayout } from './layout.ts';
import { fileOrder, placesIn, settled } from './order.ts';
import { patch, placed } from './patch.ts';
import { withSource } from './source.ts';

/** A table as it is written, and what is read when that is opened. */
export interface Printed {
  readonly bytes: Uint8Array;
  /** What the bytes are in, for whoever gives it back. */
  readonly room: Uint8Array | undefined;
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
  const { editing } = table;
  const printed = editing && print(table);
  if (printed !== undefined) return textOf(printed.bytes);
  const same = editing?.base ?? table;
  return withSource(same, textOf) ?? textOf(printAll(same, true));
}

/**
 * Prints a table that was edited; undefined while nothing changed. Objects that did not change are the bytes they were read from,
 * but for the places of others in them.
 */
export function print(table: Table): Printed | undefined {
  const base = table.editing?.base;
  const changed = changedIn(table);
  const hangsAsBefore = !hangsOtherwise(table, changed);
  if (base !== undefined && changed.size === 0 && hangsAsBefore) return undefined;
  const next = hangsAsBefore ? { ...table, objects: [...table.objects] } : settled(table);
  const patched = patch({ base, table: next, changed, hangsAsBefore });
  const bytes = patched?.bytes ?? printAll(next, hangsAsBefore);
  const room = patched?.room;
  const written: Table = { ...next, editing: undefined };
  if (patched === undefined || isWorn(written)) {
    return { bytes, room, table: written, base, anew: undefined, hangsAsBefore };
  }
  noteLayout(written, patched.layout);
  const anew = [...changed].filter((index) => written.objects[index] !== undefined);
  return { bytes, room, table: written, base, anew, hangsAsBefore };
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
  if (anew === undefined || layout === undefined) return parsed(bytes, name);
  const places = { of: placesIn(table), hangsAsBefore };
  const isAsPrinted = (index: number): boolean => {
    const text = textOf(bytes.subarray(layout.starts[index], layout.ends[index]));
    return equalJson(JSON.parse(text) as Entry, placed(entryAt(table, index), places));
  };
  return anew.every(isAsPrinted) ? table : parsed(bytes, name);
}

/** The table of bytes that are not there for long. */
function parsed(bytes: Uint8Array, name: string): Table {
  return parseTable(textOf(bytes), name, () => undefined);
}

/** The text of bytes in UTF-8. */
function textOf(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
