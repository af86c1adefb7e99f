import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, digestOf } from './canonical.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);
const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => {
  // The generator makes half surrogate pairs, too.
  return (
    !/\p{Surrogate}/u.test(JSON.stringify(value)) && !/\\ud[89a-f]/i.test(JSON.stringify(value))
  );
});

/** The same value, with the members of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reordered(member)] as const);
  return Object.fromEntries(members.toReversed());
}

test('the text means the value', () => {
  fc.assert(
    fc.property(json, (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns },
  );
});

test('the order of members does not matter', () => {
  fc.assert(
    fc.property(json, (value) => {
      assert.equal(canonicalJson(reordered(value)), canonicalJson(value));
      assert.equal(digestOf(reordered(value)), digestOf(value));
    }),
    { numRuns },
  );
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const same = canonicalJson(one) === canonicalJson(other);
      const [first, second] = [one, other].map(
        (value) => JSON.parse(JSON.stringify(value)) as unknown,
      );
      if (same) assert.deepEqual(first, second);
      else assert.notDeepEqual(first, second);
    }),
    { numRuns },
  );
});

test.each<[unknown, string]>([
  [{ b: 1, a: { d: [], c: null } }, '{"a":{"c":null,"d":[]},"b":1}'],
  // The examples of RFC 8785 for numbers and for the order of names.
  [
    [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
  ],
  [
    { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 },
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"\u20ac":1,"😀":5,"\ufb33":3}',
  ],
  ['\u20ac$\u000f\nA\'B"\\\\"/', '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
  [{ a: undefined, b: true }, '{"b":true}'],
  [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
])('%j has one text', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
  const digest = createHash('sha256').update(text).digest('hex');
  expect(digestOf(value)).toBe(`sha256:${digest}`);
});

const endless: unknown[] = [];
endless.push(endless);

test.each([
  ['half a surrogate pair', '\ud800'],
  ['half a surrogate pair in a name', { '\udc00': 1 }],
  ['NaN', Number.NaN],
  ['infinity', Infinity],
  ['nothing', undefined],
  ['nothing in an array', [undefined]],
  ['a function', { a: () => {} }],
  ['a bigint', 1n],
  ['an endless array', endless],
])('%s has none', (_, value) => {
  expect(() => canonicalJson(value)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: expect.stringContaining('cannot be fingerprinted'),
    }),
  );
});
