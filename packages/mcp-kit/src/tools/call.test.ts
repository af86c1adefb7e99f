import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDeferred, KitError, type Logger } from '#base';
import { RpcError } from '#jsonrpc';
import type { CallToolResult, JsonSchema } from '#protocol';
import { withJsonSchema } from '#schema';
import { createServer } from '#server';
import { connectInMemory, type InMemoryClient } from '#testing';
import { tool, type Tool } from './tool.ts';
import { fail } from './failure.ts';
import { toolSet } from './tool-set.ts';

interface Started {
  readonly client: InMemoryClient;
  readonly logged: readonly { readonly message: string; readonly fields: object }[];
  call(name: string, args?: object): Promise<CallToolResult>;
}

async function start(...tools: Tool[]): Promise<Started> {
  const logged: { message: string; fields: object }[] = [];
  const keep = (message: string, fields: object = {}): void =>
    void logged.push({ message, fields });
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const features = [toolSet(tools, { logger })];
  const client = connectInMemory(createServer({ name: 't', version: '1.0.0', features }));
  onTestFinished(() => client.close());
  await client.initialize();
  const call = async (name: string, args?: object): Promise<CallToolResult> =>
    (await client.request('tools/call', { name, arguments: args })) as CallToolResult;
  return { client, logged, call };
}

const returning = (value: unknown, asynchronous = false): Tool =>
  tool({
    name: 'tool',
    description: 'Returns a value.',
    run: () => (asynchronous ? Promise.resolve(value) : value) as object,
  });
const throwing = (error: unknown, asynchronous = false): Tool =>
  tool({
    name: 'tool',
    description: 'Throws.',
    run() {
      if (asynchronous) return Promise.reject(error as Error);
      throw error as Error;
    },
  });
const shaped = (output: JsonSchema, value: unknown): Tool =>
  ({ name: 'tool', description: 'Has a shape.', output, run: () => value }) satisfies Tool;
const text = (shown: string): object => ({ type: 'text', text: shown });

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

describe('a value without a schema', () => {
  const whole = { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } };
  const image = { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] };
  test.each([
    ['a text', 'hi', { content: [text('hi')] }],
    ['an empty text', '', { content: [text('')] }],
    ['nothing', undefined, { content: [] }],
    ['null', null, { content: [text('null')] }],
    ['a number', 7, { content: [text('7')] }],
    ['a truth', false, { content: [text('false')] }],
    ['a list', [1, 'a'], { content: [text('[1,"a"]')] }],
    ['an object', { a: { b: 1 } }, { content: [text('{"a":{"b":1}}')] }],
    [
      'an object with a content that is no list',
      { content: 'x' },
      { content: [text('{"content":"x"}')] },
    ],
    ['a whole result', whole, whole],
    ['a picture', image, image],
    ['a result that is an error', { ...image, isError: true }, { ...image, isError: true }],
  ])('%s', async (_what, value, result) => {
    expect(await (await start(returning(value))).call('tool')).toEqual(result);
    expect(await (await start(returning(value, true))).call('tool')).toEqual(result);
  });
});

describe.each([
  ['at once', false],
  ['later', true],
])('a value that JSON cannot say, returned %s,', (_when, asynchronous) => {
  test.each([
    ['a big number', { a: 10n }],
    ['what contains itself', circular()],
  ])('is a bug of the tool: %s', async (_what, value) => {
    const { call, logged } = await start(returning(value, asynchronous));
    expect(await call('tool')).toMatchObject({ isError: true });
    expect(logged).toMatchObject([{ message: 'tool tool failed' }]);
  });

  test('within a whole result is an internal error', async () => {
    const whole = { content: [], structuredContent: 10n };
    const { call } = await start(returning(whole, asynchronous));
    await expect(call('tool')).rejects.toMatchObject({ code: -32603 });
  });

  test('is null when it is a function', async () => {
    const { call } = await start(returning(() => 1, asynchronous));
    expect(await call('tool')).toEqual({ content: [text('null')] });
  });
});

