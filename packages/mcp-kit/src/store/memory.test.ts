import { describe, expect, test } from 'vitest';
import { createMemoryStore, type MemoryStore } from './memory.ts';
import { weightOf } from './memory-table.ts';
import type { WriteOptions } from './store.ts';

const kilobyte = 'x'.repeat(512);
const nothingKnown = { entries: [], complete: false };

function positions(store: MemoryStore, key: string): readonly number[] {
  return store.log.readAfter(key, 0).entries.map(({ position }) => position);
}

function put({ kv }: MemoryStore, key: string, value: string, options?: WriteOptions): void {
  kv.cas(key, kv.get(key), value, options);
}

describe('a log over its own bound', () => {
  test('loses its oldest entries and says so', () => {
    const store = createMemoryStore({ maxLogBytes: weightOf('k') + 3 * weightOf(kilobyte) });
    for (let position = 1; position <= 5; position += 1) store.log.append('k', position, kilobyte);
    expect(positions(store, 'k')).toEqual([3, 4, 5]);
    expect(store.log.readAfter('k', 1)).toMatchObject({ complete: false });
    expect(store.log.readAfter('k', 2)).toMatchObject({ complete: true });
  });

  test('keeps nothing of an entry that alone is too big', () => {
    const store = createMemoryStore({ maxLogBytes: 1000 });
    store.log.append('k', 1, kilobyte);
    expect(store.log.readAfter('k', 0)).toEqual(nothingKnown);
    expect(store.log.readAfter('k', 1)).toEqual({ entries: [], complete: true });
    store.log.append('k', 2, 'small');
    expect(positions(store, 'k')).toEqual([2]);
  });

  test('does not cost other logs anything', () => {
    const store = createMemoryStore({ maxLogBytes: 3000 });
    store.log.append('other', 1, 'x');
    for (let position = 1; position <= 100; position += 1)
      store.log.append('k', position, kilobyte);
    expect(positions(store, 'other')).toEqual([1]);
  });
});

describe('a full store', () => {
  const logWeight = weightOf('a') + weightOf(kilobyte);

  test('drops the least recently appended log', () => {
    const store = createMemoryStore({ maxBytes: 3 * logWeight + 200 });
    for (const key of ['a', 'b', 'c']) store.log.append(key, 1, kilobyte);
    store.log.append('a', 2, '');
    store.log.append('d', 1, kilobyte);
    expect(store.log.readAfter('b', 0)).toEqual(nothingKnown);
    expect(positions(store, 'a')).toEqual([1, 2]);
    expect(positions(store, 'c')).toEqual([1]);
    expect(positions(store, 'd')).toEqual([1]);
  });

  test('drops what expired before anything that lives', () => {
    let time = 0;
    const store = createMemoryStore({ maxBytes: 3 * logWeight + 200, now: () => time });
    store.log.append('a', 1, kilobyte);
    store.log.append('b', 1, kilobyte, { ttlMs: 1000 });
    put(store, 'c', kilobyte, { ttlMs: 500 });
    time = 3000;
    store.log.append('d', 1, kilobyte);
    store.log.append('e', 1, kilobyte);
    expect(positions(store, 'a')).toEqual([1]);
    expect(positions(store, 'e')).toEqual([1]);
  });

  test('gives up logs for a value, and values only for values, the oldest first', () => {
    const store = createMemoryStore({ maxEntries: 3 });
    put(store, 'one', '1');
    store.log.append('log', 1, 'x');
    put(store, 'two', '2');
    expect(store.log.readAfter('log', 0)).toEqual(nothingKnown);
    put(store, 'three', '3');
    put(store, 'one', 'written again');
    put(store, 'four', '4');
    expect(store.kv.get('two')).toBeUndefined();
    expect(store.kv.get('one')).toBe('written again');
  });

  test('never gives up a value for a log', () => {
    const store = createMemoryStore({ maxEntries: 4 });
    put(store, 'one', '1');
    put(store, 'two', '2');
    for (let position = 1; position <= 9; position += 1) store.log.append('log', position, 'x');
    expect(positions(store, 'log')).toEqual([9]);
    expect(store.log.readAfter('log', 7)).toMatchObject({ complete: false });
    put(store, 'three', '3');
    put(store, 'four', '4');
    store.log.append('log', 10, 'x');
    expect(store.log.readAfter('log', 9)).toEqual(nothingKnown);
    const values = ['one', 'two', 'three', 'four'].map((key) => store.kv.get(key));
    expect(values).toEqual(['1', '2', '3', '4']);
  });

  test('refuses a value that could never fit', () => {
    const store = createMemoryStore({ maxBytes: 1000 });
    put(store, 'k', 'kept');
    expect(() => put(store, 'k', kilobyte)).toThrow('takes');
    expect(store.kv.get('k')).toBe('kept');
  });

  test('does not let an evicted log pass for a complete one', () => {
    const store = createMemoryStore({ maxEntries: 6 });
    for (const position of [1, 2]) store.log.append('a', position, 'x');
    for (const position of [1, 2, 3]) store.log.append('b', position, 'x');
    store.log.append('a', 3, 'x');
    expect(store.log.readAfter('a', 1)).toEqual({
      entries: [{ position: 3, data: 'x' }],
      complete: false,
    });
  });
});

