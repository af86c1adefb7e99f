import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet, type ToolSet } from 'mcp-kit/tools';
import { profiles, serveHttp, type HttpOptions, type ProfileName } from 'mcp-kit/transport/http';
import { send } from '../support/http-client.ts';
import {
  initialize,
  modern,
  notification,
  post,
  postHeaders,
  request,
  serving,
  startSession,
  type Served,
} from '../support/mcp-http.ts';

// What no profile changes.

interface Started extends Served {
  readonly tools: ToolSet;
}

async function start(profile: ProfileName, options: HttpOptions = {}): Promise<Started> {
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    tool({
      name: 'fail',
      description: 'Fails.',
      run() {
        throw fail('E_CONFLICT', 'not now');
      },
    }),
  ]);
  const server = createServer({ name: 'shared', version: '1.0.0', features: [tools] });
  return Object.assign(await serving(server, { profile, ...options }), { tools });
}

const names: readonly ProfileName[] = ['spec', 'v2', '2025-06-18'];

describe.each(names)('in the profile %s', (profile) => {
  test('a call without a name says so', async () => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    for (const params of [{}, { name: 7 }, { name: null }]) {
      const { message } = await session.request('tools/call', params);
      const said = 'name must be a string: the tool to call';
      expect(message.error).toMatchObject({ code: -32_602, message: said });
    }
  });

  test.each([
    ['2025-06-18', { id: null }],
    [undefined, { id: null }],
    ['2025-11-25', {}],
    ['2026-07-28', {}],
  ])('an error without a readable id, in revision %s, has %j', async (version, expected) => {
    await using server = await start(profile);
    const headers = version === undefined ? {} : { 'mcp-protocol-version': version };
    for (const body of ['{', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '7', '[]']) {
      const { id } = (await post(server.url, body, headers)).message;
      expect({ ...(id !== undefined && { id }) }).toEqual(expected);
    }
  });

  test('one message goes to exactly one stream', async () => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    using first = await session.listen();
    using second = await session.listen();
    for (const name of ['a', 'b', 'c']) {
      server.tools.add(tool({ name, description: 'New.', run: () => name }));
    }
    await session.delete();
    const events = [...(await first.ended()), ...(await second.ended())];
    expect(events.filter(({ data }) => data)).toHaveLength(3);
  });

  test('initialize must be a request with an id', async () => {
    await using server = await start(profile);
    const answer = await post(server.url, notification('initialize', { protocolVersion: 'x' }));
    expect(answer).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
  });

  test.each([
    ['a notification', notification('notifications/whatever')],
    ['a response', { jsonrpc: '2.0', id: 77, result: {} }],
    ['an error response', { jsonrpc: '2.0', id: 77, error: { code: 1, message: 'x' } }],
  ])('%s answers 202 with no body', async (_what, body) => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    expect(await session.post(body)).toMatchObject({ status: 202, text: '' });
  });

  test('the id 0 is a request', async () => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    expect((await session.post(request(0, 'ping'))).message).toMatchObject({ id: 0, result: {} });
  });

  test.each([
    ['an unknown tool', -32602, request(5, 'tools/call', { name: 'nothing' })],
    [
      'arguments that are no object',
      -32602,
      request(5, 'tools/call', { name: 'say', arguments: 1 }),
    ],
    ['an unknown method', -32601, request(5, 'nonsense')],
  ])('%s is %i', async (_what, code, body) => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    expect((await session.post(body)).message).toMatchObject({ id: 5, error: { code } });
  });

  test('a failing tool is isError with its code, not an error of the protocol', async () => {
    await using server = await start(profile);
    const session = await startSession(server.url);
    const { message } = await session.request('tools/call', { name: 'fail' });
    expect(message).toMatchObject({
      result: { isError: true, content: [{ text: 'E_CONFLICT: not now' }] },
    });
    expect(message).not.toHaveProperty('error');
  });

  test('a session whose time is up ends, swept or asked for', async () => {
    await using server = await start(profile, { sessions: { ttlMs: 1000, sweepMs: 5 } });
    await startSession(server.url);
    await expect.poll(() => server.endpoint.sessionCount).toBe(0);
  });

  test('session ids are random UUIDs', async () => {
    await using server = await start(profile);
    const { headers } = await initialize(server.url);
    expect(headers['mcp-session-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
  });

  test.each(['http://attacker.example', 'null', 'file://'])(
    'the origin %s is refused, in both eras and by every method',
    async (origin) => {
      await using server = await start(profile);
      const { url } = server;
      const calls = [
        { body: request(1, 'ping'), headers: { ...postHeaders, origin } },
        { method: 'GET', headers: { accept: 'text/event-stream', origin } },
        { method: 'DELETE', headers: { origin } },
        modern('tools/list', {}, { headers: { origin } }),
      ];
      for (const call of calls) expect(await send(url, call)).toMatchObject({ status: 403 });
    },
  );

  test.each(['attacker.example', 'localhost.attacker.example', '169.254.169.254', 'localhost:'])(
    'the host %s is refused',
    async (host) => {
      await using server = await start(profile);
      const headers = { ...postHeaders, host };
      expect(await send(server.url, { headers, body: request(1, 'ping') })).toMatchObject({
        status: 403,
      });
    },
  );

  test('two Host headers are refused', async () => {
    await using server = await start(profile);
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET /mcp HTTP/1.1\r\nhost: localhost\r\nhost: attacker.example\r\n\r\n');
    const [head] = (await once(socket, 'data')) as [string];
    socket.destroy();
    expect(head).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  test('an announced body over the limit is refused unread', async () => {
    await using server = await start(profile, { limits: { maxBytes: 1000 } });
    const answer = await post(server.url, 'x'.repeat(1001));
    expect(answer).toMatchObject({ status: 413, message: { error: { code: -32600 } } });
  });

  test.each([1001, 200_000])(
    'a body of %i bytes that was not announced is refused when it passes the limit',
    async (size) => {
      await using server = await start(profile, { limits: { maxBytes: 1000 } });
      const headers = { ...postHeaders, 'transfer-encoding': 'chunked' };
      const answer = await send(server.url, { headers, body: 'x'.repeat(size) });
      expect(answer).toMatchObject({ status: 413 });
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json5', ''])(
    'the content type %j is refused with status 415',
    async (type) => {
      await using server = await start(profile);
      const headers = { ...postHeaders, 'content-type': type };
      expect(await send(server.url, { headers, body: '{}' })).toMatchObject({ status: 415 });
    },
  );

  test('other paths are 404, other methods 405', async () => {
    await using server = await start(profile);
    const other = server.url.replace('/mcp', '/other');
    expect(await send(other, { method: 'GET' })).toMatchObject({ status: 404 });
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      expect(await send(server.url, { method })).toMatchObject({ status: 405 });
    }
  });
});

test('an address other machines can reach is refused unless the risk is accepted', async () => {
  const server = createServer({ name: 'shared', version: '1.0.0', features: [] });
  await expect(serveHttp(server, { host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'unsafe_bind',
  });
});

test('the profiles are the three documented ones', () => {
  expect(Object.keys(profiles)).toEqual(names);
});
