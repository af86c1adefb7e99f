import type { MaybePromise } from '#base';

/** What outlives a request, and may be shared by processes. */
export interface Store {
  readonly kv: Kv;
  readonly log: Log;
  /** Lets go of everything the store holds. */
  close(): MaybePromise<void>;
}

/** How long a write lasts. */
export interface WriteOptions {
  /** Positive. Without it a value stays until it is deleted, and a log keeps the lifetime it has. */
  readonly ttlMs?: number | undefined;
}

/** Values by key, all that most need of a store. Who writes says what is there: that is what keeps out whoever was away. */
export interface Values {
  get(key: string): MaybePromise<string | undefined>;
  /**
   * Writes `value` with its lifetime, or deletes (`undefined`), only while the key holds `expected` (`undefined`: nothing);
   * false when it holds something else.
   */
  cas(
    key: string,
    expected: string | undefined,
    value: string | undefined,
    options?: WriteOptions,
  ): MaybePromise<boolean>;
}

/** Values, and which there are. */
export interface Kv extends Values {
  /** The keys that begin with `prefix` and have a value, in order. It may look at every key: not for what is done often. */
  list(prefix: string): MaybePromise<readonly string[]>;
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

/** Logs by key, which only grow. Whose positions one writer gives, that writer finds out when somebody else has written. */
export interface Log {
  /**
   * Adds an entry and wakes who watches, in one step; returns its position: an integer above the last one of this key, or
   * `next`, which is also above those of a log of this key that is gone. `ttlMs` restarts the lifetime of the log.
   */
  append(
    key: string,
    position: number | 'next',
    data: string,
    options?: WriteOptions,
  ): MaybePromise<number>;
  /** Entries above `position`; a log that begins at n knows nothing of what came before n - 1. */
  readAfter(key: string, position: number, limit?: number): MaybePromise<LogRead>;
  /** Calls back soon after each append, whoever appends, and perhaps without one; the function returned ends that. */
  watch(key: string, woken: () => void): () => void;
  delete(key: string): MaybePromise<void>;
}

/** The same methods, answering at once. */
export type Synchronous<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Exclude<Answer, Promise<unknown>>
    : T[Name];
};