describe('a value with a schema', () => {
  test('that allows nothing may be nothing', async () => {
    const { call } = await start(shaped({}, undefined));
    expect(await call('tool')).toEqual({
      content: [text('null')],
      structuredContent: { result: null },
    });
  });

  test('is structured content, repeated as text', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const { call } = await start(shaped(schema, { a: 1 }));
    expect(await call('tool')).toEqual({
      content: [text('{"a":1}')],
      structuredContent: { a: 1 },
    });
  });

  test.each([
    ['a list', { type: 'array', items: { type: 'number' } }, [1, 2]],
    ['a text', { type: 'string' }, 'hi'],
    ['null', { type: ['string', 'null'] }, null],
    ['an object or not', { anyOf: [{ type: 'object' }, { type: 'string' }] }, { a: 1 }],
    [
      'an object that only a reference tells',
      { $ref: '#/$defs/o', $defs: { o: { type: 'object' } } },
      { a: 1 },
    ],
  ])('that is %s is wrapped for clients with a handshake, and only for them', async (...row) => {
    const [, schema, value] = row;
    const { client, call } = await start(shaped(schema, value));
    const shown = { content: [text(JSON.stringify(value))] };
    expect(await call('tool')).toEqual({ ...shown, structuredContent: { result: value } });
    expect(await client.requestModern('tools/call', { name: 'tool' })).toMatchObject({
      ...shown,
      structuredContent: value,
    });
  });

  test('is what the schema makes of it', async () => {
    const trimmed = withJsonSchema<{ a: string }, { a: string }>(
      {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value) => ({
            value: { a: String(Reflect.get(value as object, 'a')).trim() },
          }),
        },
      },
      { type: 'object' },
    );
    const made = tool({
      name: 'tool',
      description: 'Trims.',
      output: trimmed,
      run: () => ({ a: ' x ' }),
    });
    const { call } = await start(made);
    expect(await call('tool')).toMatchObject({ structuredContent: { a: 'x' } });
  });

  test.each([
    ['another shape', { secret: 'hunter2' }],
    ['nothing', undefined],
    ['a whole result', { content: [{ type: 'text', text: 'hunter2' }] }],
  ])('that is %s is a bug of the tool and does not get out', async (_what, value) => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const { call, logged } = await start(shaped(schema, value));
    const result = await call('tool');
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty('structuredContent');
    expect(JSON.stringify(result)).toMatch(/E_INTERNAL: Internal error, trace trc_[0-9a-f]{32}/);
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(logged[0]?.fields).toMatchObject({
      error: expect.stringContaining('does not match the output schema'),
    });
  });
});

