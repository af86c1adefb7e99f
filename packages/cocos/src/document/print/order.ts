import type { Entry } from '../json.ts';
import type { Table } from '../table.ts';
import { pushKnownRefs } from './layout.ts';
import type { PushRefs } from './layout.ts';

/** The numbers of all objects that the first one leads to, in the order in which the editor writes them. */
export function visitOrder(objects: readonly (Entry | undefined)[], push: PushRefs): number[] {
  const seen = new Uint8Array(objects.length);
  const order: number[] = [];
  const waiting = [0];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const entry = objects[index];
    if (entry === undefined || seen[index] === 1) continue;
    seen[index] = 1;
    order.push(index);
    push(index, entry, waiting);
  }
  return order;
}

/** The numbers of the objects that the first one still leads to when some are gone. */
export function reachedWithout(table: Table, gone: ReadonlySet<number>): Set<number> {
  const staying = table.objects.map((entry, index) => (gone.has(index) ? undefined : entry));
  return new Set(visitOrder(staying, pushKnownRefs(table)));
}

/** The numbers of the objects to print, in order: as the editor would write them, or else as they are without what was removed. */
function printOrder(table: Table): number[] {
  const { objects } = table;
  const { canonical, unreachable } = table.arrangement();
  const visited = visitOrder(objects, pushKnownRefs(table));
  if (canonical) return visited;
  const kept = new Set([...visited, ...unreachable]);
  const before = table.order ?? [];
  return [...new Set([...before, ...objects.keys()])].filter((index) => kept.has(index));
}

/** A table as it is printed: without what nothing leads to any more, and in order. */
export function settled(table: Table): Table {
  const order = printOrder(table);
  const isInOrder = order.every((index, place) => index === place);
  if (isInOrder && order.length === table.objects.length) return { ...table, order: undefined };
  const objects: (Entry | undefined)[] = table.objects.map(() => undefined);
  for (const index of order) objects[index] = table.objects[index];
  return { ...table, objects, order: Uint32Array.from(order) };
}

/** The numbers of the objects of a table in the order of its file. */
export function fileOrder({ objects, order }: Table): Uint32Array {
  if (order !== undefined) return order;
  const all = new Uint32Array(objects.length);
  for (let index = 0; index < all.length; index += 1) all[index] = index;
  return all;
}

/** Tells where among the objects of its file an object of a table is; -1 for what the file does not have. */
export function placesIn(table: Table): Int32Array {
  const places = new Int32Array(table.objects.length).fill(-1);
  fileOrder(table).forEach((index, place) => {
    places[index] = place;
  });
  return places;
}
