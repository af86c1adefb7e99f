import { describe, expect, test } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { metaKeys } from 'mcp-kit/protocol';
import {
  createServer,
  defineResource,
  definePrompt,
  prompts,
  resources,
  type Context,
  type Server,
  type ServerOptions,
} from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { open, send } from '../support/http-client.ts';
import { modern, notification, serving, startSession } from '../support/mcp-http.ts';
import { openPipe } from '../support/pipe.ts';
import { waitingTool } from './progress-tools.ts';

// Answers of 2026-07-28: what every result says, streams, logs and cancelling.

interface Made {
  readonly server: Server;
  /** The context of the last call of `wait`. */
  readonly waiting: Promise<Context>;
}

function make(options: Partial<ServerOptions> = {}): Made {
  const { promise: waiting, resolve } = createDeferred<Context>();
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    tool({
      name: 'log',
      description: 'Logs at every level.',
      async run(_args, context) {
        await context.log('debug', 'd');
        await context.log('info', { i: 1 }, 'part');
        await context.log('error', 'e');
        return 'logged';
      },
    }),
    tool({
      name: 'count',
      description: 'Reports progress.',
      async run(_args, context) {
        await context.progress(1, 2, 'half');
        await context.progress(1, 2, 'again');
        await context.progress(2, 2);
        return 'counted';
      },
    }),
    waitingTool(resolve),
    tool({
      name: 'late',
      description: 'Speaks around its answer, after so many turns.',
      input: { type: 'object', properties: { turns: { type: 'integer' } }, required: ['turns'] },
      async run({ turns }, context) {
        void (async () => {
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          await context.progress(1);
        })();
        setImmediate(() => void context.progress(2));
        return 'done';
      },
    }),
  ]);
  const note = defineResource({ uri: 'note://a', name: 'a', read: () => 'text' });
  const features = [
    tools,
    resources({ resources: [note] }),
    prompts([
      definePrompt({ name: 'p', arguments: [{ name: 'x' }], get: () => 'hi' }),
      definePrompt({ name: 'big', get: async () => ({ messages: [], _meta: { big: 10n } }) }),
    ]),
  ];
  const server = createServer({ name: 'answers', version: '1.0.0', features, ...options });
  return { server, waiting };
}

async function start(options: HttpOptions = {}, serverOptions: Partial<ServerOptions> = {}) {
  const made = make(serverOptions);
  return Object.assign(await serving(made.server, options), made);
}

const withToken = { meta: { progressToken: 'p' } };

