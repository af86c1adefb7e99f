import { expect, test } from 'vitest';
import { KitError, kitErrorCodes, RpcError, type KitErrorCode } from 'mcp-kit/internal';
import { afterFailure } from './failure.ts';

const codes = Object.keys(kitErrorCodes) as KitErrorCode[];
const of = (code: KitErrorCode, details?: Readonly<Record<string, unknown>>): string =>
  afterFailure(new KitError(code, 'it', details && { details }));

test('what may pass by itself is tried again', () => {
  const retried = codes.filter((code) => of(code) === 'retry');
  expect(retried.toSorted()).toEqual([
    'answer_lost',
    'closed',
    'overloaded',
    'session_lost',
    'timeout',
    'unreachable',
  ]);
  for (const status of [408, 429, 500, 503]) expect(of('http_status', { status })).toBe('retry');
});

test('what nobody may use as it is, is refused', () => {
  const refused = codes.filter((code) => of(code) === 'refuse');
  expect(refused.toSorted()).toEqual(['invalid_argument', 'invalid_config', 'refused_by_policy']);
});

test('what only a person can mend is given up', () => {
  expect(of('http_status', { status: 404 })).toBe('stop');
  expect(of('unauthorized')).toBe('stop');
  expect(afterFailure(new RpcError(-32600, 'no'))).toBe('stop');
  expect(afterFailure('no error at all')).toBe('stop');
});

test('a program that has ended is started again, one that is not there is not', () => {
  expect(of('process_failed', { exitCode: 1, stderr: '' })).toBe('retry');
  expect(of('process_failed')).toBe('stop');
});
