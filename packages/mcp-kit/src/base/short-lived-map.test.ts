import assert from 'node:assert/strict';
import { test } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

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
