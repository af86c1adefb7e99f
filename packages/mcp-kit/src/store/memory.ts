import { createMemoryKv } from './memory-kv.ts';
import { createMemoryLog, type LogContent } from './memory-log.ts';
import { isOver, Table, type Slot, type Space } from './memory-table.ts';
import type { Kv, Log, Store, Synchronous } from './store.ts';

/** Bounds and surroundings of a memory store. */
export interface MemoryStoreOptions {
  /** What values and logs may take together, counted as two bytes per character plus a fixed overhead; 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many values, logs and log entries there may be together; 100 000. */
  readonly maxEntries?: number | undefined;
  /** What one log may take; 8 MiB. */
  readonly maxLogBytes?: number | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}

/** A store whose methods answer at once. */
export interface MemoryStore extends Store {
  readonly kv: Synchronous<Kv>;
  readonly log: Synchronous<Log>;
  close(): void;
}

const mebibyte = 1024 * 1024;

/**
 * A store within this process, synchronous and bounded. When full it drops what expired (noticed once a second), then
 * the least recently appended logs; a new value then drops the oldest values, a new log entry the oldest of its own log.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const {
    maxBytes = 64 * mebibyte,
    maxEntries = 100_000,
    maxLogBytes = 8 * mebibyte,
    now = () => performance.now(),
  } = options;
  const space: Space = { bytes: 0, count: 0, maxBytes, maxEntries };
  const logs = new Table<LogContent>(space, now);
  const values = new Table<string>(space, now);

  const makeRoom = (kept?: Slot<LogContent>): void => {
    logs.sweep();
    values.sweep();
    while (isOver(space) && logs.dropOldest(kept));
  };

  return {
    kv: createMemoryKv({ values, space, makeRoom }),
    log: createMemoryLog({ logs, space, maxLogBytes, makeRoom }),
    close() {
      logs.clear();
      values.clear();
    },
  };
}
