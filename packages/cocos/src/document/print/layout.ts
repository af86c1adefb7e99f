import { Buffer } from 'node:buffer';
import { eachRef } from '../json.ts';
import type { Entry } from '../json.ts';
import type { Table } from '../table.ts';
import { withSource } from './source.ts';

/** Where in the bytes of a file its objects are, and the references in them; by the numbers that the objects have in the table. */
export interface Layout {
  /** From the first brace of an object to its last. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Which of all references is the first of an object, and how many it has. */
  readonly firstRefs: Uint32Array;
  readonly refCounts: Uint32Array;
  /** Where the digits of each reference are, in the order of the file, and the object that it names. */
  readonly refsAt: Uint32Array;
  readonly refsTo: Uint32Array;
}

/** The layout of so many objects with so many references, to be filled in. */
export function emptyLayout(objects: number, references: number): Layout {
  const [starts, ends] = [new Uint32Array(objects), new Uint32Array(objects)];
  const [firstRefs, refCounts] = [new Uint32Array(objects), new Uint32Array(objects)];
  const [refsAt, refsTo] = [new Uint32Array(references), new Uint32Array(references)];
  return { starts, ends, firstRefs, refCounts, refsAt, refsTo };
}

const known = new WeakMap<Table, Layout | undefined>();

/** The layout of a file; undefined where it is not written one field to a line, or refers otherwise than we would. */
export function layoutOf(table: Table): Layout | undefined {
  if (!known.has(table)) known.set(table, findLayout(table));
  return known.get(table);
}

/** Notes the layout of a file, for whoever knows it anyway. */
export function noteLayout(table: Table, layout: Layout): void {
  known.set(table, layout);
}

/** What comes before the digits of a reference. Within a string quotes have a backslash before them, so that it is always one. */
const beforeDigits = '"__id__": ';

/** Where in a text the digits of each reference are; undefined where there are not so many. */
export function digitsIn(text: string, count: number): number[] | undefined {
  const found: number[] = [];
  for (let at = text.indexOf(beforeDigits); at >= 0; at = text.indexOf(beforeDigits, at)) {
    at += beforeDigits.length;
    found.push(at);
  }
  return found.length === count ? found : undefined;
}

/** A character for each byte, whatever these stand for. */
export function charactersOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function findLayout(table: Table): Layout | undefined {
  const { objects, order } = table;
  const text = order === undefined ? withSource(table, charactersOf) : undefined;
  if (text === undefined) return undefined;
  const named: number[] = [];
  const counts = objects.map((entry) => {
    const before = named.length;
    eachRef(entry ?? null, (index) => named.push(index));
    return named.length - before;
  });
  const digits = digitsIn(text, named.length);
  if (digits === undefined) return undefined;
  const layout = emptyLayout(objects.length, named.length);
  layout.refsAt.set(digits);
  layout.refsTo.set(named);
  layout.refCounts.set(counts);
  let first = 0;
  for (const [index, count] of counts.entries()) {
    layout.firstRefs[index] = first;
    first += count;
  }
  const isAsNamed = named.every(
    (index, at) => layout.refsTo[at] === index && isNumber(text, digits[at] ?? 0, index),
  );
  return isAsNamed && findSpans(table, text, layout) ? layout : undefined;
}

/** Whether a number, and nothing else, is at a place in a text. */
function isNumber(text: string, at: number, number: number): boolean {
  const digits = String(number);
  return text.startsWith(digits, at) && !/[\d.eE]/.test(text.charAt(at + digits.length));
}

/** Finds out where the objects are; false where they are not written as we would. */
function findSpans({ objects, style }: Table, text: string, { starts, ends }: Layout): boolean {
  const { eol, indent, bom } = style;
  if (indent === '') return false;
  const open = `${eol}${indent}{${eol}`;
  const close = `${eol}${indent}}`;
  let at = bom ? 4 : 1;
  for (const index of objects.keys()) {
    if (!text.startsWith(open, at)) return false;
    const end = text.indexOf(close, at + open.length - eol.length);
    if (end < 0) return false;
    starts[index] = at + eol.length + indent.length;
    at = end + close.length;
    ends[index] = at;
    // Between two of them is a comma.
    if (index < objects.length - 1) at += 1;
  }
  return text.startsWith(`${eol}]`, at);
}

/** The layout that an object of a table still has; undefined for those that were changed since it was read. */
function laidOut(table: Table): (index: number) => Layout | undefined {
  const { editing } = table;
  const base = editing === undefined ? table : editing.base;
  const layout = base && layoutOf(base);
  if (layout === undefined) return () => undefined;
  const count = layout.starts.length;
  const isOwn = (index: number): boolean => editing?.own.has(index) === true;
  return (index) => (index < count && !isOwn(index) ? layout : undefined);
}

/** Calls `found` for everything that each object of a table refers to, in the order of the table. */
export function eachReference(table: Table, found: (from: number, to: number) => void): void {
  const layoutFor = laidOut(table);
  for (const [from, entry] of table.objects.entries()) {
    if (entry === undefined) continue;
    const layout = layoutFor(from);
    if (layout === undefined) {
      eachRef(entry, (to) => found(from, to));
      continue;
    }
    const first = layout.firstRefs[from] ?? 0;
    const end = first + (layout.refCounts[from] ?? 0);
    for (let at = first; at < end; at += 1) found(from, layout.refsTo[at] ?? 0);
  }
}

/** Puts on a stack what an object refers to, the first on top. */
export type PushRefs = (index: number, entry: Entry, stack: number[]) => void;

/** Takes the references from where they are known already. */
export function pushKnownRefs(table: Table): PushRefs {
  const layoutFor = laidOut(table);
  return (index, entry, stack) => {
    const layout = layoutFor(index);
    if (layout === undefined) {
      pushRefs(index, entry, stack);
      return;
    }
    const first = layout.firstRefs[index] ?? 0;
    for (let at = first + (layout.refCounts[index] ?? 0) - 1; at >= first; at -= 1) {
      stack.push(layout.refsTo[at] ?? 0);
    }
  };
}

/** Looks for the references in the object. */
const pushRefs: PushRefs = (_index, entry, stack) => {
  const found: number[] = [];
  eachRef(entry, (to) => found.push(to));
  for (let at = found.length - 1; at >= 0; at -= 1) stack.push(found[at] ?? 0);
};
