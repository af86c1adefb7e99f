import assert from 'node:assert/strict';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Bytes that only a full collection frees, after so many entries have come and gone. */
function leftBehind(come: (key: number, value: object) => void, go: (key: number) => void): number {
  come(-1, {});
  go(-1);
  // What has lived through two collections is old.
  collect();
  collect();
  const before = getHeapStatistics().used_heap_size;
  for (let key = 0; key < 20_000; key++) {
    come(
      key,
      Array.from({ length: 250 }, () => key),
    );
    if (key >= 64) go(key - 64);
  }
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  const left = getHeapStatistics().used_heap_size - before;
  for (let key = 20_000 - 64; key < 20_000; key++) go(key);
  return left;
}

test('what has left is not kept by the tables that V8 leaves behind', () => {
  const places = new ShortLivedMap<number, object>();
  const left = leftBehind(
    (key, value) => places.set(key, value),
    (key) => places.take(key),
  );
  expect(left).toBeLessThan(4_000_000);
});

test('gives, replaces and takes out, in the order in which entries came', () => {
  const map = new ShortLivedMap<string, { readonly n: number }>();
  map.set('a', { n: 1 });
  map.set('b', { n: 2 });
  map.set('a', { n: 3 });
  assert.deepEqual([...map.values()], [{ n: 3 }, { n: 2 }]);
  assert.deepEqual(map.take('a'), { n: 3 });
  assert.equal(map.take('a'), undefined);
  assert.equal(map.get('a'), undefined);
  assert.equal(map.size, 1);
  map.clear();
  assert.deepEqual([map.size, [...map.values()]], [0, []]);
});
