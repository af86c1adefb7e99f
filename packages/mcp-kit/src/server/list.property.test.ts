import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RpcError, rpcErrors } from '#jsonrpc';
import type { Context } from './context.ts';
import { listMethod } from './list.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

/** All that a list looks at. */
const context = { client: { era: 'legacy' } } as Context;

interface Page {
  readonly items: readonly { readonly at: number }[];
  readonly nextCursor?: string;
}

function listOf(size: number, pageSize: number) {
  const items = Array.from({ length: size }, (_, at) => ({ at }));
  const list = listMethod({ member: 'items', items: () => items, show: (item) => item, pageSize });
  const read = (cursor?: unknown): Page => {
    const { json } = list.handle(cursor === undefined ? {} : { cursor }, context);
    return JSON.parse(json) as Page;
  };
  return { list, read };
}

test('following the cursors gives every item once, in order', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 15 }), (size, pageSize) => {
      const { read } = listOf(size, pageSize);
      const seen: number[] = [];
      let page = read();
      for (;;) {
        assert.ok(page.items.length <= pageSize);
        seen.push(...page.items.map(({ at }) => at));
        if (page.nextCursor === undefined) break;
        page = read(page.nextCursor);
      }
      assert.deepEqual(seen, [...Array(size).keys()]);
    }),
    { numRuns },
  );
});

test('only cursors we gave out are good: any other is invalid params', () => {
  const { read } = listOf(100, 10);
  const given = new Set<unknown>();
  for (let page = read(); page.nextCursor !== undefined; page = read(page.nextCursor)) {
    given.add(page.nextCursor);
  }
  const cursor = fc.oneof(
    fc.constantFrom(...given),
    fc.nat(150).map((offset) => Buffer.from(`at:${offset}`).toString('base64url')),
    fc.string().map((text) => Buffer.from(text).toString('base64url')),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, 10, [], {}, '', 'YXQ6MTA=', 'YXQ6MDEw', 'YXQ6LTEw', 'YXQ6MTAuMA'),
  );
  fc.assert(
    fc.property(cursor, (claimed) => {
      try {
        read(claimed);
        assert.ok(given.has(claimed));
      } catch (error) {
        assert.ok(error instanceof RpcError && error.code === rpcErrors.invalidParams);
        assert.ok(!given.has(claimed));
      }
    }),
    { numRuns },
  );
});

test('made-up cursors cannot fill the memory with pages', () => {
  const { list } = listOf(5000, 1000);
  const pages = new Set<object>();
  for (let offset = 1; offset < 5000; offset++) {
    const cursor = Buffer.from(`at:${offset}`).toString('base64url');
    try {
      pages.add(list.handle({ cursor }, context));
    } catch {
      // Refused: nothing was made.
    }
  }
  expect(pages.size).toBeLessThanOrEqual(5);
});
