import type { MaybePromise } from '#base';

/** What a server keeps outside its own stack: values and logs. */
export interface Store {
  readonly kv: Kv;
  readonly log: Log;
  /** Lets go of everything the store holds. */
  close(): MaybePromise<void>;
}

/** How long a write lasts. */
export interface WriteOptions {
  /** Positive. Without it a value stays until deleted, and a log keeps the lifetime it has. */
  readonly ttlMs?: number | undefined;
}

/** Values by key. */
export interface Kv {
  get(key: string): MaybePromise<string | undefined>;
  /** Replaces the value and its lifetime. */
  put(key: string, value: string, options?: WriteOptions): MaybePromise<void>;
  /** Puts `value` only while the key holds `expected` (`undefined`: nothing); false when it held something else. */
  cas(
    key: string,
    expected: string | undefined,
    value: string,
    options?: WriteOptions,
  ): MaybePromise<boolean>;
  /** True when there was something to delete. */
  delete(key: string): MaybePromise<boolean>;
}

/** One line of a log. */
export interface LogEntry {
  readonly position: number;
  readonly data: string;
}

/** What a log still has after a position. */
export interface LogRead {
  /** In order of position, at most as many as asked for; the last position is where the next page starts. */
  readonly entries: readonly LogEntry[];
  /** False when something after the position was, or may have been, lost: evicted, expired, or never known. */
  readonly complete: boolean;
}

/** Append-only logs by key, whose positions the writer gives. */
export interface Log {
  /** Adds an entry; `position` is an integer above the last one of this key, and `ttlMs` restarts the lifetime of the log. */
  append(key: string, position: number, data: string, options?: WriteOptions): MaybePromise<void>;
  /** Entries above `position`; a log that begins at n knows nothing of what came before n - 1. */
  readAfter(key: string, position: number, limit?: number): MaybePromise<LogRead>;
  delete(key: string): MaybePromise<void>;
}

/** The same methods, answering at once. */
export type Synchronous<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Exclude<Answer, Promise<unknown>>
    : T[Name];
};
