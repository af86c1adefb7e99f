import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { classify, isRecord } from './message.ts';
import { defaultLimits, parseMessage } from './parse.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const absent = Symbol('absent');

const anyId = fc.oneof(
  fc.constantFrom(absent, null, 0, -0, 1, 1.5, 2 ** 53, -(2 ** 53), 2 ** 53 - 1, '', '0', true),
  fc.constantFrom([], {}, Number.MAX_VALUE),
  fc.string(),
  fc.integer(),
);
const anyParams = fc.constantFrom<unknown>(absent, null, [], [1], {}, { a: 1 }, 'x', 0, false);
const anyError = fc.constantFrom<unknown>(
  absent,
  null,
  {},
  { code: 1 },
  { code: 1, message: 'm' },
  { code: 1.5, message: 'm' },
  { code: '1', message: 'm' },
  { code: 1, message: 'm', data: [] },
  [],
  'e',
);

const shaped = fc
  .record({
    jsonrpc: fc.constantFrom<unknown>(absent, '2.0', '2.0', '2.0', '1.0', 2, null),
    id: anyId,
    method: fc.constantFrom<unknown>(absent, absent, 'm', '', '__proto__', null, 1, {}),
    params: anyParams,
    result: fc.constantFrom<unknown>(absent, absent, null, {}, 0, 'r'),
    error: anyError,
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== absent)));

const value = fc.oneof({ weight: 9, arbitrary: shaped }, { weight: 1, arbitrary: fc.jsonValue() });

const validId = (id: unknown): boolean =>
  typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));

/** The kinds of message, told apart rule by rule. */
function kindOf(message: unknown): string {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return 'invalid';
  return 'method' in message ? kindOfCall(message) : kindOfAnswer(message);
}

function kindOfCall(message: Record<string, unknown>): string {
  const { id, method, params } = message;
  if (typeof method !== 'string' || ('params' in message && !isRecord(params))) return 'invalid';
  if (!('id' in message)) return 'notification';
  return validId(id) ? 'request' : 'invalid';
}

function kindOfAnswer(message: Record<string, unknown>): string {
  const { id } = message;
  if (!('result' in message) && !('error' in message)) return 'invalid';
  if (validId(id)) return 'response';
  return (id === undefined || id === null) && isGoodError(message) ? 'response' : 'invalid';
}

function isGoodError(message: Record<string, unknown>): boolean {
  const { error } = message;
  const wellFormed =
    isRecord(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string';
  return wellFormed && !('result' in message);
}

const isGoodResult = ({ error, result }: Record<string, unknown>): boolean =>
  result !== undefined && (error === undefined || error === null);

test('any JSON value is exactly one of request, notification, response and invalid', () => {
  fc.assert(
    fc.property(value, (message) => {
      const classified = classify(message);
      assert.equal(classified.kind, kindOf(message));
      if (classified.kind === 'response') {
        assert.ok(isRecord(message));
        const good = isGoodResult(message) || isGoodError(message);
        if (good) assert.equal(classified.message, message);
        else assert.equal(classified.message.error?.code, -32_603);
      } else if (classified.kind !== 'invalid') assert.equal(classified.message, message);
      else if (classified.id !== undefined) {
        assert.ok(isRecord(message) && validId(message['id']) && message['id'] === classified.id);
      }
    }),
    { numRuns },
  );
});

const read = (text: string) => {
  const parsed = parseMessage(Buffer.from(text), defaultLimits);
  return parsed.ok ? classify(parsed.value) : parsed;
};

test.each([
  ['{"jsonrpc":"2.0","id":0,"method":"m"}', 'request'],
  ['{"jsonrpc":"2.0","id":"","method":"m"}', 'request'],
  ['{"jsonrpc":"2.0","id":null,"method":"m"}', 'invalid'],
  ['{"jsonrpc":"2.0","id":1.5,"method":"m"}', 'invalid'],
  ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}', 'invalid'],
  ['{"jsonrpc":"2.0","id":1,"method":"m","params":[]}', 'invalid'],
  ['{"jsonrpc":"2.0","id":1,"method":"m","params":null}', 'invalid'],
  ['{"jsonrpc":"2.0","method":"m"}', 'notification'],
  ['{"jsonrpc":"2.0","id":1,"result":null}', 'response'],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}', 'response'],
  ['{"jsonrpc":"2.0","id":1,"result":{},"error":null}', 'response'],
  ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', 'response'],
  ['{"jsonrpc":"2.0","id":null,"result":{}}', 'invalid'],
  ['{"jsonrpc":"2.0","id":1,"method":"a","id":2}', 'request'],
  ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"m"}}', 'invalid'],
  ['[]', 'invalid'],
])('%s is %s', (text, kind) => {
  expect(read(text)).toMatchObject({ kind });
});

test('of a key that occurs twice the last counts, and an unsafe id is never echoed', () => {
  expect(read('{"jsonrpc":"2.0","id":1,"method":"a","id":2}')).toMatchObject({
    message: { id: 2 },
  });
  expect(read('{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}')).toMatchObject({
    kind: 'invalid',
    id: undefined,
  });
});
