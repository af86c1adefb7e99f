import { silentLogger, type Logger } from 'mcp-kit/internal';
import type { ProfileName } from 'mcp-kit/transport/http';
import { describe, expect, test, vi } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { send } from '../support/http-client.ts';
import {
  initialize,
  notification,
  post,
  postHeaders,
  request,
  serving,
  startSession,
  type Served,
} from '../support/mcp-http.ts';

// The compliance checklist of the profile, item by item.

const version = '2025-06-18';
const preferStream = { accept: 'text/event-stream, application/json' };

function start(): Promise<Served> {
  const tools = toolSet([
    tool({
      name: 'echo',
      description: 'Says it again.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => text,
    }),
    tool({
      name: 'count',
      description: 'Reports progress three times.',
      async run(_args, context) {
        for (let at = 1; at <= 3; at += 1) await context.progress(at, 3);
        return 'counted';
      },
    }),
  ]);
  const server = createServer({ name: 'checklist', version: '1.0.0', features: [tools] });
  return serving(server, { profile: version });
}

const echo = { name: 'echo', arguments: { text: 'hi' } };
const count = { name: 'count', _meta: { progressToken: 'p' } };
const echoed = { content: [{ type: 'text', text: 'hi' }] };

/** Time as sessions see it stands still until told to go on; sockets do not notice. */
function fakeClock(): Disposable {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  return { [Symbol.dispose]: () => void vi.useRealTimers() };
}

describe('the order of the Accept header', () => {
  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream, application/json', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
  ])('%s is answered with %s, also where something precedes the answer', async (accept, type) => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    for (const params of [echo, count]) {
      const answer = await session.request('tools/call', params, { accept });
      expect(answer.headers['content-type']).toBe(type);
      expect(answer.message).toMatchObject({ result: { content: [{ type: 'text' }] } });
    }
  });
});

describe('a session whose streams have all closed', () => {
  const sweepMs = 300_000;
  const ended = vi.fn<Logger['info']>();

  /** Two sessions whose streams have closed. */
  async function left(profile: ProfileName) {
    const server = createServer({ name: 'left', version: '1', features: [] });
    const logger = { ...silentLogger, info: ended };
    const served = await serving(server, { profile, logger });
    const sessions = [
      await startSession(served.url, { version }),
      await startSession(served.url, { version }),
    ];
    for (const session of sessions) {
      using stream = await session.listen();
      stream.close();
    }
    await vi.waitUntil(() => served.endpoint.streamCount === 0);
    return { served, sessions };
  }

  test('ends at the next sweep, which is logged, unless it was used since', async () => {
    using _ = fakeClock();
    ended.mockClear();
    const { served, sessions } = await left(version);
    await using _served = served;
    const [gone, used] = sessions;
    vi.advanceTimersByTime(1000);
    await used?.request('ping');
    vi.advanceTimersByTime(sweepMs);
    expect((await gone?.request('ping'))?.status).toBe(404);
    expect((await used?.request('ping'))?.status).toBe(200);
    const id = gone?.id.slice(0, 8);
    expect(ended.mock.calls).toEqual([
      [
        'session ended',
        { session: id, why: 'its streams have closed', idleMs: expect.any(Number) },
      ],
    ]);
  });

  test('goes on in other profiles, until it is idle for too long, which is logged', async () => {
    using _ = fakeClock();
    ended.mockClear();
    const { served, sessions } = await left('spec');
    await using _served = served;
    vi.advanceTimersByTime(sweepMs);
    for (const session of sessions) expect((await session.request('ping')).status).toBe(200);
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(13 * sweepMs);
    for (const session of sessions) expect((await session.request('ping')).status).toBe(404);
    expect(ended.mock.calls.map(([, fields]) => fields)).toMatchObject([
      { why: 'idle' },
      { why: 'idle' },
    ]);
  });
});

