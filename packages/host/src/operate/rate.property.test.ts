import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkOf } from './limits.ts';
import { parseRate, RateLimiter } from 'mcp-kit/internal';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 1000) / 10;
const rates = fc.record({
  perSecond: fc.integer({ min: 1, max: 1000 }),
  burst: fc.integer({ min: 1, max: 50 }),
});

describe('a rate limiter', () => {
  test('lets through no more than burst and rate in any stretch of time, and never less than the rate', () => {
    fc.assert(
      fc.property(
        rates,
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }),
        (rate, pauses) => {
          const limiter = new RateLimiter(rate);
          const passed: number[] = [];
          let now = 1000;
          for (const pause of pauses) {
            now += pause / 10;
            const waitMs = limiter.take('key', now);
            if (waitMs === 0) passed.push(now);
            // One that comes when it was told to is let through; a hair later, since sums of fractions are not exact.
            const late = now + waitMs + 1e-6;
            assert.ok(waitMs === 0 || copyOf(rate, passed).take('key', late) === 0);
          }
          for (const [from, start] of passed.entries()) {
            for (let to = from; to < passed.length; to++) {
              const seconds = ((passed[to] ?? 0) - start) / 1000;
              assert.ok(to - from + 1 <= rate.burst + seconds * rate.perSecond + 1e-6);
            }
          }
        },
      ),
      { numRuns },
    );
  });

  test('counts each key by itself, and forgets those that are long past', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
    for (let key = 0; key < 100_000; key++) limiter.take(String(key), key / 1000);
    expect(limiter.size).toBe(100_000);
    expect(limiter.take('99999', 100)).toBeGreaterThan(0);
    expect(limiter.take('new', 5000)).toBe(0);
    expect(limiter.size).toBe(1);
  });

  test('forgets the oldest when too many come at once', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 });
    for (let key = 0; key <= 100_000; key++) limiter.take(String(key), 1);
    expect(limiter.size).toBe(90_000);
    expect(limiter.take('100000', 2)).toBeGreaterThan(0);
  });
});

function copyOf(
  rate: { perSecond: number; burst: number },
  passed: readonly number[],
): RateLimiter {
  const limiter = new RateLimiter(rate);
  for (const at of passed) limiter.take('key', at);
  return limiter;
}

describe('a rate', () => {
  test.each([
    ['20/s', { perSecond: 20, burst: 20 }],
    ['600/min', { perSecond: 10, burst: 600 }],
    ['36/h burst 5', { perSecond: 0.01, burst: 5 }],
  ])('%s is %o', (text, rate) => {
    expect(parseRate(text)).toEqual(rate);
  });

  test.each(['', '0/s', '5', '5/day', '-1/s', '5/s burst 0', '5/s burst'])('%j is none', (text) => {
    expect(() => parseRate(text)).toThrow('not a rate');
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0'],
  ['2001:db8:a:b::', '2001:db8:a:b'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
