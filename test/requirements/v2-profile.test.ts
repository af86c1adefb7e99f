import { describe, expect, test } from 'vitest';
import { createServer, definePrompt, prompts } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { send, type Call } from '../support/http-client.ts';
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

const tools = toolSet(
  [
    tool({
      name: 'get_text_echo',
      description: 'Says it again.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => text,
    }),
  ],
  { contract: 'envelope' },
);
const broken = definePrompt({
  name: 'broken',
  get() {
    throw new Error('secret detail');
  },
});

function start(): Promise<Served> {
  const server = createServer({
    name: 'v2',
    version: '2.0.0',
    features: [tools, prompts([broken])],
  });
  return serving(server, { profile: 'v2' });
}

const echo = { name: 'get_text_echo', arguments: { text: 'hi' } };

describe('HTTP routes', () => {
  test('POST takes one message', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const answer = await session.request('tools/call', echo);
    expect(answer).toMatchObject({ status: 200, message: { id: 2, result: {} } });
  });

  test.each([
    ['one that is empty', []],
    ['one of a single request', [request(7, 'ping')]],
    ['one of initialize', [request(7, 'initialize', { protocolVersion: '2025-11-25' })]],
    ['one of notifications', [notification('notifications/initialized')]],
  ])('POST refuses a batch, %s, with -32600 and status 200', async (_name, batch) => {
    await using server = await start();
    const answer = await post(server.url, batch);
    expect(answer).toMatchObject({ status: 200, message: { error: { code: -32600 } } });
    expect(answer.messages).toHaveLength(1);
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'POST refuses a batch within a session of %s just so',
    async (version) => {
      await using server = await start();
      const session = await startSession(server.url, { version });
      const answer = await session.post([request(7, 'ping')]);
      expect(answer).toMatchObject({ status: 200, message: { error: { code: -32600 } } });
    },
  );

  test('GET that accepts event streams opens one', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using stream = await session.listen();
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('text/event-stream');
  });

  test.each([[{}], [{ accept: 'application/json' }], [{ accept: '*/*' }]])(
    'GET with %o describes the transport',
    async (headers) => {
      await using server = await start();
      const answer = await send(server.url, { method: 'GET', headers });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({
        transport: 'streamable-http',
        name: 'v2',
        version: '2.0.0',
        capabilities: { tools: {} },
      });
    },
  );

  test('DELETE without MCP-Session-Id is refused with status 400', async () => {
    await using server = await start();
    const answer = await send(server.url, { method: 'DELETE' });
    expect(answer.status).toBe(400);
  });

  test('DELETE ends the session and its event streams, with status 204', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using first = await session.listen();
    using second = await session.listen();
    const answer = await session.delete();
    expect(answer).toMatchObject({ status: 204, text: '' });
    await Promise.all([first.ended(), second.ended()]);
    expect(server.endpoint.sessionCount).toBe(0);
  });
});