test('what is deleted, replaced or expired leaves its room to others', () => {
  let time = 0;
  const store = createMemoryStore({ maxBytes: 20_000, maxEntries: 20, now: () => time });
  put(store, 'kept', 'kept');
  for (let round = 1; round <= 5000; round += 1) {
    time += 300;
    store.log.append(`log ${round}`, 1, kilobyte);
    store.log.append(`log ${round}`, 2, kilobyte);
    put(store, 'value', kilobyte);
    put(store, `lapsing ${round}`, 'x', { ttlMs: 500 });
    store.log.delete(`log ${round}`);
  }
  expect(store.kv.get('kept')).toBe('kept');
});

test('a log that is appended to in time outlives many lifetimes', () => {
  let time = 0;
  const store = createMemoryStore({ now: () => time });
  for (let position = 1; position <= 20; position += 1) {
    store.log.append('k', position, 'x', { ttlMs: 1500 });
    store.log.append(`other ${position}`, 1, 'x', { ttlMs: 10 });
    time += 1400;
  }
  expect(positions(store, 'k')).toHaveLength(20);
  time += 200;
  expect(store.log.readAfter('k', 0)).toEqual(nothingKnown);
});

test('a hundred thousand short-lived logs a second are little work', () => {
  const store = createMemoryStore();
  const rounds = 100_000;
  const ms = leastOf(3, () => {
    for (let round = 0; round < rounds; round += 1) {
      const key = `log ${round}`;
      store.log.append(key, 1, 'x', { ttlMs: 300_000 });
      store.log.append(key, 2, 'x', { ttlMs: 300_000 });
      store.log.delete(key);
    }
  });
  expect(ms).toBeLessThan(1000);
});

test('the log of one key loses its head at a constant cost', () => {
  const store = createMemoryStore({ maxLogBytes: weightOf('k') + 20_000 * weightOf('x') });
  let position = 0;
  const ms = leastOf(3, () => {
    for (const end = position + 200_000; position < end;) {
      position += 1;
      store.log.append('k', position, 'x');
    }
  });
  expect(ms).toBeLessThan(1500);
  expect(positions(store, 'k')).toHaveLength(20_000);
});

test('a closed store is empty', () => {
  const store = createMemoryStore();
  put(store, 'k', 'v');
  store.log.append('k', 1, 'x');
  store.close();
  expect(store.kv.get('k')).toBeUndefined();
  expect(store.log.readAfter('k', 0)).toEqual(nothingKnown);
});

/** The CPU time of the quickest of several tries, in milliseconds. */
function leastOf(tries: number, work: () => void): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
