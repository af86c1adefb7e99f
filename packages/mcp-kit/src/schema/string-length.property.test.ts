import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasAtLeast, hasAtMost } from './string-length.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const text = fc.string({ unit: fc.constantFrom('a', 'é', '世', '😀', '\ud83d'), maxLength: 12 });

test('the length of a text is its number of characters, whatever they take to write', () => {
  fc.assert(
    fc.property(text, fc.nat({ max: 14 }), (value, limit) => {
      const characters = Array.from(value).length;
      expect(hasAtLeast(value, limit)).toBe(characters >= limit);
      expect(hasAtMost(value, limit)).toBe(characters <= limit);
    }),
    { numRuns },
  );
});

test('a long text is checked without being walked', () => {
  const long = 'x'.repeat(16 * 1024 * 1024);
  const before = process.cpuUsage();
  for (let round = 0; round < 1000; round++) {
    expect(hasAtLeast(long, 1) && !hasAtMost(long, 100)).toBe(true);
  }
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
