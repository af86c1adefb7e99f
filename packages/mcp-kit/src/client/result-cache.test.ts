import { expect, test } from 'vitest';
import { ResultCache } from './result-cache.ts';

test('a cache holds the newest of too many results', () => {
  const cache = new ResultCache();
  for (let page = 0; page <= 500; page += 1) {
    cache.keep('tools/list', { cursor: `${page}` }, { tools: [], ttlMs: 60_000 });
  }
  const kept = [0, 1, 500].map((page) => cache.find('tools/list', { cursor: `${page}` }));
  expect(kept).toEqual([undefined, { tools: [], ttlMs: 60_000 }, { tools: [], ttlMs: 60_000 }]);
});

test('what is public stays when the rest is forgotten', () => {
  const cache = new ResultCache();
  cache.keep('tools/list', undefined, { tools: [], ttlMs: 60_000, cacheScope: 'public' });
  cache.keep('prompts/list', undefined, { prompts: [], ttlMs: 60_000, cacheScope: 'private' });
  cache.clear();
  expect(cache.find('tools/list', undefined)).toBeDefined();
  expect(cache.find('prompts/list', undefined)).toBeUndefined();
});
