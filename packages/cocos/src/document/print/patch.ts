import { Buffer } from 'node:buffer';
import { eachRef, withRefs } from '../json.ts';
import type { Entry } from '../json.ts';
import type { Table } from '../table.ts';
import type { TextStyle } from '../text.ts';
import { byteWriter, digitCount, type ByteWriter } from './byte-writer.ts';
import { charactersOf, digitsIn, emptyLayout, layoutOf, type Layout } from './layout.ts';
import { fileOrder, placesIn } from './order.ts';
import { takeRoom } from './room.ts';
import { withSource } from './source.ts';

/** What a file becomes. */
export interface Patch {
  /** What it was. */
  readonly base: Table | undefined;
  /** What it is to be, settled. */
  readonly table: Table;
  /** The objects that are not as they were read. */
  readonly changed: ReadonlySet<number>;
  /** Whether everything leads to the objects that it led to before. */
  readonly hangsAsBefore: boolean;
}

/** The bytes of a file, and where in them objects are. */
export interface Patched {
  readonly bytes: Uint8Array;
  /** What the bytes are in. */
  readonly room: Uint8Array;
  readonly layout: Layout;
}

/** The file with only what changed printed anew; undefined where it is not written as it would have to be. */
export function patch({ base, table, changed, hangsAsBefore }: Patch): Patched | undefined {
  const before = base && layoutOf(base);
  if (base === undefined || before === undefined) return undefined;
  const places = { of: placesIn(table), hangsAsBefore };
  const printed = new Map<number, PrintedObject>();
  for (const index of changed) {
    if (table.objects[index] === undefined) continue;
    const object = printObject(table.objects[index] ?? {}, places, table.style);
    if (object === undefined) return undefined;
    printed.set(index, object);
  }
  const work = {
    before,
    orderBefore: fileOrder(base),
    placesBefore: placesIn(base),
    table,
    order: fileOrder(table),
    places,
    printed,
  };
  return withSource(base, (source) => rewrite({ ...work, source }));
}

/** An object that is printed anew. */
interface PrintedObject {
  readonly bytes: Uint8Array;
  /** What it refers to, and where in the bytes the digits of that are. */
  readonly refs: readonly number[];
  readonly digits: readonly number[];
}

/** Prints an object; undefined where a reference of it would name nothing, so that the file would not be what the table is. */
function printObject(
  entry: Entry,
  places: Places,
  { eol, indent }: TextStyle,
): PrintedObject | undefined {
  const refs: number[] = [];
  eachRef(entry, (index) => refs.push(index));
  if (refs.some((index) => placeOf(index, places) === null)) return undefined;
  const text = JSON.stringify(placed(entry, places), null, indent);
  const bytes = Buffer.from(text.replaceAll('\n', `${eol}${indent}`));
  const digits = digitsIn(charactersOf(bytes), refs.length);
  return digits && { bytes, refs, digits };
}

/** Where the objects of a table are in its file. */
export interface Places {
  readonly of: Int32Array;
  readonly hangsAsBefore: boolean;
}

/** The place that a reference names. One that names nothing stays as it is, unless it might come to name something. */
function placeOf(index: number, { of, hangsAsBefore }: Places): number | null {
  const place = of[index] ?? -1;
  if (place >= 0) return place;
  return hangsAsBefore ? index : null;
}

/** An object as the file has it. */
export function placed(entry: Entry, places: Places): Entry {
  return withRefs(entry, (index) => placeOf(index, places));
}

/** A file that is written anew from what it was. */
interface Rewriting {
  readonly source: Uint8Array;
  readonly before: Layout;
  readonly orderBefore: Uint32Array;
  readonly placesBefore: Int32Array;
  readonly table: Table;
  readonly order: Uint32Array;
  readonly places: Places;
  /** What is not copied from the source. */
  readonly printed: ReadonlyMap<number, PrintedObject>;
}

function rewrite(work: Rewriting): Patched | undefined {
  const { source, before, orderBefore, table, order, printed } = work;
  const between = Buffer.from(`,${table.style.eol}${table.style.indent}`);
  const room = takeRoom(sizeOf(work, between.length));
  const out = byteWriter(source, room);
  const layout = layoutFor(work);
  const to = { ...work, out, layout };
  out.copy(0, before.starts[orderBefore[0] ?? 0] ?? 0);
  let first = 0;
  for (let place = 0; place < order.length; place += 1) {
    const index = order[place] ?? 0;
    const object = printed.get(index);
    const start = before.starts[index] ?? 0;
    // What follows another as it did before is copied with what is between them.
    const follows = object === undefined && place > 0 && out.isAt(start - between.length);
    if (follows) out.copy(start - between.length, start);
    else if (place > 0) out.write(between);
    layout.starts[index] = out.length();
    layout.firstRefs[index] = first;
    const count = object ? writeNew(to, first, object) : writeOld(to, first, index);
    if (count === undefined) return undefined;
    layout.ends[index] = out.length();
    layout.refCounts[index] = count;
    first += count;
  }
  out.copy(before.ends[orderBefore.at(-1) ?? 0] ?? 0, source.length);
  return { bytes: out.bytes(), room, layout };
}

/** What the layout of the written file has room for. */
function layoutFor({ before, table, order, printed }: Rewriting): Layout {
  let references = 0;
  for (const index of order) {
    references += printed.get(index)?.refs.length ?? before.refCounts[index] ?? 0;
  }
  return emptyLayout(table.objects.length, references);
}

/** More than the written file can have. */
function sizeOf({ source, before, order, printed }: Rewriting, between: number): number {
  let size = source.length + before.refsTo.length * digitCount(order.length);
  for (const { bytes } of printed.values()) size += bytes.length + between;
  return size;
}

/** The same while it is written. */
interface Writing extends Rewriting {
  readonly out: ByteWriter;
  readonly layout: Layout;
}

/** Writes an object that was printed anew, whose first reference has a number; answers how many it has. */
function writeNew(
  { out, layout }: Writing,
  first: number,
  { bytes, refs, digits }: PrintedObject,
): number {
  const start = out.length();
  for (const [at, to] of refs.entries()) {
    layout.refsAt[first + at] = start + (digits[at] ?? 0);
    layout.refsTo[first + at] = to;
  }
  out.write(bytes);
  return refs.length;
}

/** Copies an object but for the places of others in it; undefined where one would name nothing. */
function writeOld(
  { out, layout, before, places, placesBefore }: Writing,
  first: number,
  index: number,
): number | undefined {
  const start = before.firstRefs[index] ?? 0;
  const count = before.refCounts[index] ?? 0;
  let from = before.starts[index] ?? 0;
  for (let at = 0; at < count; at += 1) {
    const to = before.refsTo[start + at] ?? 0;
    const digits = before.refsAt[start + at] ?? 0;
    const place = placeOf(to, places);
    if (place === null) return undefined;
    const old = placesBefore[to] ?? to;
    const written = out.length() + digits - from;
    layout.refsTo[first + at] = to;
    layout.refsAt[first + at] = written;
    if (place === old) continue;
    if (digitCount(place) === digitCount(old)) {
      out.overwriteNumber(written, place);
      continue;
    }
    out.copy(from, digits);
    out.writeNumber(place);
    from = digits + digitCount(old);
  }
  out.copy(from, before.ends[index] ?? 0);
  return count;
}
