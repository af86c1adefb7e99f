import type { Row } from '../src/feed/row.ts';
import { createStore } from './store.ts';

export type { Row };

/** What this page keeps, beyond which the oldest go. */
const maxRows = 200_000;

/** All that was heard, in order, and what belongs together in it. */
export interface Book {
  readonly rows: readonly Row[];
  /** Answers by the number of what they answer. */
  readonly answers: ReadonlyMap<number, Row>;
  /** Rows that came while this page could not keep up, and are not kept any more. */
  readonly missed: number;
}

let rows: Row[] = [];
let answers = new Map<number, Row>();
let calls = new Map<number, Row[]>();
let missed = 0;

/** Grows with each row that comes. */
export const version = createStore(0);

export function addRows(more: readonly Row[], lost: number): void {
  missed += lost;
  const last = rows.at(-1)?.seq ?? 0;
  for (const row of more) {
    if (row.seq <= last) continue;
    rows.push(row);
    if (row.answers !== undefined) answers.set(row.answers, row);
    if (row.call === undefined) continue;
    const known = calls.get(row.call);
    if (known === undefined) calls.set(row.call, [row]);
    else known.push(row);
  }
  if (rows.length > maxRows * 1.1) forget(rows.length - maxRows);
  version.set(version.get() + 1);
}

/** Another run of the gateway: its numbers begin anew. */
export function clearRows(): void {
  rows = [];
  answers = new Map();
  calls = new Map();
  missed = 0;
  version.set(version.get() + 1);
}

export function book(): Book {
  return { rows, answers, missed };
}

/** All that belongs to a call, in order. */
export function rowsOfCall(call: number): readonly Row[] {
  return calls.get(call) ?? [];
}

export function rowAt(seq: number): Row | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return rows[low]?.seq === seq ? rows[low] : undefined;
}

function forget(count: number): void {
  for (const row of rows.slice(0, count)) {
    answers.delete(row.seq);
    if (row.call === row.seq) calls.delete(row.seq);
  }
  rows = rows.slice(count);
}
