import { expect, test } from 'vitest';
import { traitsOf } from '../manifest/manifest.ts';
import { createTraces, pickTrace, secretsOf, summarise, type Trace } from './traces.ts';

const trace = (traceId: string): Trace => ({
  traceId,
  tool: 't',
  timestamp: '',
  durationMs: 0,
  success: true,
  errorCode: null,
  argsSummary: {},
});

test('traces are found until newer ones take their place', () => {
  const traces = createTraces(2);
  for (const id of ['a', 'b', 'c']) traces.add(trace(id));
  expect(['a', 'b', 'c'].map((id) => traces.find(id)?.traceId)).toEqual([undefined, 'b', 'c']);
});

test('three hundred traces are kept', () => {
  const traces = createTraces();
  for (let at = 0; at <= 300; at += 1) traces.add(trace(String(at)));
  expect([traces.find('0'), traces.find('1')?.traceId]).toEqual([undefined, '1']);
});

test('one that calls much makes room for itself: others keep their share', () => {
  const traces = createTraces(10);
  const count = (principal?: string): number => traces.list(principal).length;
  for (const n of [1, 2, 3]) traces.add(trace(`ann ${n}`), 'ann');
  for (let n = 0; n < 100; n += 1) traces.add(trace(`bob ${n}`), 'bob');
  expect([count('ann'), count('bob'), count()]).toEqual([3, 7, 0]);
  expect(traces.list('bob')[0]?.traceId).toBe('bob 99');
  for (let n = 0; n < 100; n += 1) traces.add(trace(`ann ${n}`), 'ann');
  expect([count('ann'), count('bob')]).toEqual([5, 5]);
  traces.add(trace('nobody'));
  expect(count()).toBe(1);
  // More callers than places: those who called last are known.
  for (let n = 0; n < 50; n += 1) traces.add(trace('x'), `caller ${n}`);
  expect([count('caller 49'), count('caller 41')]).toEqual([1, 1]);
  const all = ['ann', 'bob', undefined, ...Array.from({ length: 50 }, (_, n) => `caller ${n}`)];
  expect(all.reduce((sum, principal) => sum + count(principal), 0)).toBe(10);
  const none = createTraces(0);
  none.add(trace('a'), 'ann');
  expect(none.list('ann')).toEqual([]);
});

test('the last and the slowest call are not those that ask for them', () => {
  const took = (tool: string, durationMs: number): Trace => ({ ...trace(tool), tool, durationMs });
  const latestFirst = [took('get_trace_by_id', 9), took('a', 1), took('b', 5)];
  expect(pickTrace(latestFirst, 'last')?.tool).toBe('a');
  expect(pickTrace(latestFirst, 'slowest')?.tool).toBe('b');
  expect(pickTrace(latestFirst.slice(0, 1), 'last')).toBeUndefined();
});

test('arguments are summed up without what is long or deep', () => {
  expect(
    summarise({
      short: 'a',
      long: 'x'.repeat(121),
      list: [1, 2],
      object: { a: 1, b: 2, c: 3 },
      number: 1.5,
      nothing: null,
      truth: true,
    }),
  ).toEqual({
    short: 'a',
    long: `${'x'.repeat(120)}…`,
    list: 'array(2)',
    object: 'object(3)',
    number: 1.5,
    nothing: null,
    truth: true,
  });
});

test('what is secret is not shown: by name, by schema, by what it looks like', () => {
  const isSecret = secretsOf({
    type: 'object',
    properties: { code: { type: 'string', writeOnly: true }, word: { format: 'password' } },
  });
  const args = {
    code: '1',
    word: '2',
    apiKey: '3',
    accessToken: '4',
    user: 'ada',
    header: 'Bearer abc',
    pwd: '5',
    accessKey: '6',
    address: 'postgres://ada:hunter2@host/db',
    page: 'https://host:8080/a@b',
    text: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmVk',
    idempotencyKey: 'k',
  };
  expect(summarise(args, isSecret)).toEqual({
    code: '[redacted]',
    word: '[redacted]',
    apiKey: '[redacted]',
    accessToken: '[redacted]',
    user: 'ada',
    header: '[redacted]',
    pwd: '[redacted]',
    accessKey: '[redacted]',
    address: '[redacted]',
    page: 'https://host:8080/a@b',
    text: '[redacted]',
    idempotencyKey: 'k',
  });
});

test('a call is found by its own id, and by that of the trace it is part of', () => {
  const traces = createTraces();
  for (const id of ['trc_1_a', 'trc_1_b', 'trc_2']) traces.add(trace(id), 'ann');
  expect(traces.find('trc_1_a', 'ann')?.traceId).toBe('trc_1_a');
  expect(traces.find('trc_1', 'ann')?.traceId).toBe('trc_1_b');
  expect(traces.find('trc_2', 'bob')).toBeUndefined();
  expect(traces.list('ann').map(({ traceId }) => traceId)).toEqual(['trc_2', 'trc_1_b', 'trc_1_a']);
  const w3c = '0af7651916cd43dd8448eb211c80319c';
  for (const id of [`trc_${w3c}_a`, `trc_${w3c}_b`]) traces.add(trace(id), 'ann');
  expect(traces.find(w3c, 'ann')?.traceId).toBe(`trc_${w3c}_b`);
});

test.each([
  ['nothing', {}, 'destructive', false],
  ['read-only', { annotations: { readOnlyHint: true } }, 'readonly', true],
  ['not destructive', { annotations: { destructiveHint: false } }, 'mutating', false],
  ['idempotent', { annotations: { idempotentHint: true } }, 'destructive', true],
  ['its safety itself', { safety: 'readonly' }, 'readonly', true],
  ['that it is not idempotent', { safety: 'readonly', idempotent: false }, 'readonly', false],
] as const)('a tool that says %s of itself is taken at its word', (...row) => {
  const [, said, safety, idempotent] = row;
  expect(traitsOf({ name: 't', description: '', run: () => '', ...said })).toEqual({
    layer: 'core',
    category: 'general',
    safety,
    idempotent,
    supportsDryRun: false,
    prerequisites: [],
    examples: [],
  });
});
