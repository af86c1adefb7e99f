import { KitError } from '#base';
import { isOver, newSlot, weightOf, type Table, type Space } from './memory-table.ts';
import type { Kv, Synchronous, WriteOptions } from './store.ts';

/** Where the values are and what bounds them. */
export interface MemoryKvOptions {
  readonly values: Table<string>;
  readonly space: Space;
  /** Frees what expired, and then the logs. */
  readonly makeRoom: () => void;
}

/** Values in a table; the oldest go only when neither a expired one nor a log is left to drop. */
export function createMemoryKv({ values, space, makeRoom }: MemoryKvOptions): Synchronous<Kv> {
  const put = (key: string, value: string, { ttlMs }: WriteOptions = {}): void => {
    const slot = newSlot(key, value);
    slot.bytes += weightOf(value);
    if (slot.bytes > space.maxBytes) {
      throw new KitError(
        'invalid_argument',
        `the value of "${key}" takes ${slot.bytes} bytes; the whole store holds ${space.maxBytes}`,
      );
    }
    if (ttlMs !== undefined) values.expireAfter(slot, ttlMs);
    const former = values.get(key);
    if (former !== undefined) values.drop(former);
    values.add(slot);
    if (isOver(space)) makeRoom();
    while (isOver(space) && values.dropOldest(slot));
  };

  return {
    get: (key) => values.get(key)?.content,
    cas(key, expected, value, options) {
      const slot = values.get(key);
      if (slot?.content !== expected) return false;
      if (value !== undefined) put(key, value, options);
      else if (slot !== undefined) values.drop(slot);
      return true;
    },
    list: (prefix) => values.keys().filter((key) => key.startsWith(prefix)),
  };
}