describe('every result', () => {
  test.each([
    ['server/discover', {}],
    ['tools/list', {}],
    ['tools/call', { name: 'say' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'p' }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'note://a' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } },
    ],
  ])('of %s says what kind it is and whose', async (method, params) => {
    await using server = await start();
    const { message } = await send(server.url, modern(method, params));
    expect(message.result).toMatchObject({
      resultType: 'complete',
      _meta: { [metaKeys.serverInfo]: { name: 'answers', version: '1.0.0' } },
    });
  });

  test('of server/discover says what is supported', async () => {
    await using server = await start({}, { instructions: 'Say hi.' });
    const { message } = await send(server.url, modern('server/discover'));
    expect(message.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: 'Say hi.',
    });
  });

  const cacheable = [
    ['server/discover', {}],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'note://a' }],
  ] as const;
  test.each(cacheable)('of %s says how long it may be kept: not at all', async (method, params) => {
    await using server = await start();
    const { message } = await send(server.url, modern(method, params));
    expect(message.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  test.each(cacheable)('of %s says how long it may be kept: as told', async (method, params) => {
    await using server = await start({}, { caching: { ttlMs: 60_000, scope: 'public' } });
    const { message } = await send(server.url, modern(method, params));
    expect(message.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  });

  test('of a call says nothing of keeping', async () => {
    await using server = await start();
    const { message } = await send(server.url, modern('tools/call', { name: 'say' }));
    expect(message.result).not.toHaveProperty('ttlMs');
    expect(message.result).not.toHaveProperty('cacheScope');
  });

  test('that is not JSON is an internal error, and the server lives on', async () => {
    await using server = await start();
    const broken = await send(server.url, modern('prompts/get', { name: 'big' }));
    expect(broken.message).toMatchObject({ error: { code: -32603 } });
    expect(await send(server.url, modern('tools/list'))).toMatchObject({ status: 200 });
  });
});

describe('an answer', () => {
  test('is JSON when nothing precedes it', async () => {
    await using server = await start();
    const answer = await send(server.url, modern('tools/call', { name: 'count' }));
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.messages).toHaveLength(1);
  });

  test('is a stream as soon as something does, without ids', async () => {
    await using server = await start();
    const answer = await send(server.url, modern('tools/call', { name: 'count' }, withToken));
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const progress = { method: 'notifications/progress' };
    expect(answer.messages).toMatchObject([
      { ...progress, params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
      { ...progress, params: { progressToken: 'p', progress: 2, total: 2 } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
    expect(answer.text).not.toMatch(/^(id|retry):/m);
  });

  test('to a client that takes only JSON leaves out what precedes it', async () => {
    await using server = await start();
    const headers = { accept: 'application/json' };
    const call = modern('tools/call', { name: 'count' }, { ...withToken, headers });
    const answer = await send(server.url, call);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.messages).toMatchObject([{ id: 1, result: {} }]);
  });

  test('is not spoilt by what a handler says after it, in either era', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version: '2025-06-18' });
    const lengths: number[] = [];
    for (let turns = 0; turns < 20; turns += 1) {
      const params = { name: 'late', arguments: { turns } };
      const stateless = await send(server.url, modern('tools/call', params, withToken));
      expect(stateless.message).toMatchObject({ result: {} });
      const meta = { _meta: { progressToken: 'p' } };
      const legacy = await session.request('tools/call', { ...params, ...meta });
      expect(legacy.message).toMatchObject({ result: {} });
      lengths.push(stateless.messages.length, legacy.messages.length);
    }
    // The first came before the answer, the last after it.
    expect([lengths.slice(0, 2), lengths.slice(-2)]).toEqual([
      [2, 2],
      [1, 1],
    ]);
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
  });

  test('is refused with status 503 when too much is under way', async () => {
    await using server = await start({ maxInFlight: 0 });
    const answer = await send(server.url, modern('tools/list'));
    expect(answer).toMatchObject({ status: 503, message: { id: 1, error: { code: -32000 } } });
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('log messages', () => {
  test.each([
    [undefined, []],
    ['debug', ['debug', 'info', 'error']],
    ['info', ['info', 'error']],
    ['warning', ['error']],
    ['emergency', []],
  ])('from the level %s on are %j', async (level, levels) => {
    await using server = await start();
    const meta = level === undefined ? {} : { [metaKeys.logLevel]: level };
    const { messages } = await send(server.url, modern('tools/call', { name: 'log' }, { meta }));
    const logs = messages.filter(({ method }) => method === 'notifications/message');
    expect(logs.map(({ params }) => params?.['level'])).toEqual(levels);
  });

  test('carry any data and the name of their logger', async () => {
    await using server = await start();
    const meta = { [metaKeys.logLevel]: 'info' };
    const { messages } = await send(server.url, modern('tools/call', { name: 'log' }, { meta }));
    expect(messages[0]?.params).toEqual({ level: 'info', logger: 'part', data: { i: 1 } });
  });
});

describe('cancelling', () => {
  test('is hanging up on a stream', async () => {
    await using server = await start();
    const stream = await open(server.url, modern('tools/call', { name: 'wait' }, withToken));
    expect(await stream.nextMessage()).toMatchObject({ method: 'notifications/progress' });
    const { signal } = await server.waiting;
    expect(signal.aborted).toBe(false);
    stream.close();
    await expect.poll(() => signal.aborted).toBe(true);
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
  });

  test('is hanging up before anything came', async () => {
    await using server = await start();
    const controller = new AbortController();
    const call = { ...modern('tools/call', { name: 'wait' }), signal: controller.signal };
    const answer = send(server.url, call);
    const { signal } = await server.waiting;
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORT_ERR' });
    await expect.poll(() => signal.aborted).toBe(true);
  });

  test('over a pipe is a notification, and no answer follows', async () => {
    const { server, waiting } = make();
    await using pipe = openPipe(server);
    pipe.send(modern('tools/call', { name: 'wait' }, { id: 'w' }).body);
    const { signal } = await waiting;
    pipe.send(notification('notifications/cancelled', { requestId: 'w', reason: 'enough' }));
    pipe.send(modern('tools/call', { name: 'say' }, { id: 's' }).body);
    expect(await pipe.next()).toMatchObject({ id: 's' });
    expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
    expect(pipe.unread).toEqual([]);
  });
});
