import { Buffer } from 'node:buffer';
import { eachRef } from './json.ts';
import type { Entry } from './json.ts';
import type { Table } from './table.ts';
import type { TextStyle } from './text.ts';

/** What a file becomes. */
export interface Patch {
  /** The table that was edited. */
  readonly table: Table;
  /** The objects that are not as they were read. */
  readonly changed: ReadonlySet<number>;
  /** All objects as they are to be read again. */
  readonly objects: readonly Entry[];
  /** The numbers they have had, where they are in another order; and the other way round. */
  readonly order: readonly number[] | undefined;
  readonly numbers: ReadonlyMap<number, number> | undefined;
}

/** A part of a file, or all of it, and where in it objects are. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly spans: Spans;
}

/** The file with only what changed printed anew; undefined where it is not written as it would have to be. */
export function patch({ table, changed, objects, order, numbers }: Patch): Piece | undefined {
  const { style, editing, bytes } = table;
  const before = editing?.base && spansOf(editing.base);
  if (bytes === undefined || before === undefined) return undefined;
  const isKept = (index: number): boolean => index < before.starts.length && !changed.has(index);
  const pieces: Piece[] = [];
  for (let place = 0; place < objects.length;) {
    const first = order?.[place] ?? place;
    const count = isKept(first) ? keptTogether({ place, first, order, isKept }, objects.length) : 0;
    const piece =
      count === 0
        ? printed(objects[place] ?? {}, style)
        : kept(bytes, spansFrom(before, first, count), numbers);
    if (piece === undefined) return undefined;
    pieces.push(piece);
    place += Math.max(count, 1);
  }
  const start = bytes.subarray(0, before.starts[0]);
  const end = bytes.subarray(before.ends.at(-1));
  return joined(pieces, { start, between: Buffer.from(`,${style.eol}${style.indent}`), end });
}

/** How many objects from a place on follow each other as they did before. */
function keptTogether(
  run: {
    readonly place: number;
    readonly first: number;
    readonly order: readonly number[] | undefined;
    readonly isKept: (index: number) => boolean;
  },
  most: number,
): number {
  const { place, first, order, isKept } = run;
  let count = 1;
  const next = (): number => order?.[place + count] ?? place + count;
  while (place + count < most && next() === first + count && isKept(first + count)) count += 1;
  return count;
}

function printed(entry: Entry, { eol, indent }: TextStyle): Piece {
  const text = JSON.stringify(entry, null, indent).replaceAll('\n', `${eol}${indent}`);
  const bytes = Buffer.from(text);
  return { bytes, spans: { starts: Uint32Array.of(0), ends: Uint32Array.of(bytes.length) } };
}

/** Objects as they were read, but for their numbers; undefined where a reference would name nothing. */
function kept(
  file: Uint8Array,
  spans: Spans,
  numbers: ReadonlyMap<number, number> | undefined,
): Piece | undefined {
  const bytes = file.subarray(spans.starts[0], spans.ends.at(-1));
  if (numbers === undefined) return { bytes, spans };
  const moved = emptySpans(spans.starts.length);
  const begin = spans.starts[0] ?? 0;
  let [index, grown, isWhole] = [0, 0, true];
  const pass = (offset: number): void => {
    for (; index < spans.ends.length && (spans.ends[index] ?? 0) - begin <= offset; index += 1) {
      moved.ends[index] = (spans.ends[index] ?? 0) - begin + grown;
      moved.starts[index + 1] = (spans.starts[index + 1] ?? 0) - begin + grown;
    }
  };
  const text = charactersOf(bytes);
  const changed = text.replaceAll(referenceInText, (reference, old: string, offset: number) => {
    pass(offset);
    const number = numbers.get(Number(old));
    isWhole &&= number !== undefined;
    if (number === Number(old)) return reference;
    const now = `"__id__": ${number}`;
    grown += now.length - reference.length;
    return now;
  });
  pass(text.length);
  return isWhole ? { bytes: Buffer.from(changed, 'latin1'), spans: moved } : undefined;
}

function joined(
  pieces: readonly Piece[],
  around: { readonly start: Uint8Array; readonly between: Uint8Array; readonly end: Uint8Array },
): Piece {
  const { start, between, end } = around;
  const spans = emptySpans(pieces.reduce((sum, piece) => sum + piece.spans.starts.length, 0));
  const parts = [start];
  let [place, at] = [0, start.length];
  for (const [number, piece] of pieces.entries()) {
    if (number > 0) {
      parts.push(between);
      at += between.length;
    }
    const shift = at - (piece.spans.starts[0] ?? 0);
    for (const [index, from] of piece.spans.starts.entries()) {
      spans.starts[place + index] = from + shift;
      spans.ends[place + index] = (piece.spans.ends[index] ?? 0) + shift;
    }
    parts.push(piece.bytes);
    at += piece.bytes.length;
    place += piece.spans.starts.length;
  }
  return { bytes: Buffer.concat([...parts, end]), spans };
}

/** Where each object is in the bytes of a file, from its first brace to its last. */
interface Spans {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

function emptySpans(count: number): Spans {
  return { starts: new Uint32Array(count), ends: new Uint32Array(count) };
}

/** Those of so many objects from one on. */
function spansFrom({ starts, ends }: Spans, first: number, count: number): Spans {
  return {
    starts: starts.subarray(first, first + count),
    ends: ends.subarray(first, first + count),
  };
}

const known = new WeakMap<Table, Spans | undefined>();

/** Where the objects of a table are; undefined where its file is not written one field to a line, or refers otherwise than we would. */
export function spansOf(table: Table): Spans | undefined {
  if (!known.has(table)) known.set(table, findSpans(table));
  return known.get(table);
}

/** Notes where they are, for whoever knows it anyway. */
export function noteSpans(table: Table, spans: Spans): void {
  known.set(table, spans);
}

/** A reference in a text. Within a string quotes have a backslash before them, so that it is always one. */
const referenceInText: RegExp = /"__id__": (\d+)/g;

/** A character for each byte, whatever these stand for. */
function charactersOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function findSpans({ objects, style, bytes = new Uint8Array() }: Table): Spans | undefined {
  const { eol, indent, bom } = style;
  if (indent === '') return undefined;
  const text = charactersOf(bytes);
  const spans = emptySpans(objects.length);
  const open = `${eol}${indent}{${eol}`;
  const close = `${eol}${indent}}`;
  let at = bom ? 4 : 1;
  for (const index of objects.keys()) {
    if (!text.startsWith(open, at)) return undefined;
    const end = text.indexOf(close, at + open.length - eol.length);
    if (end < 0) return undefined;
    spans.starts[index] = at + eol.length + indent.length;
    at = end + close.length;
    spans.ends[index] = at;
    // Between two of them is a comma.
    if (index < objects.length - 1) at += 1;
  }
  let refs = 0;
  for (const entry of objects) eachRef(entry, () => (refs += 1));
  const isWhole = text.startsWith(`${eol}]`, at) && text.match(referenceInText)?.length === refs;
  return isWhole ? spans : undefined;
}
