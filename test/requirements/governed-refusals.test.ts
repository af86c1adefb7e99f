import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDeferred } from 'mcp-kit/internal';
import { createApiKey, operateHttp, type ServerSettings } from '@mcp-kit/host/operate';
import type { Service } from 'mcp-kit/protocol';
import { createServer, type Server } from 'mcp-kit/server';
import { tool, toolSet, type Trace } from 'mcp-kit/tools';
import { createTraces, governed, type Traces } from 'mcp-kit/tools/governed';
import { listenSocket, type ServeOptions } from 'mcp-kit/transport';
import { describe, expect, test } from 'vitest';
import { Child } from '../support/child-process.ts';
import { send, type Call, type Message } from '../support/http-client.ts';
import {
  initialize,
  modern,
  notification,
  post,
  request,
  serving,
  startSession,
} from '../support/mcp-http.ts';

/** A governed server with a tool that waits until it is let go, and what it remembers of calls. */
function waiting(): Disposable & {
  readonly server: Server;
  readonly traces: Traces;
  /** Settles when a call has begun. */
  readonly begun: Promise<void>;
} {
  const traces = createTraces();
  const begun = createDeferred<void>();
  const letGo = createDeferred<void>();
  const made = tool({
    name: 'get_news_next',
    description: 'Waits for news.',
    safety: 'readonly',
    async run() {
      begun.resolve();
      await letGo.promise;
      return 'news';
    },
  });
  const set = toolSet([made], { contract: governed({ lint: 'off', traces }), logger: quiet });
  const server = createServer({ name: 'news', version: '1', features: [set] });
  return { server, traces, begun: begun.promise, [Symbol.dispose]: () => letGo.resolve() };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const params = { name: 'get_news_next', arguments: {} };
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The id that a refusal has. */
function traceIdIn({ error }: Message): string {
  const { traceId } = (error?.data ?? {}) as { traceId?: string };
  return String(traceId);
}

/** The trace that a refusal names, which tells of it. */
function expectTraced(refused: Message, traces: Traces, principal?: string): Trace {
  const traceId = traceIdIn(refused);
  expect(traceId).toMatch(/^trc_[0-9a-f]{32}/);
  const found = traces.find(traceId, principal);
  expect(found).toMatchObject({
    traceId,
    tool: 'get_news_next',
    success: false,
    errorCode: `RPC${refused.error?.code}`,
  });
  return found as Trace;
}

describe('over HTTP, in the modern era, a call has a trace that is refused because', () => {
  const body = modern('tools/call', params).body as Message;
  const withMeta = (meta: object): Message => ({ ...body, params: { ...params, _meta: meta } });

  test.each<[string, number, Call]>([
    [
      'a header differs from the body',
      -32_020,
      modern('tools/call', params, { headers: { 'mcp-name': 'another' } }),
    ],
    ['its envelope is missing', -32_602, { ...modern('tools/call', params), body: withMeta({}) }],
    [
      'its revision is not served',
      -32_022,
      {
        headers: { ...modern('tools/call', params).headers, 'mcp-protocol-version': '2030-01-01' },
        body: withMeta({
          ...(body.params?.['_meta'] as object),
          'io.modelcontextprotocol/protocolVersion': '2030-01-01',
        }),
      },
    ],
  ])('%s', async (_why, code, call) => {
    using news = waiting();
    await using served = await serving(news.server);
    const { status, message } = await send(served.url, call);
    expect([status, message.id, message.error?.code]).toEqual([400, 1, code]);
    expectTraced(message, news.traces);
    expect(news.traces.list()).toHaveLength(1);
  });

  test('too much is under way; and so has what ends with the server', async () => {
    const news = waiting();
    const served = await serving(news.server, { maxInFlight: 1 / 16 });
    const first = send(served.url, modern('tools/call', params));
    await news.begun;
    const refused = await send(
      served.url,
      modern('tools/call', params, { headers: { traceparent: parent } }),
    );
    expect(refused.status).toBe(503);
    const trace = expectTraced(refused.message, news.traces);
    expect(trace.traceId).toMatch(/^trc_0af7651916cd43dd8448eb211c80319c_/);
    expect(trace.parentSpanId).toBe('b7ad6b7169203331');
    await served.close();
    const { message } = await first;
    expect(message.error?.code).toBe(-32_000);
    const traceId = traceIdIn(message);
    // It is still under way: what is remembered of it is how it ends.
    expect(news.traces.find(traceId)).toBeUndefined();
    news[Symbol.dispose]();
    await expect.poll(() => news.traces.find(traceId)).toMatchObject({ success: true });
  });
});

describe('over HTTP, with a handshake, a call has a trace that is refused because', () => {
  test.each([
    ['it names no session', {}, 400],
    ['its session is unknown', { 'mcp-session-id': 'nobody' }, 404],
    ['its revision is not served', { 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('%s', async (_why, headers, status) => {
    using news = waiting();
    await using served = await serving(news.server);
    const answer = await post(served.url, request(1, 'tools/call', params), headers);
    expect(answer.status).toBe(status);
    expectTraced(answer.message, news.traces);
  });

  test('the handshake is not complete', async () => {
    using news = waiting();
    await using served = await serving(news.server);
    const session = await startSession(served.url, { ready: false });
    const { message } = await session.request('tools/call', params, { traceparent: parent });
    expect(expectTraced(message, news.traces).parentSpanId).toBe('b7ad6b7169203331');
  });

  test('too much is under way in its session; and so has what ends with the session', async () => {
    const news = waiting();
    await using served = await serving(news.server, { maxInFlight: 1 });
    const session = await startSession(served.url);
    const first = session.request('tools/call', params);
    await news.begun;
    const { message } = await session.request('tools/call', params);
    expect(message.error?.code).toBe(-32_000);
    expectTraced(message, news.traces);
    await session.delete();
    const traceId = traceIdIn((await first).message);
    news[Symbol.dispose]();
    await expect.poll(() => news.traces.find(traceId)).toMatchObject({ success: true });
  });
});

/** Serves with a gate; ann has a key, and may do little. */
async function guarded(service: Service, settings: ServerSettings) {
  const place = await mkdtemp(path.join(tmpdir(), 'mcp-kit-refusals-'));
  const { key, entry } = createApiKey('ann');
  const file = path.join(place, 'keys.json');
  await writeFile(file, JSON.stringify({ keys: [entry] }));
  const auth = { apiKeys: file, ...settings.auth };
  const operated = await operateHttp(service, { ...settings, auth });
  return {
    url: operated.url,
    headers: { authorization: `Bearer ${key}` },
    async [Symbol.asyncDispose]() {
      await operated.close();
      await rm(place, { recursive: true });
    },
  };
}

describe('behind a gate a call has a trace, which is its caller’s, that is refused because', () => {
  test.each<[string, number, ServerSettings]>([
    ['its tool was asked too often', 429, { limits: { tools: { get_news_next: '1/h' } } }],
    ['too many calls are under way', 503, { limits: { calls: 1 } }],
    ['its caller has too many under way', 503, { limits: { callsPerPrincipal: 1 } }],
  ])('%s, in both eras', async (_why, status, settings) => {
    using news = waiting();
    await using server = await guarded(news.server, settings);
    const { headers } = server;
    const session = await startSession(server.url, { headers });
    void send(server.url, modern('tools/call', params, { headers })).catch(() => undefined);
    await news.begun;
    const newer = await send(server.url, modern('tools/call', params, { headers }));
    const older = await session.request('tools/call', params, headers);
    for (const answer of [newer, older]) {
      expect(answer.status).toBe(status);
      expect(answer.message.error?.data).toHaveProperty('limit');
      expectTraced(answer.message, news.traces, 'key ann');
    }
    expect(news.traces.list()).toEqual([]);
  });

  test('it needs a scope', async () => {
    using news = waiting();
    const auth = { toolScopes: { get_news_next: ['news'] } } as ServerSettings['auth'];
    await using server = await guarded(news.server, auth === undefined ? {} : { auth });
    const call = modern('tools/call', params, { headers: server.headers });
    const { status, headers, message } = await send(server.url, call);
    expect(status).toBe(403);
    expect(headers['www-authenticate']).toContain('insufficient_scope');
    expectTraced(message, news.traces, 'key ann');
  });

  test('another call of its batch was one too many', async () => {
    using news = waiting();
    await using server = await guarded(news.server, { limits: { calls: 1 } });
    const { headers } = server;
    const session = await startSession(server.url, { headers, version: '2025-03-26' });
    const calls = [1, 2].map((id) => request(id, 'tools/call', params));
    const { message } = await session.post(calls, headers);
    expect(message.id).toBe(2);
    expectTraced(message, news.traces, 'key ann');
  });

  test('but nothing is known of one that is refused before it is read', async () => {
    using news = waiting();
    await using server = await guarded(news.server, {});
    const { status, message } = await send(server.url, modern('tools/call', params));
    expect(status).toBe(401);
    expect(message.error).not.toHaveProperty('data');
    expect([...news.traces.list(), ...news.traces.list('key ann')]).toEqual([]);
  });
});

/** The client's end of a unix socket. */
async function overSocket(service: Service, options: ServeOptions = {}) {
  const place = await mkdtemp(path.join(tmpdir(), 'mcp-kit-refusals-'));
  const listening = await listenSocket(service, path.join(place, 's'), options);
  const socket = connect(listening.address);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const messages = (): Message[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  return {
    send: (message: unknown) => void socket.write(`${JSON.stringify(message)}\n`),
    async answer(id: number): Promise<Message> {
      const find = (): Message | undefined => messages().find((message) => message.id === id);
      await expect.poll(find).toBeDefined();
      return find() ?? {};
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await listening.close();
      await rm(place, { recursive: true });
    },
  };
}

describe('over a socket a call has a trace that is refused because', () => {
  test('the handshake has not begun, or its envelope is incomplete', async () => {
    using news = waiting();
    await using client = await overSocket(news.server);
    client.send(request(1, 'tools/call', params));
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    client.send(request(2, 'tools/call', { ...params, _meta: meta }));
    for (const [id, code] of [
      [1, -32_600],
      [2, -32_602],
    ] as const) {
      const refused = await client.answer(id);
      expect(refused.error?.code).toBe(code);
      expectTraced(refused, news.traces);
    }
  });

  test('too much is under way, or its id is', async () => {
    using news = waiting();
    await using client = await overSocket(news.server, { maxInFlight: 1 });
    const call = modern('tools/call', params).body as Message;
    client.send({ ...call, id: 7 });
    await news.begun;
    client.send({ ...call, id: 8 });
    client.send({ ...call, id: 7 });
    expectTraced(await client.answer(8), news.traces);
    const twice = await client.answer(7);
    expect(twice.error?.message).toContain('id is under way');
    expectTraced(twice, news.traces);
  });
});

test('over stdio a call before the handshake is refused with a trace that can be asked for', async () => {
  await using child = Child.mcpctl('serve', '--stdio', '--governed');
  child.send({ id: 1, method: 'tools/call', params: { name: 'get_time_now', arguments: {} } });
  const refused = await child.answer(1);
  const { traceId } = (refused['error'] as { data: { traceId: string } }).data;
  const version = '2025-11-25';
  const info = { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version } };
  child.send({ id: 2, method: 'initialize', params: info });
  child.send({ method: 'notifications/initialized' });
  const ask = { name: 'get_trace_by_id', arguments: { traceId } };
  child.send({ id: 3, method: 'tools/call', params: ask });
  const told = await child.answer(3);
  expect(told).toMatchObject({
    result: { structuredContent: { data: { traceId, errorCode: 'RPC-32600' } } },
  });
});

test('a server whose tools are not governed says what it did, and is asked nothing', async () => {
  const set = toolSet([tool({ name: 'a', description: 'A.', run: () => 'a' })]);
  const server = createServer({ name: 'plain', version: '1', features: [set] });
  expect(server.observe).toBeUndefined();
  await using served = await serving(server);
  const { message } = await send(
    served.url,
    modern('tools/call', { name: 'a' }, { headers: { 'mcp-name': 'b' } }),
  );
  expect(message.error).not.toHaveProperty('data');
  const unready = await startSession(served.url, { ready: false });
  expect((await unready.request('tools/call', { name: 'a' })).message.error).not.toHaveProperty(
    'data',
  );
});

test('what is refused besides calls is said as it was', async () => {
  using news = waiting();
  await using served = await serving(news.server);
  const listing = modern('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } });
  expect((await send(served.url, listing)).message.error).not.toHaveProperty('data');
  const { message } = await post(served.url, request(1, 'ping'));
  expect(message.error).not.toHaveProperty('data');
  expect((await post(served.url, notification('tools/call', params))).status).toBe(400);
  expect((await initialize(served.url)).status).toBe(200);
  expect(news.traces.list()).toEqual([]);
});