describe('arguments', () => {
  const made = tool({
    name: 'tool',
    description: 'Adds.',
    input: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    run: ({ a, b }) => a + b,
  });

  test('that fit reach the tool', async () => {
    expect(await (await start(made)).call('tool', { a: 1, b: 2 })).toEqual({
      content: [text('3')],
    });
  });

  test('that do not fit are a failure that says why', async () => {
    const result = await (await start(made)).call('tool', { a: 'one' });
    expect(result).toMatchObject({ isError: true });
    expect(result.content).toEqual([
      text(expect.stringMatching(/^E_INVALID_ARGUMENT: b: /) as string),
    ]);
  });

  test('of a tool that takes none must be none', async () => {
    const { call } = await start(returning('ok'));
    expect(await call('tool')).toEqual({ content: [text('ok')] });
    expect(await call('tool', {})).toEqual({ content: [text('ok')] });
    expect(await call('tool', { extra: 1 })).toMatchObject({ isError: true });
  });

  test.each([[[]], ['x'], [5]])('that are %j are an error of the protocol', async (args) => {
    const { client } = await start(made);
    await expect(
      client.request('tools/call', { name: 'tool', arguments: args }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  test('whose check breaks are a bug of the tool', async () => {
    const validate = (): never => {
      throw new Error('hunter2');
    };
    const input = withJsonSchema(
      { '~standard': { version: 1, vendor: 'test', validate } },
      { type: 'object' },
    );
    const { call, logged } = await start(
      tool({ name: 'tool', description: 'Breaks.', input, run: () => 'ok' }),
    );
    expect(await call('tool', {})).toMatchObject({ isError: true });
    expect(JSON.stringify(logged)).toContain('hunter2');
  });
});

describe.each([
  ['at once', false],
  ['later', true],
])('what a tool throws %s', (_when, asynchronous) => {
  test('by fail() is its failure', async () => {
    const failure = fail('E_UNAVAILABLE', 'Not now.', { suggestion: 'Try later.' });
    const { call, logged } = await start(throwing(failure, asynchronous));
    expect(await call('tool')).toEqual({
      content: [text('E_UNAVAILABLE: Not now. Try later.')],
      isError: true,
    });
    expect(logged).toEqual([]);
  });

  test.each([
    ['an error', new Error('hunter2')],
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['a local failure', new KitError('closed', 'hunter2')],
  ])('%s is a bug: logged whole, and shown as a number', async (_what, error) => {
    const { call, logged } = await start(throwing(error, asynchronous));
    const shown = JSON.stringify(await call('tool'));
    const trace = /E_INTERNAL: Internal error, trace (trc_[0-9a-f]{32})"/.exec(shown)?.[1];
    expect(trace).toBeDefined();
    expect(shown).not.toContain('hunter2');
    expect(logged).toMatchObject([
      { message: 'tool tool failed', fields: { traceId: trace, error: expect.any(String) } },
    ]);
  });

  test.each([
    ['capability_missing', 'E_PRECONDITION_FAILED'],
    ['invalid_answer', 'E_PRECONDITION_FAILED'],
    ['timeout', 'E_TIMEOUT'],
  ] as const)('of the kind %s is %s', async (kind, code) => {
    const { call, logged } = await start(throwing(new KitError(kind, 'why'), asynchronous));
    expect(await call('tool')).toEqual({ content: [text(`${code}: why`)], isError: true });
    expect(logged).toEqual([]);
  });

  test('for the protocol goes there', async () => {
    const { call } = await start(throwing(new RpcError(-32099, 'mine', { a: 1 }), asynchronous));
    await expect(call('tool')).rejects.toMatchObject({
      code: -32099,
      message: 'mine',
      data: { a: 1 },
    });
  });
});

test('a call that was cancelled may throw without anybody being told', async () => {
  const { promise: stopped, resolve } = createDeferred<void>();
  const made = tool({
    name: 'tool',
    description: 'Stops.',
    async run(_args, context) {
      const aborted = once(context.signal, 'abort');
      client.notify('notifications/cancelled', { requestId: 2 });
      await aborted;
      resolve();
      throw new Error('stopped');
    },
  });
  const { client, call, logged } = await start(made);
  void call('tool').catch(() => {});
  await stopped;
  await client.request('ping');
  expect(logged).toEqual([]);
});

test('what a failure leaves undefined is as its code says', () => {
  const { failure } = fail('E_TIMEOUT', 'Too late.', { retryable: undefined, stage: undefined });
  expect(Object.entries(failure)).toEqual([
    ['code', 'E_TIMEOUT'],
    ['message', 'Too late.'],
    ['retryable', true],
  ]);
});

describe('a tool that says what is read of its value', () => {
  const output = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  } as const;
  const head = { name: 'tool', description: 'Shows.', output } as const;
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;

  test.each([
    ['a text', (): string => 'seven', [text('seven')]],
    ['content of another kind', (): readonly [typeof image] => [image], [image]],
  ])('as %s has that as content, and the value for programs', async (_, show, content) => {
    const { call } = await start(tool({ ...head, show, run: () => ({ n: 7 }) }));
    expect(await call('tool')).toEqual({ content, structuredContent: { n: 7 } });
  });
});
