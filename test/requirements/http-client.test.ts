import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDeferred, silentLogger, steer, vocabulary } from 'mcp-kit/internal';
import { Connection, RpcError, type Handlers, type Notification } from 'mcp-kit/jsonrpc';
import { callMcp, httpTarget, sseTarget } from 'mcp-kit/transport/http-client';
import { deafSink } from '../support/pipe.ts';
import {
  event,
  json,
  noStream,
  result,
  scripted,
  sessionful,
  stream,
  type Script,
} from './http-client-fixture.ts';

interface Client extends AsyncDisposable {
  readonly connection: Connection;
  readonly notifications: Notification[];
  /** Settles with the next notification of this method. */
  heard(method: string): Promise<Notification>;
}

async function connect(url: string, timeoutMs = 10_000): Promise<Client> {
  const notifications: Notification[] = [];
  const waiting = new Map<string, (notification: Notification) => void>();
  const handlers = (connection: Connection): Handlers => ({
    request: ({ message: request }) => {
      if (request.method === 'ping') return {};
      throw new RpcError(-32_601, `Method not found: ${request.method}`);
    },
    notification: (message) => {
      if (steer(connection, message)) return;
      notifications.push(message);
      waiting.get(message.method)?.(message);
    },
    acceptsBatch: () => false,
    malformed: () => {},
    closed: () => {},
  });
  const channel = await httpTarget(url).dial();
  const connection = new Connection(channel, handlers, { vocabulary, timeoutMs });
  return {
    connection,
    notifications,
    heard: (method) => new Promise((resolve) => waiting.set(method, resolve)),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function open(url: string): Promise<Client> {
  const client = await connect(url);
  await client.connection.request('initialize', { protocolVersion: '2025-11-25' });
  await client.connection.notify('notifications/initialized');
  return client;
}

const plain: Script = sessionful(noStream((seen) => json(seen, result(seen, { ok: true }))));

describe('a connection over HTTP', () => {
  test('each request is a POST with its own id, answered by one JSON-RPC response', async () => {
    await using server = await scripted(plain);
    await using client = await open(server.url);
    const answers = await Promise.all([
      client.connection.request('tools/list'),
      client.connection.request('tools/call', { name: 'x' }),
    ]);
    expect(answers).toEqual([{ ok: true }, { ok: true }]);
    const ids = server.seen.map(({ message }) => message.id).filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('an event stream is read until the message with the expected id; notifications before it are delivered', async () => {
    await using server = await scripted((seen) => {
      const response = stream(seen);
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
      response.write(event({ jsonrpc: '2.0', id: 'unknown', result: {} }));
      response.write(event(result(seen, { streamed: true })));
    });
    await using client = await connect(server.url);
    await expect(client.connection.request('tools/call')).resolves.toEqual({ streamed: true });
    expect(client.notifications.map(({ method }) => method)).toEqual(['notifications/message']);
  });

  test('a stream that ends before the answer fails the request', async () => {
    await using server = await scripted((seen) => stream(seen).end());
    await using client = await connect(server.url);
    await expect(client.connection.request('tools/call')).rejects.toMatchObject({
      code: 'answer_lost',
      message: 'the stream ended before the answer to tools/call',
    });
  });

  test('a notification is a POST without an id, and any 2xx will do', async () => {
    for (const status of [200, 202, 204]) {
      await using server = await scripted(({ response }) => response.writeHead(status).end());
      await using client = await connect(server.url);
      await client.connection.notify('notifications/roots/list_changed');
      const { message } = await server.nth('POST');
      expect(message).toEqual({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    }
  });

  test('opening it needs no connection: it is usable, not connected', async () => {
    await using server = await scripted(plain);
    await using client = await connect(server.url);
    expect(client.connection.open).toBe(true);
    expect(server.connections.total).toBe(0);
  });

  test('the session of the answer is named in every later request, and deleted at the end', async () => {
    await using server = await scripted(plain);
    const client = await open(server.url);
    await client.connection.request('tools/list');
    await client.connection.close();
    const named = server.seen.filter(({ headers }) => headers['mcp-session-id'] === 'session-1');
    expect(named).toHaveLength(server.seen.length - 1);
    expect(server.seen.at(-1)?.method).toBe('DELETE');
  });

  test('a failure to delete the session is ignored', async () => {
    await using server = await scripted((seen) => {
      if (seen.method === 'DELETE') seen.response.socket?.resetAndDestroy();
      else plain(seen);
    });
    const client = await open(server.url);
    await client.connection.close();
    expect(server.all('DELETE')).toHaveLength(1);
  });

  test('a timeout and a caller who gives up are told apart, and the reason is kept', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method !== 'tools/call') plain(seen);
    });
    await using client = await open(server.url);
    const late = client.connection.request('tools/call', {}, { timeoutMs: 30 });
    await expect(late).rejects.toMatchObject({
      code: 'timeout',
      message: 'tools/call: no answer within 30 ms',
    });
    const controller = new AbortController();
    const call = client.connection.request('tools/call', {}, { signal: controller.signal });
    controller.abort('enough');
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  });

  test('a notification or an answer that the server never takes is given up after 30 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const warnings: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
      await using server = await scripted((seen) => {
        const { id, method } = seen.message;
        if (method !== undefined && method !== 'notifications/deaf') plain(seen);
        else if (id === 'taken') seen.response.writeHead(202).end();
      });
      const channel = await httpTarget(server.url, { logger }).dial();
      channel.start(deafSink);
      channel.send('{"jsonrpc":"2.0","method":"notifications/deaf"}');
      for (let id = 1; id <= 16; id += 1) channel.reply(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
      channel.reply('{"jsonrpc":"2.0","id":"taken","result":{}}');
      await server.nth('POST', 16);
      vi.advanceTimersByTime(29_999);
      expect(warnings).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(warnings).toHaveLength(17);
      expect(warnings[0]).toContain('notifications/deaf: not taken within 30000 ms');
      // Those that were never taken no longer hold up the next.
      await expect.poll(() => server.seen.at(-1)?.message.id).toBe('taken');
      await channel.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a status is told as HTTP <status>: <text>, with what the server wants for credentials', async () => {
    await using server = await scripted(({ response, message }) => {
      if (message.method === 'a') response.writeHead(502).end('bad gateway');
      else {
        response.writeHead(401, { 'www-authenticate': 'Bearer', 'mcp-auth-server': 'https://a' });
        response.end('who are you?');
      }
    });
    await using client = await connect(server.url);
    await expect(client.connection.request('a')).rejects.toMatchObject({
      code: 'http_status',
      message: 'HTTP 502: bad gateway',
    });
    await expect(client.connection.request('b')).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'HTTP 401: who are you?',
      hint: 'WWW-Authenticate: Bearer; Mcp-Auth-Server: https://a',
    });
  });

  test('a JSON-RPC error is that error', async () => {
    await using server = await scripted((seen) =>
      json(seen, { jsonrpc: '2.0', id: seen.message.id, error: { code: -32_000, message: 'no' } }),
    );
    await using client = await connect(server.url);
    const failure = client.connection.request('tools/call');
    await expect(failure).rejects.toBeInstanceOf(RpcError);
    await expect(failure).rejects.toMatchObject({ code: -32_000, message: 'no' });
  });

  test('a body that is not JSON fails the request', async () => {
    await using server = await scripted((seen) => json(seen, '{"jsonrpc'));
    await using client = await connect(server.url);
    await expect(client.connection.request('x')).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test('a stream for notifications that the server does not have is done without', async () => {
    await using server = await scripted(plain);
    await using client = await open(server.url);
    await server.nth('GET');
    await expect(client.connection.request('tools/list')).resolves.toEqual({ ok: true });
  });
});

describe('streams, timeouts and lost answers over HTTP', () => {
  test('the stream for notifications is opened by itself, after the handshake', async () => {
    await using server = await scripted(
      sessionful((seen) => stream(seen).write(event({ jsonrpc: '2.0', method: 'changed' }))),
    );
    await using client = await open(server.url);
    await client.heard('changed');
  });

  test('nothing waits for that stream, however slow the server is with it', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.method !== 'GET') json(seen, result(seen));
      }),
    );
    await using client = await open(server.url);
    await client.connection.request('tools/list');
    await server.nth('GET');
    expect(server.all('GET')[0]?.response.headersSent).toBe(false);
  });

  test('that stream comes back when it is cut', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        const again = seen.headers['last-event-id'] === '1';
        if (again) stream(seen).write(event({ jsonrpc: '2.0', method: 'second' }));
        else stream(seen).end(`retry: 10\n${event({ jsonrpc: '2.0', method: 'first' }, '1')}`);
      }),
    );
    await using client = await open(server.url);
    await client.heard('second');
  });

  test('a malformed event spoils neither its request nor its stream', async () => {
    await using server = await scripted((seen) => {
      stream(seen).end(`${event('{"broken')}${event(result(seen, { fine: true }))}`);
    });
    await using client = await connect(server.url);
    await expect(client.connection.request('tools/call')).resolves.toEqual({ fine: true });
  });

  test('an answer whose stream was cut is fetched, without sending the request again', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.message.method === 'tools/call') stream(seen).end(`retry: 10\n${event('', '1')}`);
        else if (seen.headers['last-event-id'] === undefined) seen.response.writeHead(405).end();
        else {
          const { id } = server.all('tools/call')[0]?.message ?? {};
          stream(seen).end(event({ jsonrpc: '2.0', id, result: { late: true } }));
        }
      }),
    );
    await using client = await open(server.url);
    await expect(client.connection.request('tools/call')).resolves.toEqual({ late: true });
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('a request that may have run is never sent again by itself', async () => {
    await using server = await scripted(({ response }) => response.socket?.resetAndDestroy());
    await using client = await connect(server.url);
    await expect(client.connection.request('tools/call')).rejects.toMatchObject({
      code: 'answer_lost',
    });
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('the server is told of a timeout and of a caller who gives up', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'notifications/cancelled') seen.response.writeHead(202).end();
      else if (seen.message.method !== 'tools/call') plain(seen);
    });
    await using client = await open(server.url);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const call = client.connection.request('tools/call', {}, { timeoutMs: 30 });
    await server.nth('tools/call');
    vi.advanceTimersByTime(30);
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    const { message } = await server.nth('notifications/cancelled');
    expect(message.params).toMatchObject({ requestId: server.all('tools/call')[0]?.message.id });
  });

  test('the negotiated version is said with every request', async () => {
    await using server = await scripted(plain);
    await using client = await open(server.url);
    await client.connection.request('tools/list');
    const { headers } = await server.nth('tools/list');
    expect(headers['mcp-protocol-version']).toBe('2025-06-18');
  });

  test('requests of the server are answered', async () => {
    const answered = createDeferred<void>();
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.method === 'GET') {
          const response = stream(seen);
          response.write(event({ jsonrpc: '2.0', id: 'p', method: 'ping' }));
          response.write(event({ jsonrpc: '2.0', id: 'q', method: 'unheard/of' }));
        } else {
          seen.response.writeHead(202).end();
          if (server.all('POST').length === 4) answered.resolve();
        }
      }),
    );
    await using client = await open(server.url);
    await answered.promise;
    const answers = server
      .all('POST')
      .slice(2)
      .map(({ message }) => message);
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(answers).toContainEqual(
      expect.objectContaining({ id: 'q', error: expect.objectContaining({ code: -32_601 }) }),
    );
    expect(client.connection.open).toBe(true);
  });

  test('the older transport with its event stream is one of its own', async () => {
    await using server = await scripted((seen) => {
      if (seen.method === 'GET') stream(seen).write(`event: endpoint\n${event('/messages')}`);
      else seen.response.writeHead(202).end();
    });
    const channel = await sseTarget(server.url).dial();
    channel.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect((await server.nth('POST')).path).toBe('/messages');
    await channel.close();
  });

  test('headers that belong to the protocol cannot be overridden', () => {
    const headers = { 'Mcp-Session-Id': 'mine' };
    expect(() => httpTarget('http://127.0.0.1:1/', { headers })).toThrow(/cannot be set/);
  });

  test('a direct call reads every event, in whatever lines, and has a timeout and a signal', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'silent') return;
      const lines = JSON.stringify(result(seen, { ok: true }), undefined, 1).split('\n');
      const data = lines.map((line) => `data: ${line}`).join('\r\n');
      const first = event({ jsonrpc: '2.0', method: 'notifications/message' });
      stream(seen).end(`${first}${data}\r\n\r\n`);
    });
    await expect(callMcp(server.url, 'x')).resolves.toMatchObject({ result: { ok: true } });
    await expect(callMcp(server.url, 'silent', {}, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'timeout',
    });
    const signal = AbortSignal.abort();
    await expect(callMcp(server.url, 'x', {}, { signal })).rejects.toMatchObject({
      code: 'aborted',
    });
  });
});
