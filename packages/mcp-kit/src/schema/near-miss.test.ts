import { expect, test } from 'vitest';
import { nearMiss, slipFinder } from './near-miss.ts';

const names = ['dryRun', 'planToken', 'idempotencyKey', 'timeoutMs', 'clientTag'];

test.each([
  ['dryrun', 'dryRun'],
  ['dry_run', 'dryRun'],
  ['dryRum', 'dryRun'],
  ['timeoutS', 'timeoutMs'],
  ['idempotentKey', 'idempotencyKey'],
  ['query', undefined],
  ['x', undefined],
  ['dryRun'.repeat(20), undefined],
])('%s is a slip of %s', (name, meant) => {
  expect(nearMiss(name, names)).toBe(meant);
});

test('the nearest of several is meant', () => {
  expect(nearMiss('limits', ['lists', 'limit', 'limit2'])).toBe('limit');
});

test('a hundred thousand names are looked at in the time of one message', () => {
  const slipOf = slipFinder(names);
  // As near in length and letters as one that is no slip can be.
  const strangers = Array.from({ length: 100_000 }, (_, at) => `t${at}emplatens`);
  const before = process.cpuUsage();
  const found = strangers.filter((name) => slipOf(name) !== undefined);
  const { user, system } = process.cpuUsage(before);
  expect(found).toEqual([]);
  expect((user + system) / 1000).toBeLessThan(500);
});
