import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { createDeferred, silentLogger } from 'mcp-kit/internal';
import { modernVersion } from 'mcp-kit/protocol';
import { httpTarget } from 'mcp-kit/transport/http-client';
import {
  enveloped,
  event,
  json,
  noStream,
  result,
  scripted,
  sessionful,
  stream,
  talk,
  type Script,
} from './http-client-fixture.ts';

// What the HTTP client sends, and what it makes of the answers.

const echo: Script = (seen) => json(seen, result(seen, { echo: seen.message.params ?? {} }));
const legacy = sessionful(noStream(echo));

describe('a target', () => {
  test('is named by its URL without credentials, query and fragment, and falls back to the older way', () => {
    const target = httpTarget('https://me:secret@example.org/mcp?tenant=1#top');
    expect(target).toMatchObject({
      label: 'https://example.org/mcp',
      key: 'https://example.org/mcp?tenant=1',
      wire: 'http',
      fallback: { label: 'https://example.org/mcp', wire: 'http' },
    });
    expect(target.fallback?.key).not.toBe(target.key);
  });

  test.each(['ftp://example.org', 'example.org/mcp', '', 'file:///etc/passwd'])(
    'cannot be %j',
    (url) => {
      expect(() => httpTarget(url)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    },
  );
});

describe('a legacy request', () => {
  test('is one POST that takes both kinds of answers', async () => {
    await using server = await scripted(echo);
    await using client = await talk(server.url);
    const answer = await client.answer(client.ask('tools/list', { cursor: 'ünï' }));
    expect(answer.result).toEqual({ echo: { cursor: 'ünï' } });
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: 'POST', path: '/mcp' });
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(seen?.text ?? '')),
      host: new URL(server.url).host,
    });
    expect(seen?.headers).not.toHaveProperty('mcp-session-id');
    expect(seen?.headers).not.toHaveProperty('mcp-protocol-version');
  });

  test('names the session and the negotiated version once they are known', async () => {
    await using server = await scripted(legacy);
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('tools/list'));
    expect(server.all('initialize')[0]?.headers).not.toHaveProperty('mcp-session-id');
    expect(server.all('initialize')[0]?.headers).not.toHaveProperty('mcp-protocol-version');
    for (const method of ['notifications/initialized', 'tools/list', 'GET']) {
      expect((await server.nth(method)).headers).toMatchObject({
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': '2025-06-18',
      });
    }
  });

  test('is read from the text when nobody says what it is', async () => {
    await using server = await scripted(legacy);
    await using client = await talk(server.url);
    client.channel.send('{"jsonrpc":"2.0","id":"x","method":"initialize","params":{}}');
    await client.answer('x');
    client.channel.send('{"jsonrpc":"2.0","id":"y","method":"ping"}');
    await client.answer('y');
    expect(server.all('ping')[0]?.headers).toHaveProperty('mcp-session-id', 'session-1');
  });

  test('never names a session whose id could not be sent', async () => {
    await using server = await scripted(sessionful(noStream(echo), 'white space'));
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('tools/list'));
    expect(server.all('tools/list')[0]?.headers).not.toHaveProperty('mcp-session-id');
    expect(server.all('tools/list')[0]?.headers).toHaveProperty('mcp-protocol-version');
  });

  test('that opens a session anew begins without anything of the old one', async () => {
    let session = 0;
    await using server = await scripted((seen) => {
      if (seen.method === 'GET') stream(seen);
      else
        sessionful(echo, `session-${seen.message.method === 'initialize' ? ++session : 0}`)(seen);
    });
    await using client = await talk(server.url);
    await client.shakeHands();
    const listening = await server.nth('GET');
    const cut = new Promise((resolve) => listening.response.once('close', resolve));
    await client.answer(client.ask('initialize'));
    await cut;
    expect(server.all('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id');
    expect(server.all('initialize')[1]?.headers).not.toHaveProperty('mcp-protocol-version');
    await client.answer(client.ask('ping'));
    expect(server.all('ping')[0]?.headers).toHaveProperty('mcp-session-id', 'session-2');
  });

  test('that opens a session anew lets the server forget the old one, unless it has', async () => {
    let session = 0;
    await using server = await scripted((seen) => {
      if (seen.method === 'GET') seen.response.writeHead(405).end();
      else if (seen.message.method === 'gone') seen.response.writeHead(404).end();
      else
        sessionful(echo, `session-${seen.message.method === 'initialize' ? ++session : 0}`)(seen);
    });
    const client = await talk(server.url);
    await client.shakeHands();
    await client.shakeHands();
    const left = await server.nth('DELETE');
    expect(left.headers).toMatchObject({
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
    });
    await client.loss(client.ask('gone'));
    await client.shakeHands();
    await client.channel.close();
    const farewells = server.all('DELETE').map(({ headers }) => headers['mcp-session-id']);
    expect(farewells).toEqual(['session-1', 'session-3']);
  });

  test('that opens a session anew does not wait for that, nor does the end for long', async () => {
    await using server = await scripted((seen) => {
      if (seen.method !== 'DELETE') sessionful(noStream(echo))(seen);
    });
    const client = await talk(server.url, { closeTimeoutMs: 100 });
    await client.shakeHands();
    await client.shakeHands();
    await client.answer(client.ask('ping'));
    await client.channel.close();
    await server.deserted();
    expect(server.all('DELETE')).toHaveLength(2);
  });

  test('that opens a session and is refused leaves none', async () => {
    await using server = await scripted((seen) =>
      json(
        seen,
        { jsonrpc: '2.0', id: seen.message.id, error: { code: -32_602, message: 'no' } },
        { 'mcp-session-id': 'session-1' },
      ),
    );
    await using client = await talk(server.url);
    await client.answer(client.ask('initialize'));
    await client.answer(client.ask('ping'));
    expect(server.all('ping')[0]?.headers).not.toHaveProperty('mcp-session-id');
    await client.channel.close();
    expect(server.all('DELETE')).toEqual([]);
  });
});

