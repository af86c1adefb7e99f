import type { Session, SessionOptions } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { collect, textOf } from '../interop/client-session.ts';
import { createFixture, createSmallServer } from '../interop/fixture.mjs';
import { failure, newer, older, open, refuse, script, text, type Serve } from './client-script.ts';

const eras = ['legacy', 'modern'] as const;

function openFixture(options: SessionOptions): Promise<Session> {
  return open(memoryTarget(createFixture().server), options);
}

describe.each(eras)('in the %s era', (era) => {
  test('the server says who it is and how it wants to be used', async () => {
    await using session = await openFixture({ era });
    expect(session.era).toBe(era);
    expect(session.server).toMatchObject({ name: 'fixture', version: '1.2.3' });
    expect(session.instructions).toBe('Try greet first.');
    expect(session.capabilities.tools?.listChanged).toBe(true);
    const found = await session.discover();
    expect(found.supportedVersions).toEqual([session.version]);
    expect(found).toMatchObject({ instructions: 'Try greet first.' });
  });

  test('ping is answered', async () => {
    await using session = await openFixture({ era });
    await session.ping();
    expect(session.stats).toEqual({
      malformed: 0,
      samples: [],
      handlerTimeouts: 0,
      droppedNotifications: 0,
      handshakes: 1,
    });
  });

  test('lists are walked through page by page', async () => {
    await using session = await openFixture({ era });
    const first = await session.listTools();
    expect(first.tools).toHaveLength(7);
    expect(first.nextCursor).toBeTypeOf('string');
    const all = await collect(session.tools());
    expect(all.length).toBeGreaterThan(20);
    expect(all.slice(0, 7)).toEqual(first.tools);
    expect((await collect(session.resources())).map(({ name }) => name)).toContain('picture');
    expect((await collect(session.resourceTemplates())).map(({ name }) => name)).toEqual([
      'book',
      'path',
    ]);
    expect((await collect(session.prompts())).map(({ name }) => name)).toEqual([
      'plain',
      'review',
      'with_resource',
    ]);
    expect((await session.listResources()).resources).toHaveLength(2);
    expect((await session.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    expect((await session.listPrompts()).prompts).toHaveLength(2);
  });

  test('tools are called, resources read, prompts filled in, arguments completed', async () => {
    await using session = await openFixture({ era });
    expect(textOf(await session.callTool('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
    expect((await session.callTool('refuse')).isError).toBe(true);
    expect((await session.readResource('memo://one')).contents).toMatchObject([{ text: 'first' }]);
    const prompt = await session.getPrompt('review', { language: 'rust' });
    expect(prompt.messages).toHaveLength(2);
    const ref = { type: 'ref/prompt', name: 'review' } as const;
    const { completion } = await session.complete(ref, { name: 'language', value: 'ru' });
    expect(completion.values).toEqual(['rust', 'ruby']);
    const shelf = { type: 'ref/resource', uri: 'shelf://{shelf}/{book}' } as const;
    const controller = new AbortController();
    const limits = { signal: controller.signal, timeoutMs: 5000 };
    const asked = session.complete(ref, { name: 'language', value: 'ru' }, limits);
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
    const book = await session.complete(
      shelf,
      { name: 'book', value: '' },
      { arguments: { shelf: 'poetry' } },
    );
    expect(book.completion.values).toEqual(['poetry-a', 'poetry-b']);
  });

  test('what the server refuses is an RpcError with its code', async () => {
    await using session = await openFixture({ era });
    const unknown = await failure(session.callTool('nobody'));
    expect(unknown).toBeInstanceOf(RpcError);
    expect(unknown).toMatchObject({ code: -32602 });
    expect(await failure(session.request('no/such/method'))).toMatchObject({ code: -32601 });
    expect(await failure(session.readResource('memo://gone'))).toBeInstanceOf(RpcError);
  });

  test('log messages come from the level that was set', async () => {
    const heard: unknown[] = [];
    await using session = await openFixture({
      era,
      onNotification: ({ method, params }) => {
        if (method === 'notifications/message') heard.push(params?.['level']);
      },
    });
    await session.setLogLevel('error');
    await session.callTool('log_each_level');
    expect(heard).toEqual(['error']);
    await session.setLogLevel('debug');
    await session.callTool('log_each_level');
    expect(heard).toEqual(['error', 'debug', 'info', 'error']);
  });

  test('progress is passed on as it comes', async () => {
    await using session = await openFixture({ era });
    const steps: unknown[] = [];
    const onProgress = (progress: object): void => void steps.push(progress);
    await session.callTool('count', { to: 3 }, { onProgress });
    expect(steps).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test('a list the server does not have is empty', async () => {
    await using session = await open(memoryTarget(createSmallServer()), { era });
    expect(await collect(session.prompts())).toEqual([]);
    expect(await collect(session.resources())).toEqual([]);
    expect(await collect(session.resourceTemplates())).toEqual([]);
    expect((await collect(session.tools())).map(({ name }) => name)).toEqual(['greet']);
  });

  test('requests are numbered as the server wants them', async () => {
    const serve = { ...older, ...newer, 'tools/call': () => text('done') };
    for (const [ids, type] of [
      ['number', 'number'],
      ['string', 'string'],
    ] as const) {
      const server = script(serve);
      await using session = await open(server, { era, ids });
      await session.callTool('any');
      expect(
        server.peer.received.filter(({ id }) => id !== undefined).map(({ id }) => typeof id),
      ).toEqual([type, type]);
    }
  });
});

describe('pages', () => {
  const pages =
    (answers: Readonly<Record<string, object>>): Serve =>
    (params) =>
      answers[typeof params['cursor'] === 'string' ? `at ${params['cursor']}` : 'first'];

  test('an empty cursor is a cursor', async () => {
    const server = script({
      ...older,
      'prompts/list': pages({
        first: { prompts: [{ name: 'a' }], nextCursor: '' },
        'at ': { prompts: [{ name: 'b' }] },
      }),
    });
    await using session = await open(server);
    expect((await collect(session.prompts())).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(server.peer.of('prompts/list').map(({ params }) => params)).toEqual([
      undefined,
      { cursor: '' },
    ]);
  });

  test('null is no cursor', async () => {
    const server = script({ ...older, 'tools/list': () => ({ tools: [], nextCursor: null }) });
    await using session = await open(server);
    expect(await collect(session.tools())).toEqual([]);
    expect((await session.listTools()).nextCursor).toBeUndefined();
  });

  test('a list that goes round in circles is stopped', async () => {
    const server = script({
      ...older,
      'resources/list': pages({
        first: { resources: [], nextCursor: 'a' },
        'at a': { resources: [], nextCursor: 'b' },
        'at b': { resources: [], nextCursor: 'a' },
      }),
    });
    await using session = await open(server);
    const error = await failure(collect(session.resources()));
    expect(error).toMatchObject({ code: 'invalid_answer' });
    expect(server.peer.of('resources/list')).toHaveLength(3);
  });

  test('an answer without the list is refused', async () => {
    const server = script({ ...older, 'tools/list': () => ({ items: [] }) });
    await using session = await open(server);
    expect(await failure(session.listTools())).toMatchObject({ code: 'invalid_answer' });
  });
});

describe('arguments that headers repeat', () => {
  const routed = (name: string, header: string) => ({
    name,
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': header } },
    },
  });
  const http = { wire: 'http' } as const;
  const done = { resultType: 'complete', ...text('done') };

  test('travel in headers over HTTP in the modern era, once the tool was listed', async () => {
    const serve = {
      ...older,
      ...newer,
      'tools/list': () => ({ resultType: 'complete', tools: [routed('route', 'Region')] }),
      'tools/call': () => done,
    };
    for (const [options, expected] of [
      [{ ...http, era: 'modern' }, { 'mcp-param-region': 'eu' }],
      [{ ...http, era: 'legacy' }, undefined],
      [{ wire: 'stream', era: 'modern' }, undefined],
    ] as const) {
      const server = script(serve, { wire: options.wire });
      await using session = await open(server, { era: options.era });
      await session.listTools();
      await session.callTool('route', { region: 'eu' });
      expect(server.peer.headers.at(-1)).toEqual(expected);
    }
  });

  test('are learnt anew when the server refuses the headers, and the call is made once more', async () => {
    const server = script(
      {
        ...newer,
        'tools/list': () => ({
          resultType: 'complete',
          tools: [routed('route', 'Zone')],
          ttlMs: 60_000,
        }),
        'tools/call': (params, { peer }) => {
          const headers = peer.headers.at(-1);
          if (headers?.['mcp-param-zone'] === 'eu') return done;
          throw new RpcError(-32020, 'header mismatch');
        },
      },
      http,
    );
    await using session = await open(server);
    expect(textOf(await session.callTool('route', { region: 'eu' }))).toBe('done');
    expect(server.heard).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call']);
    expect(await failure(session.callTool('other', {}))).toMatchObject({ code: -32020 });
  });

  test('that are being learnt anew hold up nobody who cancels, nor beyond the time of the call', async () => {
    const server = script(
      { ...newer, 'tools/list': () => undefined, 'tools/call': refuse(-32020) },
      http,
    );
    await using session = await open(server);
    const caller = new AbortController();
    const cancelled = failure(session.callTool('route', {}, { signal: caller.signal }));
    await expect.poll(() => server.peer.of('tools/list')).toHaveLength(1);
    caller.abort();
    expect(await cancelled).toMatchObject({ code: 'aborted' });
    expect(await failure(session.callTool('route', {}, { maxTotalMs: 50 }))).toMatchObject({
      code: 'timeout',
    });
  });

  test('that cannot be headers make a tool be left out, over HTTP only', async () => {
    const tools = [routed('good', 'Region'), routed('bad', 'not a header')];
    const serve = { ...newer, 'tools/list': () => ({ resultType: 'complete', tools }) };
    await using over = await open(script(serve, http));
    expect((await over.listTools()).tools.map(({ name }) => name)).toEqual(['good']);
    await using beside = await open(script(serve));
    expect((await beside.listTools()).tools).toHaveLength(2);
  });
});

describe('results', () => {
  const outputSchema = {
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
  };
  const calculator = (answers: Readonly<Record<string, object>>, schema: object = outputSchema) =>
    script({
      ...older,
      'tools/list': () => ({
        tools: Object.keys(answers).map((name) => ({
          name,
          inputSchema: { type: 'object' },
          outputSchema: schema,
        })),
      }),
      'tools/call': ({ name }) => answers[String(name)],
    });
  const answers = {
    good: { content: [], structuredContent: { sum: 3 } },
    broken: { content: [], structuredContent: { sum: 'three' } },
    missing: { content: [] },
    failed: { content: [{ type: 'text', text: 'no' }], isError: true },
    bare: { structuredContent: { sum: 4 } },
  };

  test('structured content is what the schema of its tool says', async () => {
    await using session = await open(calculator(answers));
    await session.listTools();
    expect((await session.callTool('good')).structuredContent).toEqual({ sum: 3 });
    const broken = await failure(session.callTool('broken'));
    expect(broken).toMatchObject({ code: 'invalid_answer' });
    expect(broken.message).toContain('sum');
    expect(await failure(session.callTool('missing'))).toMatchObject({ code: 'invalid_answer' });
    expect((await session.callTool('failed')).isError).toBe(true);
  });

  test('content that was left out is empty', async () => {
    await using session = await open(calculator(answers));
    expect((await session.callTool('bare')).content).toEqual([]);
  });

  test('nothing is checked before the tool was listed, or when it is not wanted', async () => {
    await using unlisted = await open(calculator(answers));
    await unlisted.callTool('broken');
    await using careless = await open(calculator(answers), { validateOutput: false });
    await careless.listTools();
    await careless.callTool('broken');
  });

  test('a schema that cannot be used is no reason not to call the tool', async () => {
    const warned: string[] = [];
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (message: string) => void warned.push(message),
    };
    const server = calculator({ good: answers.good }, { type: 'nonsense' });
    await using session = await open(server, { logger });
    await session.listTools();
    expect((await session.callTool('good')).structuredContent).toEqual({ sum: 3 });
    expect(warned).toHaveLength(1);
    await session.callTool('good');
    expect(warned).toHaveLength(1);
  });

  test.each([
    ['tools/call', (session: Session) => session.callTool('x')],
    ['resources/read', (session: Session) => session.readResource('x:')],
    ['prompts/get', (session: Session) => session.getPrompt('x')],
    [
      'completion/complete',
      (session: Session) =>
        session.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: '' }),
    ],
  ])('an answer to %s that is not one is refused', async (method, ask) => {
    for (const answer of [{}, [], 'text', null]) {
      const server = script({ ...older, [method]: () => answer });
      await using session = await open(server);
      expect(await failure(ask(session))).toMatchObject({ code: 'invalid_answer' });
    }
  });
});

describe('a server of 2024', () => {
  test.each([
    ['a text', 'sunny', 'sunny'],
    ['a number', 21, '21'],
    ['an object', { degrees: 21 }, '{"degrees":21}'],
    ['null', null, 'null'],
  ])(
    'that answers a call with %s as toolResult is understood',
    async (_what, toolResult, shown) => {
      const server = script({
        initialize: () => ({ protocolVersion: '2024-11-05', capabilities: { tools: {} } }),
        'tools/call': () => ({ toolResult }),
      });
      await using session = await open(server);
      const result = await session.callTool('weather');
      expect(result).toEqual({ toolResult, content: [{ type: 'text', text: shown }] });
    },
  );
});