describe('checklist', () => {
  test('initialize answers with the session in Mcp-Session-Id', async () => {
    await using server = await start();
    const answer = await initialize(server.url, { version });
    expect(answer).toMatchObject({
      status: 200,
      message: { id: 1, result: { protocolVersion: version, serverInfo: { name: 'checklist' } } },
    });
    expect(answer.headers['mcp-session-id']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test('a notification has status 202', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version, ready: false });
    const answer = await session.post(notification('notifications/initialized'));
    expect(answer).toMatchObject({ status: 202, text: '' });
  });

  test('tools/list lists the tools', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('tools/list');
    expect(answer.message).toMatchObject({
      jsonrpc: '2.0',
      id: 2,
      result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }, { name: 'count' }] },
    });
  });

  test('a tool can be called for JSON', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('tools/call', echo);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.message).toEqual({ jsonrpc: '2.0', id: 2, result: echoed });
  });

  test('a tool can be called for an event stream', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('tools/call', echo, preferStream);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.message).toEqual({ jsonrpc: '2.0', id: 2, result: echoed });
  });

  test('GET opens an event stream', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    using stream = await session.listen();
    expect(stream).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
  });

  test('GET with Last-Event-Id goes on after that event', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('tools/call', count, preferStream);
    expect(answer.events).toHaveLength(4);
    const [first, ...rest] = answer.events;
    const resumed = await session.get({
      accept: 'text/event-stream',
      'Last-Event-Id': String(first?.id),
    });
    expect(resumed.events).toEqual(rest);
  });

  test('after DELETE the session is unknown: 404', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    expect(await session.delete()).toMatchObject({ status: 204 });
    expect(await session.request('tools/list')).toMatchObject({
      status: 404,
      message: { error: { code: -32001 } },
    });
  });

  test('an invalid protocol version has status 400', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const invalid = { 'mcp-protocol-version': '1999-01-01' };
    expect(await session.request('tools/list', {}, invalid)).toMatchObject({ status: 400 });
  });

  test('no Accept header has status 400', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await send(server.url, {
      headers: { 'content-type': 'application/json', ...session.headers },
      body: request(2, 'tools/list'),
    });
    expect(answer).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
  });

  test('no session id has status 404', async () => {
    await using server = await start();
    expect(await post(server.url, request(2, 'tools/list'))).toMatchObject({
      status: 404,
      message: { error: { code: -32001 } },
    });
  });

  test('an expired session has status 404', async () => {
    using _clock = fakeClock();
    await using server = await start();
    const session = await startSession(server.url, { version });
    vi.advanceTimersByTime(3_601_000);
    expect(await session.request('tools/list')).toMatchObject({
      status: 404,
      message: { error: { code: -32001 } },
    });
  });
});

describe('a POST', () => {
  test.each(['text/html', 'application/xml, image/*', 'text/plain'])(
    'that accepts only %s has status 400',
    async (accept) => {
      await using server = await start();
      expect(await initialize(server.url, { headers: { accept } })).toMatchObject({ status: 400 });
    },
  );

  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/event-stream, application/json', 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, */*', 'text/event-stream'],
  ])('that accepts %s is answered as %s', async (accept, type) => {
    await using server = await start();
    const session = await startSession(server.url, { version, headers: { accept } });
    const answer = await session.request('tools/call', echo, { accept });
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.message.result).toEqual(echoed);
  });

  test('that prefers JSON hears what precedes the answer on the stream of its session', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    using stream = await session.listen();
    const answer = await session.request('tools/call', count);
    expect(answer.messages).toMatchObject([{ result: { content: [{ text: 'counted' }] } }]);
    for (let at = 1; at <= 3; at += 1) {
      expect(await stream.nextMessage()).toMatchObject({ params: { progress: at } });
    }
  });

  test.each([
    ['a notification', notification('notifications/anything')],
    ['a result', { jsonrpc: '2.0', id: 9, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 9, error: { code: 1, message: 'no' } }],
  ])('of %s has status 202 and no body', async (_what, body) => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    expect(await session.post(body)).toMatchObject({ status: 202, text: '' });
  });

  test('of another jsonrpc is -32600', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.post({ jsonrpc: '1.0', id: 5, method: 'ping' });
    expect(answer.message).toMatchObject({ id: 5, error: { code: -32600 } });
  });

  test('of an unknown method is -32601', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('nonsense');
    expect(answer).toMatchObject({ status: 200, message: { error: { code: -32601 } } });
  });
});

describe('the version header', () => {
  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])('%s is negotiated', async (asked) => {
    await using server = await start();
    const session = await startSession(server.url, { version: asked });
    expect(session.headers).toMatchObject({ 'mcp-protocol-version': asked });
    expect(await session.request('tools/list')).toMatchObject({ status: 200 });
  });

  test('may be missing', async () => {
    await using server = await start();
    const { id } = await startSession(server.url, { version });
    const answer = await post(server.url, request(2, 'tools/list'), { 'mcp-session-id': id });
    expect(answer).toMatchObject({ status: 200, message: { result: {} } });
  });

  const invalid = { 'mcp-protocol-version': 'latest' };
  test('is checked on initialize, too', async () => {
    await using server = await start();
    expect(await initialize(server.url, { version, headers: invalid })).toMatchObject({
      status: 400,
    });
    expect(server.endpoint.sessionCount).toBe(0);
  });

  test.each(['GET', 'DELETE'])('is checked on %s, too', async (method) => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const headers = { ...postHeaders, ...session.headers, ...invalid };
    expect(await send(server.url, { method, headers })).toMatchObject({ status: 400 });
    expect(server.endpoint.sessionCount).toBe(1);
  });
});