describe('the end of the handshake', () => {
  test('is taken by the server before later messages go out', async () => {
    const taken = createDeferred<void>();
    await using server = await scripted((seen) => {
      if (seen.message.method !== 'notifications/initialized') legacy(seen);
      else void taken.promise.then(() => legacy(seen));
    });
    await using client = await talk(server.url);
    await client.shakeHands();
    const list = client.ask('tools/list');
    client.notify('notifications/roots/list_changed');
    await server.nth('notifications/initialized');
    // A reply is not held back.
    client.channel.reply('{"jsonrpc":"2.0","id":9,"result":{}}');
    await server.nth('POST', 2);
    expect(server.seen.map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      undefined,
    ]);
    taken.resolve();
    await client.answer(list);
    await server.nth('notifications/roots/list_changed');
  });

  test('is refused: what waits goes out all the same', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'notifications/initialized') seen.response.writeHead(500).end();
      else legacy(seen);
    });
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('tools/list'));
    expect(server.all('GET')).toEqual([]);
  });
});

describe('a modern request', () => {
  test('says beside itself what it is, and belongs to no session', async () => {
    await using server = await scripted(legacy);
    await using client = await talk(server.url);
    await client.shakeHands();
    const mirrored = { 'mcp-param-region': 'eu' };
    await client.answer(client.ask('tools/call', enveloped({ name: 'Ünï' }), mirrored));
    await client.answer(client.ask('resources/read', enveloped({ uri: 'file:///a' })));
    await client.answer(client.ask('tools/list', enveloped({ name: 'no' })));
    const [call, read, list] = ['tools/call', 'resources/read', 'tools/list'].map(
      (method) => server.all(method)[0]?.headers,
    );
    expect(call).toMatchObject({
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('Ünï').toString('base64')}?=`,
      'mcp-param-region': 'eu',
    });
    expect(read).toMatchObject({ 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' });
    expect(list).toMatchObject({ 'mcp-method': 'tools/list' });
    expect(list).not.toHaveProperty('mcp-name');
    for (const headers of [call, read, list]) expect(headers).not.toHaveProperty('mcp-session-id');
  });
});

describe('an answer in JSON', () => {
  test('may be an array, whose messages are delivered one by one', async () => {
    await using server = await scripted((seen) =>
      json(seen, [{ jsonrpc: '2.0', method: 'notifications/message' }, result(seen)]),
    );
    await using client = await talk(server.url);
    await client.answer(client.ask('ping'));
    expect(client.messages.map(({ method }) => method)).toEqual([
      'notifications/message',
      undefined,
    ]);
  });

  test('may be an error that names no request: it is about the one that was sent', async () => {
    await using server = await scripted((seen) =>
      json(seen, { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'what?' } }),
    );
    await using client = await talk(server.url);
    const answer = await client.answer(client.ask('ping'));
    expect(answer.error).toEqual({ code: -32_600, message: 'what?' });
  });

  const wrong: readonly (readonly [string, Script, string])[] = [
    ['is not JSON', (seen) => json(seen, 'oops'), 'not JSON'],
    ['is empty', (seen) => json(seen, ''), 'not JSON'],
    ['is not an object', (seen) => json(seen, '42'), 'something else'],
    [
      'answers another request',
      (seen) => json(seen, { ...result(seen), id: 99 }),
      'something else',
    ],
    ['says nothing', (seen) => json(seen, { jsonrpc: '2.0', id: seen.message.id }), 'neither'],
    ['is of another version', (seen) => json(seen, { id: seen.message.id, result: {} }), 'neither'],
    [
      'is of another type',
      (seen) => seen.response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'text/html',
    ],
    ['has no type', (seen) => seen.response.writeHead(200).end('{}'), 'something else'],
    ['has neither type nor text', (seen) => seen.response.writeHead(200).end(), 'without a body'],
    ['is none', (seen) => seen.response.writeHead(202).end(), 'HTTP 202'],
    ['is too deep', (seen) => json(seen, '['.repeat(200)), 'nested'],
    ['is too large', (seen) => json(seen, `"${'x'.repeat(2000)}"`), '1000 bytes'],
  ];
  test.each(wrong)('that %s ends the request at once', async (_, script, what) => {
    await using server = await scripted(script);
    await using client = await talk(server.url, { limits: { maxBytes: 1000 } });
    const error = await client.loss(client.ask('tools/list'));
    expect(error).toMatchObject({ code: 'invalid_answer', message: expect.stringContaining(what) });
    expect(error.message).toContain('tools/list');
    const isOverLimit = what === '1000 bytes' || what === 'nested';
    expect(error.hint?.includes('limits.maxBytes') ?? false).toBe(isOverLimit);
    expect(client.lost).toHaveLength(1);
  });
});

describe('an answer as a stream', () => {
  test('delivers everything in order: notifications, requests, the response', async () => {
    await using server = await scripted((seen) => {
      const response = stream(seen);
      response.write(': hello\n\nretry: 5\n\nid: 1\ndata:\n\n');
      response.write(event({ jsonrpc: '2.0', method: 'notifications/progress' }, '2'));
      response.write(`event: other\n${event('not a message')}`);
      response.write(event('{"broken'));
      response.write(event({ jsonrpc: '2.0', id: 7, method: 'ping' }));
      response.end(event(result(seen)));
    });
    await using client = await talk(server.url);
    await client.answer(client.ask('tools/call'));
    expect(client.messages.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'ping',
      undefined,
    ]);
    expect(client.malformed).toEqual(['Parse error: not JSON']);
  });

  test('keeps its connection when it ends with the answer', async () => {
    await using server = await scripted((seen) => stream(seen).end(event(result(seen))));
    await using client = await talk(server.url);
    for (let at = 0; at < 5; at += 1) await client.answer(client.ask('ping'));
    expect(server.connections.total).toBe(1);
  });

  test('is hung up on when it stays open after the answer', async () => {
    await using server = await scripted((seen) => stream(seen).write(event(result(seen))));
    await using client = await talk(server.url);
    await client.answer(client.ask('ping'));
    await server.deserted();
    expect(client.lost).toEqual([]);
  });

  test('without the answer: the request is lost', async () => {
    await using server = await scripted((seen) =>
      stream(seen).end(event({ jsonrpc: '2.0', method: 'notifications/message' })),
    );
    await using client = await talk(server.url);
    await expect(client.loss(client.ask('tools/call'))).resolves.toMatchObject({
      code: 'answer_lost',
      message: 'the stream ended before the answer to tools/call',
    });
  });

  test('may say that it is done', async () => {
    await using server = await scripted((seen) => {
      const response = stream(seen);
      if (seen.message.method === 'ping') response.write(event(result(seen)));
      response.write(event('[DONE]'));
    });
    await using client = await talk(server.url);
    await client.answer(client.ask('ping'));
    expect((await client.loss(client.ask('tools/call'))).code).toBe('answer_lost');
    expect(client.malformed).toEqual([]);
  });

  test('with an event that is too large: the request is lost, with a hint', async () => {
    await using server = await scripted((seen) =>
      stream(seen).write(event(result(seen, { text: 'x'.repeat(2000) }))),
    );
    await using client = await talk(server.url, { limits: { maxBytes: 1000 } });
    const error = await client.loss(client.ask('tools/call'));
    expect(error).toMatchObject({ code: 'invalid_answer' });
    expect(error.hint).toContain('limits.maxBytes');
    await server.deserted();
  });
});

describe('headers of the caller', () => {
  test('are sent with every request, and asked for before each when they are a function', async () => {
    await using server = await scripted(legacy);
    let token = 0;
    const sources = [
      { authorization: 'Bearer 1', 'User-Agent': 'mine' },
      () => ({ authorization: `Bearer ${++token}` }),
      async () => ({ authorization: `Bearer ${await Promise.resolve(++token)}` }),
    ];
    for (const headers of sources) {
      const client = await talk(server.url, { headers });
      await client.shakeHands();
      await client.answer(client.ask('ping'));
      await server.nth('GET', sources.indexOf(headers));
      await client.channel.close();
    }
    const sent = server.seen.map(({ headers }) => headers.authorization);
    expect(sent.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'Bearer 1'));
    expect(new Set(sent.slice(5)).size).toBe(10);
    expect(server.seen[0]?.headers['user-agent']).toBe('mine');
    expect(server.seen[5]?.headers['user-agent']).toBe('mcp-kit');
  });

  test('come from the credentials of the URL unless they are given', async () => {
    await using server = await scripted(echo);
    const url = server.url.replace('http://', 'http://me:p%40ss@');
    await using client = await talk(url);
    await client.answer(client.ask('ping'));
    await using other = await talk(url, { headers: { Authorization: 'Bearer 1' } });
    await other.answer(other.ask('ping'));
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      'Bearer 1',
    ]);
  });

  const reserved = [
    'MCP-Session-Id',
    'mcp-protocol-version',
    'Mcp-Method',
    'mcp-name',
    'mcp-param-x',
    'content-type',
    'Content-Length',
    'accept',
    'Host',
    'connection',
    'transfer-encoding',
    'last-event-id',
  ];
  test.each(reserved)('cannot set %s', async (name) => {
    const code = 'invalid_argument';
    expect(() => httpTarget('http://127.0.0.1:1/', { headers: { [name]: 'x' } })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(name) }),
    );
    await using client = await talk('http://127.0.0.1:1/', { headers: () => ({ [name]: 'x' }) });
    await expect(client.loss(client.ask('ping'))).resolves.toMatchObject({ code });
  });

  test('must be valid, and a function that fails loses the request', async () => {
    for (const headers of [{ 'a b': 'x' }, { a: 'x\ny' }]) {
      expect(() => httpTarget('http://127.0.0.1:1/', { headers })).toThrow(/not valid/);
    }
    const cause = new Error('no token');
    for (const headers of [
      () => {
        throw cause;
      },
      () => Promise.reject(cause),
    ]) {
      await using client = await talk('http://127.0.0.1:1/', { headers });
      await expect(client.loss(client.ask('ping'))).resolves.toMatchObject({
        code: 'invalid_argument',
        cause,
        details: { ran: false },
      });
    }
  });
});

describe('cancelling', () => {
  test('in the legacy era hangs up and tells the server', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.message.method === 'notifications/cancelled') seen.response.writeHead(202).end();
        else if (seen.method === 'GET') seen.response.writeHead(405).end();
      }),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    const id = client.ask('tools/call');
    const { response } = await server.nth('tools/call');
    const hungUp = new Promise((resolve) => response.once('close', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await hungUp;
    const { message } = await server.nth('notifications/cancelled');
    expect(message.params).toEqual({ requestId: id });
    expect(client.lost).toEqual([]);
  });

  test('in the modern era only hangs up', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'tools/call') stream(seen);
      else echo(seen);
    });
    await using client = await talk(server.url);
    const id = client.ask('tools/call', enveloped({ name: 'x' }));
    const { response } = await server.nth('tools/call');
    const hungUp = new Promise((resolve) => response.once('close', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await hungUp;
    await client.answer(client.ask('ping', enveloped()));
    expect(server.all('notifications/cancelled')).toEqual([]);
  });

  test('of what has not been sent yet is silent', async () => {
    await using server = await scripted(() => {});
    await using client = await talk(server.url, { maxConnections: 1 });
    const first = client.ask('tools/call');
    const second = client.ask('tools/list');
    client.notify('notifications/cancelled', { requestId: second });
    const { response, message } = await server.nth('tools/call');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
    await client.answer(first);
    client.ask('ping');
    await server.nth('ping');
    expect(server.seen.map((seen) => seen.message.method)).toEqual(['tools/call', 'ping']);
  });
});

describe('what waits', () => {
  test('is bounded: first the sender should wait, then it is no longer heard', async () => {
    const go = createDeferred<void>();
    await using server = await scripted((seen) => void go.promise.then(() => echo(seen)));
    await using client = await talk(server.url);
    const text = 'x'.repeat(1024 * 1024);
    const sent = Array.from({ length: 30 }, (_, id) =>
      client.send({ id, method: 'tools/call', params: { text } }),
    );
    expect(sent.indexOf('full')).toBe(4);
    expect(sent.indexOf('dropped')).toBe(16);
    let drained = false;
    const waiting = client.channel.drained().then(() => (drained = true));
    await server.nth('tools/call');
    expect(drained).toBe(false);
    go.resolve();
    await waiting;
    await client.answer(15);
    expect(client.notify('notifications/message')).toBe('sent');
  });

  test('is sent when a connection is free, and replies go past it', async () => {
    const go = createDeferred<void>();
    await using server = await scripted((seen) => {
      if (seen.message.id === undefined || seen.message.method === undefined) {
        seen.response.writeHead(202).end();
      } else {
        void go.promise.then(() => echo(seen));
      }
    });
    await using client = await talk(server.url, { maxConnections: 2 });
    const ids = Array.from({ length: 6 }, () => client.ask('tools/call'));
    await server.nth('tools/call', 1);
    client.channel.reply('{"jsonrpc":"2.0","id":5,"result":{}}');
    client.notify('notifications/roots/list_changed');
    await server.nth('notifications/roots/list_changed');
    await server.nth('POST', 3);
    expect(server.all('tools/call')).toHaveLength(2);
    go.resolve();
    for (const id of ids) await client.answer(id);
    expect(server.connections.total).toBeLessThanOrEqual(4);
  });
});

describe('what the server asks', () => {
  test('is answered with a POST, whatever becomes of it', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    await using server = await scripted((seen) => {
      if (seen.message.method === undefined) seen.response.writeHead(500).end('no');
      else json(seen, result(seen));
    });
    await using client = await talk(server.url, { logger });
    client.channel.reply(undefined);
    client.channel.reply('{"jsonrpc":"2.0","id":1,"result":{}}');
    const { message } = await server.nth('POST');
    expect(message).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await client.answer(client.ask('ping'));
    await expect.poll(() => warnings).toEqual(['an answer was not delivered: HTTP 500: no']);
  });
});
