import type { Table } from '../table.ts';

/** Lets `use` look at the bytes of a file, which are there only for as long as it does; undefined where there are none. */
export type ReadSource = <Result>(use: (bytes: Uint8Array) => Result) => Result | undefined;

const sources = new WeakMap<Table, ReadSource>();

/** Notes how the file is read that a table was read from, or is written as. */
export function noteSource(table: Table, read: ReadSource): void {
  sources.set(table, read);
}

/** Lets `use` look at the file of a table; undefined where there is none, or it has become another. */
export function withSource<Result>(
  table: Table,
  use: (bytes: Uint8Array) => Result,
): Result | undefined {
  return sources.get(table)?.(use);
}

/** The file is these bytes, which nobody changes. */
export const heldSource =
  (bytes: Uint8Array): ReadSource =>
  (use) =>
    use(bytes);
