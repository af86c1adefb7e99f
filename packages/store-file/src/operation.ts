import type { LogRead } from 'mcp-kit/store';

/** What can be asked of the database, by name: what is given, and what comes back. */
export interface Operations {
  get(key: string): string | undefined;
  cas(
    key: string,
    expected: string | undefined,
    value: string | undefined,
    ttlMs: number | undefined,
  ): boolean;
  list(prefix: string): readonly string[];
  append(key: string, position: number | 'next', data: string, ttlMs: number | undefined): number;
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

/** What the thread is told: what is to be done, or the logs that somebody watches. Nothing to do ends it. */
export type Said = readonly Operation[] | { readonly watched: readonly string[] };

/** What the thread says: what became of what was asked, or the logs that somebody has added to. */
export type Told = readonly Outcome[] | { readonly woken: readonly string[] };

/** What became of one: its answer, or why there is none. */
export type Outcome = { readonly answer: unknown } | { readonly failure: Failure };

/** `invalid`: it can never be done. `full`: there is no room. `broken`: the database failed. */
export interface Failure {
  readonly kind: 'invalid' | 'full' | 'broken';
  readonly message: string;
}

/** Operations that change nothing. */
export const reads: ReadonlySet<keyof Operations> = new Set(['get', 'list', 'readAfter']);
