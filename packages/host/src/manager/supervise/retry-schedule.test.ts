import { describe, expect, test } from 'vitest';
import { createRetrySchedule } from './retry-schedule.ts';

/** The longest that each wait can be. */
const longest = (kind: 'local' | 'remote', count: number): readonly (number | undefined)[] => {
  const schedule = createRetrySchedule(kind, () => 1);
  return Array.from({ length: count }, () => schedule.next());
};

describe('the waits before a lost server is tried again', () => {
  test('grow for a program of this machine, and then it is given up', () => {
    expect(longest('local', 6)).toEqual([500, 1000, 2000, 4000, undefined, undefined]);
  });

  test('never end for a remote server: quietly, from 15 s on, twice as long each time, up to 5 min', () => {
    expect(longest('remote', 9)).toEqual([
      5000, 10_000, 15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000,
    ]);
    expect(longest('remote', 2000).at(-1)).toBe(300_000);
  });

  test('are random from nothing to the longest', () => {
    const waits = Array.from(
      { length: 2000 },
      () => createRetrySchedule('remote').next() ?? Infinity,
    );
    expect(Math.min(...waits)).toBeLessThan(250);
    expect(Math.max(...waits)).toBeGreaterThan(4750);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5000);
    const least = createRetrySchedule('local', () => 0);
    expect(least.next()).toBe(0);
  });

  test('begin anew after it was well', () => {
    const schedule = createRetrySchedule('local', () => 1);
    for (let at = 0; at < 5; at += 1) schedule.next();
    schedule.reset();
    expect(schedule.next()).toBe(500);
  });

  test('of 500 that lost the same server at the same moment are spread: no more than 5 % in any 100 ms', () => {
    // Chance has its say: of three tries one must do.
    const tries = Array.from({ length: 3 }, () => {
      const buckets = new Map<number, number>();
      for (let at = 0; at < 500; at += 1) {
        const bucket = Math.floor((createRetrySchedule('remote').next() ?? 0) / 100);
        buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      }
      return Math.max(...buckets.values());
    });
    expect(Math.min(...tries)).toBeLessThanOrEqual(25);
  });
});
