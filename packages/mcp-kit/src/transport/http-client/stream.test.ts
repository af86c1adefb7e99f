import { expect, test } from 'vitest';
import { backOff } from './stream.ts';

const many = (failures: number, retryMs?: number): number[] =>
  Array.from({ length: 500 }, () => backOff(failures, retryMs));

test('the first wait is a second, and each is longer than the one before, up to half a minute', () => {
  for (const [failures, ms] of [
    [0, 1000],
    [1, 1600],
    [3, 4096],
    [8, 30_000],
    [5000, 30_000],
  ] as const) {
    const waits = many(failures);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(ms * 0.8);
    expect(Math.max(...waits)).toBeLessThanOrEqual(ms * 1.2);
    expect(new Set(waits).size).toBeGreaterThan(100);
  }
});

test('a server that says how long is taken at its word, and never asked sooner', () => {
  expect(new Set(many(0, 500))).toEqual(new Set([500]));
  expect(Math.min(...many(1, 500))).toBeGreaterThanOrEqual(800);
  expect(Math.min(...many(2, 60_000))).toBeGreaterThanOrEqual(60_000);
});

test('where somebody waits it grows no further than is said, unless the server asks for more', () => {
  const waits = Array.from({ length: 500 }, () => backOff(20, 5, 2000));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(2400);
  expect(backOff(20, 60_000, 2000)).toBeGreaterThanOrEqual(60_000);
});

test('no server can make a client spin', () => {
  expect(Math.min(...many(0, 0))).toBeGreaterThanOrEqual(25);
  expect(Math.min(...many(1, 0))).toBeGreaterThanOrEqual(100);
});
