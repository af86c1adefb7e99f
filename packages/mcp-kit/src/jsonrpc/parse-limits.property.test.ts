import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultLimits, survey, type Limits } from './parse.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const exceeds = (text: string, limits: Limits) =>
  survey({ bytes: Buffer.from(text) }, limits).excess;

/** The same judgement, made the obvious way: parse, walk, count. An empty container counts like one element, a member like two. */
function count(value: unknown): { readonly depth: number; readonly elements: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, elements: 0 };
  const inner = Object.values(value).map(count);
  return {
    depth: 1 + Math.max(0, ...inner.map((part) => part.depth)),
    elements:
      Math.max(1, (Array.isArray(value) ? 1 : 2) * inner.length) +
      inner.reduce((sum, part) => sum + part.elements, 0),
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
      const text = JSON.stringify(value, undefined, indent);
      assert.equal(exceeds(text, bounds) !== undefined, tooMuch);
    }),
    { numRuns },
  );
});

test('what exceeds a limit is named by that limit', () => {
  const bounds: Limits = { maxBytes: 1000, maxDepth: 3, maxElements: 5 };
  expect(exceeds('[[[[]]]]', bounds)).toBe('nested deeper than 3');
  expect(exceeds('[1,2,3,4,5,6]', bounds)).toBe('more than 5 elements');
  expect(exceeds('[1,2,3,4,5]', bounds)).toBeUndefined();
  expect(exceeds('{"a":1,"b":2}', bounds)).toBeUndefined();
  expect(exceeds('{"a":1,"b":2,"c":3}', bounds)).toBe('more than 5 elements');
});

test('string values may be long, and all else together may not', () => {
  const bounds: Limits = { maxBytes: Infinity, maxDepth: 3, maxElements: 100 };
  const most = 64 * 1024 + 40 * 100;
  const over = `more than ${most} bytes beside string values`;
  const filled = (around: (filling: string) => string, filling: string) =>
    around(filling.repeat(most - around('').length));
  const shapes: [(filling: string) => string, string][] = [
    [(digits) => `[1${digits}]`, '1'],
    [(spaces) => `["",${spaces}2]`, ' '],
    [(name) => `{"${name}":1}`, 'x'],
    [(name) => `[{"${name}" : 1},{"b":2}]`, 'x'],
  ];
  for (const [around, filling] of shapes) {
    const text = filled(around, filling);
    expect(exceeds(text, bounds), `filled with ${filling}`).toBeUndefined();
    expect(exceeds(text.replace(filling, filling + filling), bounds)).toBe(over);
  }
  expect(
    exceeds(`["${'x'.repeat(10 * most)}",{"a":"${'\\"'.repeat(most)}"}]`, bounds),
  ).toBeUndefined();
});

test('any text at all is judged without a throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), limits, (text, bounds) => {
      exceeds(text, bounds);
    }),
    { numRuns },
  );
});

test('what follows a string with many escapes is counted', () => {
  const bounds: Limits = { maxBytes: Infinity, maxDepth: 3, maxElements: 5 };
  for (const unit of ['"', '\\', '\\"', 'x"', '\n', 'é"']) {
    for (const times of [47, 48, 4095, 4096, 4097, 8192, 10_000]) {
      const string = JSON.stringify(unit.repeat(times));
      expect(exceeds(`[${string},1,2,3,4]`, bounds), `${times} ${unit}`).toBeUndefined();
      expect(exceeds(`[${string},1,2,3,4,5]`, bounds), `${times} ${unit}`).toBeDefined();
    }
  }
});

test.each([
  ['objects with names of their own', (at: number) => `{"k${at}":1}`],
  ['names in one object', (at: number) => `"${at} of many":1`],
  ['names before a space', (at: number) => `"${at}" :1`],
])('%s count for more than their values', (_what, member) => {
  const judged = (of: (at: number) => number): string | undefined => {
    const list = Array.from({ length: 20_000 }, (_, at) => member(of(at))).join(',');
    const text = list.startsWith('{') ? `[${list}]` : `{${list}}`;
    return survey({ bytes: Buffer.from(text) }, defaultLimits).excess;
  };
  expect(judged((at) => at)).toBe('more than 100000 elements');
  expect(judged((at) => at % 2000)).toBeUndefined();
});
