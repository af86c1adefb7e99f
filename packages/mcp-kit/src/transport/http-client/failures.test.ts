import { expect, test } from 'vitest';
import { isForgotten } from './failures.ts';

const refusal = (message: string) => ({
  jsonrpc: '2.0' as const,
  id: null,
  error: { code: -32000, message },
});

test.each([
  ['Bad Request: No valid session ID provided', true],
  ['Session abc was not found', true],
  ['Server not initialized', true],
  ['Not allowed', false],
])('%j means that the session is unknown: %s', (message, means) => {
  expect(isForgotten(refusal(message))).toBe(means);
});

test('a refusal in millions of words is read in the time of one', () => {
  const before = process.cpuUsage();
  expect(isForgotten(refusal('session '.repeat(1_000_000)))).toBe(false);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(100);
});
