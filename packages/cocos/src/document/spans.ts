import { Buffer } from 'node:buffer';
import { eachRef } from './json.ts';
import type { Table } from './table.ts';

/** Where each object is in the bytes of a file, from its first brace to its last. */
export interface Spans {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export function emptySpans(count: number): Spans {
  return { starts: new Uint32Array(count), ends: new Uint32Array(count) };
}

/** Those of so many objects from one on. */
export function spansFrom({ starts, ends }: Spans, first: number, count: number): Spans {
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
export const referenceInText: RegExp = /"__id__": (\d+)/g;

/** A character for each byte, whatever these stand for. */
export function charactersOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
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
