import type { LogRead } from 'mcp-kit/store';

/** What can be asked of the database, by name: what is given, and what comes back. */
export interface Operations {
  get(key: string): string | undefined;
  put(key: string, value: string, ttlMs: number | undefined): void;
  cas(key: string, expected: string | undefined, value: string, ttlMs: number | undefined): boolean;
  delete(key: string): boolean;
  append(key: string, position: number, data: string, ttlMs: number | undefined): void;
  readAfter(key: string, position: number, limit: number): LogRead;
  deleteLog(key: string): void;
}

/** One of them, with what it is given. */
export type Operation = {
  readonly [Name in keyof Operations]: readonly [
    name: Name,
    ...given: Parameters<Operations[Name]>,
  ];
}[keyof Operations];

/** What became of one: its answer, or why there is none. */
export type Outcome = { readonly answer: unknown } | { readonly failure: Failure };

/** `invalid`: it can never be done. `full`: there is no room. `broken`: the database failed. */
export interface Failure {
  readonly kind: 'invalid' | 'full' | 'broken';
  readonly message: string;
}

/** Operations that change nothing. */
export const reads: ReadonlySet<keyof Operations> = new Set(['get', 'readAfter']);