describe('session header and lifecycle', () => {
  test('initialize answers with MCP-Session-Id', async () => {
    await using server = await start();
    const answer = await initialize(server.url);
    expect(answer).toMatchObject({
      status: 200,
      message: { id: 1, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'v2' } } },
    });
    expect(answer.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]+$/);
  });

  test('initialize without an id is refused and opens no session', async () => {
    await using server = await start();
    const params = { protocolVersion: '2025-11-25', capabilities: {} };
    const answer = await post(server.url, notification('initialize', params));
    expect(answer).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    expect(server.endpoint.sessionCount).toBe(0);
  });

  test('initialize that fails opens no session and names none', async () => {
    await using server = await start();
    const answer = await post(server.url, request(1, 'initialize', {}));
    expect(answer).toMatchObject({ message: { id: 1, error: { code: -32602 } } });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    expect(server.endpoint.sessionCount).toBe(0);
  });

  const missing = {};
  const unknown = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
  const stream = { accept: 'text/event-stream' };
  test.each<[string, string, Call]>([
    ['a request', 'missing', { body: request(1, 'tools/list'), headers: missing }],
    ['a request', 'unknown', { body: request(1, 'tools/list'), headers: unknown }],
    ['ping', 'missing', { body: request(1, 'ping'), headers: missing }],
    ['a notification', 'missing', { body: notification('notifications/initialized') }],
    ['a notification', 'unknown', { body: notification('notifications/x'), headers: unknown }],
    ['a response', 'missing', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['a response', 'unknown', { body: { jsonrpc: '2.0', id: 1, result: {} }, headers: unknown }],
    ['GET', 'missing', { method: 'GET', headers: stream }],
    ['GET', 'unknown', { method: 'GET', headers: { ...stream, ...unknown } }],
    ['DELETE', 'unknown', { method: 'DELETE', headers: unknown }],
  ])('%s whose session is %s is refused with status 400', async (_what, _why, call) => {
    await using server = await start();
    const answer = await send(server.url, {
      ...call,
      headers: { ...postHeaders, ...call.headers },
    });
    expect(answer.status).toBe(400);
  });

  test('a session that was deleted is refused with status 400', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    await session.delete();
    expect(await session.request('tools/list')).toMatchObject({ status: 400 });
    expect(await session.delete()).toMatchObject({ status: 400 });
  });

  test('notifications/initialized makes the session ready, with status 202 and no body', async () => {
    await using server = await start();
    const session = await startSession(server.url, { ready: false });
    expect(await session.request('tools/list')).toMatchObject({
      status: 200,
      message: { error: { code: -32600 } },
    });
    expect(await session.post(notification('notifications/initialized'))).toMatchObject({
      status: 202,
      text: '',
    });
    expect(await session.request('tools/list')).toMatchObject({ message: { result: {} } });
  });

  test.each(['tools/list', 'tools/call', 'prompts/list', 'get_tool_manifest', 'nonsense'])(
    '%s before the session is ready is -32600',
    async (method) => {
      await using server = await start();
      const session = await startSession(server.url, { ready: false });
      const answer = await session.request(method, echo);
      expect(answer.message).toMatchObject({ id: 2, error: { code: -32600 } });
    },
  );

  test('ping is answered before the session is ready', async () => {
    await using server = await start();
    const session = await startSession(server.url, { ready: false });
    expect((await session.request('ping')).message).toMatchObject({ result: {} });
  });
});

describe('protocol errors', () => {
  test.each(['{"jsonrpc":', '', 'hello', '{"jsonrpc":"2.0","id":1,"method":"ping"}}'])(
    'the body %j cannot be parsed: -32700',
    async (body) => {
      await using server = await start();
      const session = await startSession(server.url);
      const answer = await session.post(body);
      expect(answer).toMatchObject({ status: 400, message: { error: { code: -32700 } } });
    },
  );

  test.each([
    ['a number', 5],
    ['no jsonrpc', { id: 1, method: 'ping' }],
    ['another jsonrpc', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 5 }],
    ['params in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['nothing to do', { jsonrpc: '2.0', id: 1 }],
  ])('a message with %s is invalid: -32600', async (_name, body) => {
    await using server = await start();
    const session = await startSession(server.url);
    expect((await session.post(body)).message).toMatchObject({ error: { code: -32600 } });
  });

  test.each([
    { what: 'an unknown method', code: -32601, method: 'tools/nonsense', params: {} },
    { what: 'an unknown tool', code: -32602, method: 'tools/call', params: { name: 'get_x' } },
    { what: 'no tool', code: -32602, method: 'tools/call', params: {} },
    {
      what: 'arguments that are no object',
      code: -32602,
      method: 'tools/call',
      params: { ...echo, arguments: [1] },
    },
    { what: 'an unknown cursor', code: -32602, method: 'tools/list', params: { cursor: 'xyz' } },
    { what: 'a failing server', code: -32603, method: 'prompts/get', params: { name: 'broken' } },
  ])('$what is $code, within status 200', async ({ code, method, params }) => {
    await using server = await start();
    const session = await startSession(server.url);
    const answer = await session.request(method, params);
    expect(answer).toMatchObject({ status: 200, message: { id: 2, error: { code } } });
    expect(answer.message).not.toHaveProperty('result');
    expect(answer.text).not.toContain('secret detail');
  });

  test.each([
    ['a result', { jsonrpc: '2.0', id: 99, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 99, error: { code: -1, message: 'no' } }],
    ['an error without id', { jsonrpc: '2.0', error: { code: -1, message: 'no' } }],
  ])('a response from the client, %s, is ignored without an answer', async (_name, body) => {
    await using server = await start();
    const session = await startSession(server.url);
    expect(await session.post(body)).toMatchObject({ status: 202, text: '' });
  });

  test.each(['notifications/cancelled', 'notifications/unheard-of', 'tools/list'])(
    'the notification %s has status 202 and no body',
    async (method) => {
      await using server = await start();
      const session = await startSession(server.url);
      expect(await session.post(notification(method))).toMatchObject({ status: 202, text: '' });
    },
  );

  test('the id 0 belongs to a request', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    expect((await session.post(request(0, 'ping'))).message).toMatchObject({ id: 0, result: {} });
  });
});
