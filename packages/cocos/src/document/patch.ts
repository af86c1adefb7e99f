import { Buffer } from 'node:buffer';
import type { Entry } from './json.ts';
import { charactersOf, emptySpans, referenceInText, spansFrom, spansOf } from './spans.ts';
import type { Spans } from './spans.ts';
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
