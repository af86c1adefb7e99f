import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { exceeds, type Limits } from './limits.ts';

vi.setConfig({ testTimeout: 120_000 });
const numRuns = Number(process.env['PROPERTY_RUNS']);

/** The same judgement, made the obvious way: parse, walk, count. An empty container counts like one element. */
function count(value: unknown): { readonly depth: number; readonly elements: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, elements: 0 };
  const inner = Object.values(value).map(count);
  return {
    depth: 1 + Math.max(0, ...inner.map((part) => part.depth)),
    elements: Math.max(1, inner.length) + inner.reduce((sum, part) => sum + part.elements, 0),
  };
}

/** Strings that look like structure, and end in the ways that make scanners stumble. */
const trickyString = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'é', '\n', 'x') }),
  fc.string({ unit: fc.constantFrom('\\', '"', 'y'), minLength: 40, maxLength: 60 }),
  fc.nat(60).map((length) => `${'a'.repeat(length)}"\\`),
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    trickyString,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(trickyString, tie('tree'), { maxKeys: 5 }),
  ),
}));

const limits = fc.record({
  maxBytes: fc.constant(Number.MAX_SAFE_INTEGER),
  maxDepth: fc.nat(7),
  maxElements: fc.nat(30),
});

test('nesting and elements are judged as parsing and counting would judge them', () => {
  fc.assert(
    fc.property(tree, limits, fc.constantFrom('', ' ', '\n\t'), (value, bounds, indent) => {
      const { depth, elements } = count(value);
      const tooMuch = depth > bounds.maxDepth || elements > bounds.maxElements;
      const bytes = Buffer.from(JSON.stringify(value, undefined, indent));
      assert.equal(exceeds(bytes, bounds) !== undefined, tooMuch);
    }),
    { numRuns },
  );
});

test('what exceeds a limit is named by that limit', () => {
  const bounds: Limits = { maxBytes: 1000, maxDepth: 3, maxElements: 5 };
  expect(exceeds(Buffer.from('[[[[]]]]'), bounds)).toBe('nested deeper than 3');
  expect(exceeds(Buffer.from('[1,2,3,4,5,6]'), bounds)).toBe('more than 5 elements');
  expect(exceeds(Buffer.from('[1,2,3,4,5]'), bounds)).toBeUndefined();
});

test('any bytes at all are judged without a throw, and in one pass', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), limits, (bytes, bounds) => {
      exceeds(bytes, bounds);
    }),
    { numRuns },
  );
  const unlimited = { maxBytes: Infinity, maxDepth: 10, maxElements: 10 };
  const hostile = Buffer.from(`"${'\\'.repeat(4_000_001)}"${'\\"'.repeat(1_000_000)}`);
  const started = performance.now();
  expect(exceeds(hostile, unlimited)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(1000);
});
