import { Buffer } from 'node:buffer';
import { eachRef, equalJson, withRefs } from './json.ts';
import type { Entry } from './json.ts';
import { noteSpans, patch, spansOf } from './patch.ts';
import { entryAt, parseTable, visitOrder } from './table.ts';
import type { Table } from './table.ts';
import { printPlain } from './text.ts';

/** A table as it is written, and what is read when that is opened. */
export interface Printed {
  readonly bytes: Uint8Array;
  readonly table: Table;
  /** The objects that were printed anew; nothing where all were. */
  readonly anew: readonly number[] | undefined;
  /** Everything has the id, and leads to the objects, that it had and led to before. */
  readonly hangsAsBefore: boolean;
}

/** The text of the file; the very text it was parsed from while nothing changed. */
export function printTable(table: Table): string {
  return textOf(print(table).bytes);
}

/** The objects as they are printed: numbered in order, without what nothing leads to any more. */
export function settledObjects(table: Table): readonly Entry[] {
  const order = orderOf(table);
  return order === undefined ? table.objects : renumbered(table, order, numbersIn(order));
}

/** Prints a table. Objects that did not change are the bytes they were read from, but for the numbers in them. */
export function print(table: Table): Printed {
  const { style, editing, unreachable, bytes: source } = table;
  const changed = changedIn(table);
  const hangsAsBefore = !hangsOtherwise(table, changed);
  const isSame = editing === undefined || (changed.size === 0 && hangsAsBefore);
  if (source !== undefined && isSame) {
    return { bytes: source, table: editing?.base ?? table, anew: [], hangsAsBefore };
  }
  const order = hangsAsBefore ? undefined : orderOf(table);
  const numbers = order && numbersIn(order);
  const objects = order && numbers ? renumbered(table, order, numbers) : [...table.objects];
  const patched = patch({ table, changed, objects, order, numbers });
  const bytes = patched?.bytes ?? Buffer.from(printPlain(objects, style));
  const left = [...unreachable].map((index) => numbers?.get(index) ?? index);
  const written: Table = {
    ...table,
    objects,
    bytes,
    unreachable: new Set(left),
    editing: undefined,
  };
  if (patched !== undefined) noteSpans(written, patched.spans);
  const isAnew = (place: number): boolean => changed.has(order?.[place] ?? place);
  const anew = patched && [...objects.keys()].filter(isAnew);
  return { bytes, table: written, anew, hangsAsBefore };
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

/**
 * The numbers of the objects to print, in order: as the editor would write them, or else as they are without what was removed.
 * Undefined where that is the order they are in.
 */
function orderOf({ objects, canonical, unreachable }: Table): number[] | undefined {
  const visited = visitOrder(objects);
  const kept = canonical ? undefined : new Set([...visited, ...unreachable]);
  const order = kept ? [...objects.keys()].filter((index) => kept.has(index)) : visited;
  const isSettled = order.length === objects.length && order.every((index, at) => index === at);
  return isSettled ? undefined : order;
}

/** What an object refers to, to compare it. */
function refsIn(entry: Entry): string {
  const refs: number[] = [];
  eachRef(entry, (index) => refs.push(index));
  return refs.join();
}

function numbersIn(order: readonly number[]): ReadonlyMap<number, number> {
  return new Map(order.map((index, place) => [index, place]));
}

/** The objects in an order, with the numbers that they have in it. */
function renumbered(
  table: Table,
  order: readonly number[],
  numbers: ReadonlyMap<number, number>,
): Entry[] {
  // A reference to nothing must not come to name something.
  const renumber = (index: number): number | null => numbers.get(index) ?? null;
  return order.map((index) => withRefs(entryAt(table, index), renumber));
}

/**
 * Reads back what was printed anew, and looks whether all else is in its place: what was not changed is as it was read. Where
 * that cannot be told, everything is read back.
 */
export function readBack({ bytes, table, anew }: Printed, name: string): Table {
  const spans = anew && spansOf(table);
  if (anew === undefined || spans === undefined) return parseTable(textOf(bytes), name, bytes);
  const isAsPrinted = (index: number): boolean => {
    const text = textOf(bytes.subarray(spans.starts[index], spans.ends[index]));
    return equalJson(JSON.parse(text) as Entry, entryAt(table, index));
  };
  return anew.every(isAsPrinted) ? table : parseTable(textOf(bytes), name, bytes);
}

/** The text of bytes in UTF-8. */
function textOf(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}
