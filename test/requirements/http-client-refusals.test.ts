import { Agent } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import type { KitError } from 'mcp-kit/internal';
import { closedPort } from '../support/lasting-port.ts';
import { fewer } from '../support/scale.ts';
import {
  event,
  json,
  noStream,
  result,
  scripted,
  sessionful,
  stream,
  talk,
  type Script,
  type Seen,
} from './http-client-fixture.ts';

// What the HTTP client makes of statuses, redirects, and servers that are not there.

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function refuse({ response }: Seen, how: number | Refusal, body: unknown = ''): void {
  const { status, headers = {} } = typeof how === 'number' ? { status: how } : how;
  response.writeHead(status, headers);
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function redirect(seen: Seen, status: number, location: string): void {
  refuse(seen, { status, headers: { location } }, 'moved');
}

async function lossOf(script: Script): Promise<KitError> {
  await using server = await scripted(script);
  await using client = await talk(server.url);
  const error = await client.loss(client.ask('tools/call'));
  expect(client.lost).toHaveLength(1);
  return error as KitError;
}

describe('an HTTP status', () => {
  test.each([400, 404, 405, 429, 500, 502, 303])(
    '%i is told with the beginning of its text',
    async (status) => {
      const text = `first\n\tline ${'x'.repeat(100_000)}`;
      const error = await lossOf((seen) => refuse(seen, status, text));
      expect(error.code).toBe('http_status');
      expect(error.message).toBe(`HTTP ${status}: first line ${'x'.repeat(189)}`);
      expect(error.details).toMatchObject({ status });
    },
  );

  test('without a text is told with its name', async () => {
    const error = await lossOf((seen) => refuse(seen, 500));
    expect(error.message).toBe('HTTP 500: Internal Server Error');
  });

  test.each([401, 403])('%i means unauthorized, with what the server wants', async (status) => {
    const challenge = 'Bearer resource_metadata="https://example.org/meta"';
    const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no' } };
    const headers = {
      'www-authenticate': challenge,
      'mcp-auth-server': 'https://auth.example.org',
    };
    const error = await lossOf((seen) => refuse(seen, { status, headers }, body));
    expect(error.code).toBe('unauthorized');
    expect(error.hint).toContain(challenge);
    expect(error.hint).toContain('https://auth.example.org');
    expect(error.details).toMatchObject({
      status,
      challenge,
      authServer: 'https://auth.example.org',
      body: JSON.stringify(body),
    });
  });

  test('may say when to come back', async () => {
    const error = await lossOf((seen) =>
      refuse(seen, { status: 503, headers: { 'retry-after': '7' } }, 'busy'),
    );
    expect(error.details).toMatchObject({ retryAfter: 7 });
    const date = new Date(Date.now() + 60_000).toUTCString();
    const later = await lossOf((seen) =>
      refuse(seen, { status: 503, headers: { 'retry-after': date } }, 'busy'),
    );
    expect(Number(later.details?.['retryAfter'])).toBeGreaterThan(50);
  });

  test.each([400, 404, 405, 409, 500, 503])(
    '%i with a JSON-RPC error is that error, whichever id it has',
    async (status) => {
      await using server = await scripted((seen) => {
        const error = { code: -32_022, message: 'version', data: { supported: ['x'] } };
        const ids = [seen.message.id, null, undefined, 'server-error'];
        refuse(seen, status, { jsonrpc: '2.0', id: ids[server.seen.length - 1], error });
      });
      await using client = await talk(server.url);
      for (let at = 0; at < 4; at += 1) {
        const { error } = await client.answer(client.ask('initialize'));
        expect(error).toEqual({ code: -32_022, message: 'version', data: { supported: ['x'] } });
      }
      expect(client.lost).toEqual([]);
    },
  );

  test.each([
    { error: 'not found' },
    { jsonrpc: '2.0', error: { code: 'x', message: 'y' } },
    { jsonrpc: '1.0', error: { code: 1, message: 'y' } },
  ])('with some other JSON is told as a status', async (body) => {
    const error = await lossOf((seen) => refuse(seen, 400, body));
    expect(error.code).toBe('http_status');
  });

  test('whose text never ends is read no further than it is shown', async () => {
    const error = await lossOf(({ response }) => {
      response.writeHead(500);
      const write = (): void => {
        if (response.write('x'.repeat(16 * 1024))) setImmediate(write);
      };
      response.on('drain', write).on('error', () => {});
      write();
    });
    expect(error.message).toMatch(/^HTTP 500: x{200}$/);
    expect(String(error.details?.['body']).length).toBeLessThan(256 * 1024);
  });
});

describe('a session that the server has forgotten', () => {
  const forgotten: readonly (readonly [string, Script])[] = [
    ['404', (seen) => refuse(seen, 404, 'gone')],
    [
      '404 and a JSON-RPC error',
      (seen) =>
        refuse(seen, 404, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32_001, message: 'Session not found' },
        }),
    ],
    [
      '400 and an error that says so',
      (seen) =>
        refuse(seen, 400, {
          jsonrpc: '2.0',
          error: { code: -32_600, message: 'Session not found' },
        }),
    ],
  ];
  test.each(forgotten)('is lost by %s, for this request and every later one', async (_, forget) => {
    await using server = await scripted(
      sessionful(
        noStream((seen) => {
          if (seen.message.method === 'tools/call') forget(seen);
          else json(seen, result(seen));
        }),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    const lost = { code: 'session_lost', details: { ran: false } };
    expect(await client.loss(client.ask('tools/call'))).toMatchObject(lost);
    const before = server.seen.length;
    expect(await client.loss(client.ask('tools/list'))).toMatchObject(lost);
    client.notify('notifications/roots/list_changed');
    client.channel.reply('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(server.seen).toHaveLength(before);
    await client.shakeHands();
    expect(server.all('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id');
    await client.answer(client.ask('tools/list'));
    await client.channel.close();
    expect(server.all('DELETE')).toHaveLength(1);
  });

  test('also loses what waits for a connection, in one go', async () => {
    await using server = await scripted(sessionful(noStream((seen) => refuse(seen, 404))));
    await using client = await talk(server.url, { maxConnections: 1 });
    await client.shakeHands();
    const ids = Array.from({ length: 20_000 }, () => client.ask('tools/call'));
    for (const id of ids.slice(-3)) expect((await client.loss(id)).code).toBe('session_lost');
    expect(client.lost).toHaveLength(ids.length);
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('is not meant by 404 for a method that the server does not know', async () => {
    await using server = await scripted(
      sessionful(
        noStream((seen) => {
          const error = { code: -32_601, message: 'Method not found' };
          if (seen.message.method === 'ping') json(seen, result(seen));
          else refuse(seen, 404, { jsonrpc: '2.0', id: seen.message.id, error });
        }),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    expect(await client.answer(client.ask('prompts/list'))).toMatchObject({
      error: { code: -32_601 },
    });
    await client.answer(client.ask('ping'));
    expect(client.lost).toEqual([]);
  });

  test('is not meant by 404 where no session was named', async () => {
    await using server = await scripted((seen) => refuse(seen, 404, 'nothing here'));
    await using client = await talk(server.url);
    for (const method of ['initialize', 'tools/call']) {
      const error = await client.loss(client.ask(method));
      expect(error).toMatchObject({ code: 'http_status', details: { status: 404 } });
      expect(error.hint).toContain('MCP endpoint');
    }
  });
});

test.each([
  [429, /again later/],
  [500, /log/],
  [503, /log/],
])('%i is no matter of the address, and its hint says so', async (status, hint) => {
  await using server = await scripted((seen) => refuse(seen, status, 'no'));
  await using client = await talk(server.url);
  const error = await client.loss(client.ask('initialize'));
  expect(error).toMatchObject({ code: 'http_status', details: { status } });
  expect(error.hint).toMatch(hint);
});

describe('a redirect', () => {
  test.each([301, 302, 307, 308])('%i within the origin keeps method and body', async (status) => {
    await using server = await scripted((seen) => {
      if (seen.path === '/mcp') redirect(seen, status, '/new?a=1');
      else json(seen, result(seen, { path: seen.path, method: seen.method }));
    });
    await using client = await talk(server.url);
    for (let at = 0; at < 2; at += 1) {
      const answer = await client.answer(client.ask('ping'));
      expect(answer.result).toEqual({ path: '/new?a=1', method: 'POST' });
    }
    // One that is for good is remembered.
    expect(server.seen).toHaveLength(status === 301 || status === 308 ? 3 : 4);
  });

  test('to another origin is not followed, and nothing is sent there', async () => {
    await using other = await scripted((seen) => json(seen, result(seen)));
    for (const location of [`${other.url}?token=1`, 'https://127.0.0.1:1/', 'ht!tp:', '//[']) {
      const error = await lossOf((seen) => redirect(seen, 307, location));
      expect(error).toMatchObject({ code: 'http_status', details: { status: 307 } });
    }
    const error = await lossOf((seen) => redirect(seen, 308, `${other.url}?token=1`));
    expect(error.hint).toContain(other.url);
    expect(error.hint).not.toContain('token');
    expect(other.seen).toEqual([]);
  });

  test('that leads in circles is given up after five hops', async () => {
    await using server = await scripted((seen) =>
      redirect(seen, 307, seen.path === '/mcp' ? '/other' : '/mcp'),
    );
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('ping'));
    expect(error).toMatchObject({ code: 'http_status', message: expect.stringContaining('5') });
    expect(server.seen).toHaveLength(6);
  });

  test('without a place to go to is a status like any other', async () => {
    expect((await lossOf((seen) => refuse(seen, 307, 'where?'))).message).toBe('HTTP 307: where?');
  });
});

describe('a server that is not there', () => {
  test('is unreachable: nothing ran', async () => {
    const url = `http://127.0.0.1:${closedPort}/mcp`;
    await using client = await talk(url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error).toMatchObject({ code: 'unreachable', details: { ran: false } });
    expect(error.message).toContain(url);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.hint).toContain('running');
  });

  test('is unreachable when its name is unknown', async () => {
    const agent = new Agent({
      lookup: (_host, _options, done) =>
        done(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), ''),
    });
    await using client = await talk('http://nowhere.invalid/mcp', { agent });
    const error = await client.loss(client.ask('ping'));
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ENOTFOUND'),
    });
  });

  test('is unreachable when it does not speak TLS', async () => {
    await using server = await scripted(() => {});
    await using client = await talk(server.url.replace('http:', 'https:'));
    const error = await client.loss(client.ask('ping'));
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error.hint).toContain('certificate');
  });

  test('is unreachable when no connection opens in time', async () => {
    const agent = new Agent({ lookup: () => {} });
    await using client = await talk('http://nowhere.invalid/mcp', { agent, connectTimeoutMs: 20 });
    const error = await client.loss(client.ask('ping'));
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error.hint).toContain('connectTimeoutMs');
  });

  test('is unreachable when the policy of an agent objects', async () => {
    const agent = new Agent();
    agent.createConnection = () => {
      throw new Error('not allowed');
    };
    await using client = await talk('http://127.0.0.1:1/', { agent });
    const error = await client.loss(client.ask('ping'));
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('not allowed'),
    });
  });

  test('does not speak HTTP: its answer is invalid', async () => {
    await using server = await scripted(({ response }) => {
      response.socket?.end('SSH-2.0-nothing\r\n');
    });
    await using client = await talk(server.url);
    expect((await client.loss(client.ask('ping'))).code).toBe('invalid_answer');
  });
});

describe('a connection that breaks', () => {
  test('before the answer: the request may have run', async () => {
    await using server = await scripted(({ response }) => response.socket?.resetAndDestroy());
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe('answer_lost');
    expect(error.hint).toContain('may have run');
    expect(error.details).toBeUndefined();
  });

  test('at any byte of the answer settles the request once', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'ü' } });
    const answers = [
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`,
      `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${(body.length + 9).toString(16)}\r\ndata: ${body}\n\n\r\n0\r\n\r\n`,
    ];
    for (const bytes of answers.map((answer) => Buffer.from(answer))) {
      for (let at = 0; at <= bytes.length; at += 1) {
        await using server = await scripted(({ response }) => {
          const { socket } = response;
          socket?.write(bytes.subarray(0, at), () => {
            // Past the buffers of this machine, so that what was written arrives.
            setImmediate(() => socket.resetAndDestroy());
          });
        });
        await using client = await talk(server.url);
        const outcome = await client.outcome(client.ask('tools/call'));
        const whole = { result: { text: 'ü' } };
        expect(outcome).toMatchObject(
          'error' in outcome ? { error: { code: 'answer_lost' } } : whole,
        );
        await client.channel.close();
        expect(client.messages.length + client.lost.length).toBe(1);
      }
    }
  });

  test('with headers that never come is over when it is cancelled', async () => {
    await using server = await scripted(({ response, message }) => {
      if (message.method !== 'tools/call') response.writeHead(202).end();
      else response.socket?.write('HTTP/1.1 200 OK\r\nContent-');
    });
    await using client = await talk(server.url);
    const id = client.ask('tools/call');
    const { response } = await server.nth('tools/call');
    const hungUp = new Promise((resolve) => response.once('close', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await hungUp;
    expect(client.lost).toEqual([]);
  });
});

describe('closing', () => {
  test('lets the server forget the session, cuts everything off, and is heard once', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.method === 'GET') stream(seen).write(event({ jsonrpc: '2.0', method: 'a' }));
        else if (seen.message.method === 'tools/call') stream(seen);
      }),
    );
    const client = await talk(server.url);
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'a'));
    client.ask('tools/call');
    client.ask('tools/list');
    await server.nth('tools/list');
    await Promise.all([client.channel.close(), client.channel.close()]);
    expect(server.all('DELETE')).toHaveLength(1);
    expect(server.all('DELETE')[0]?.headers).toMatchObject({
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
    });
    await server.deserted();
    expect(client.closed).toEqual([undefined]);
    expect(client.lost).toEqual([]);
    expect(client.notify('notifications/message')).toBe('dropped');
    await client.channel.drained();
  });

  test('does not wait for a server that never answers', async () => {
    await using server = await scripted((seen) => {
      if (seen.method !== 'DELETE') sessionful(noStream(() => {}))(seen);
    });
    const client = await talk(server.url, { closeTimeoutMs: 50 });
    await client.shakeHands();
    await client.channel.close();
    expect(server.all('DELETE')).toHaveLength(1);
    await server.deserted();
  });

  test('ignores what the server says to it, and does not say farewell without a session', async () => {
    await using server = await scripted((seen) => {
      if (seen.method === 'DELETE') refuse(seen, 500);
      else sessionful(noStream(() => {}))(seen);
    });
    const client = await talk(server.url);
    await client.shakeHands();
    await client.channel.close();
    const other = await talk(server.url);
    await other.channel.close();
    expect(server.all('DELETE')).toHaveLength(1);
  });

  test('leaves the agent of the caller alone, but no connection of its own', async () => {
    await using server = await scripted((seen) => {
      if (seen.message.method === 'ping') json(seen, result(seen));
      else stream(seen).write(event(result(seen)));
    });
    const agent = new Agent({ keepAlive: true });
    const client = await talk(server.url, { agent });
    await client.answer(client.ask('ping'));
    await client.answer(client.ask('tools/call'));
    await client.channel.close();
    expect(Object.keys(agent.freeSockets).length + Object.keys(agent.sockets).length).toBeLessThan(
      2,
    );
    await using again = await talk(server.url, { agent });
    await again.answer(again.ask('ping'));
    agent.destroy();
  });

  test('leaves no timer behind, whatever was waited for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await using server = await scripted((seen) => {
        if (seen.message.method === 'notifications/initialized') return;
        if (seen.message.method === 'tools/call') stream(seen).end(event('', '1'));
        else if (seen.message.method === 'prompts/get') stream(seen).write(event(result(seen)));
        else sessionful(() => {})(seen);
      });
      const waiting = new Agent({ lookup: () => {} });
      const clients = await Promise.all([
        talk(server.url),
        talk('http://nowhere.invalid/', { agent: waiting }),
      ]);
      const [client, other] = clients;
      other.ask('ping');
      await client.answer(client.ask('initialize'));
      const call = client.ask('tools/call');
      await client.answer(client.ask('prompts/get'));
      client.notify('notifications/initialized');
      await server.nth('notifications/initialized');
      // A connection, a stream to be continued, one that stays open, the end of the handshake for itself and for others.
      await expect.poll(() => vi.getTimerCount()).toBe(5);
      await Promise.all(clients.map(({ channel }) => channel.close()));
      expect(vi.getTimerCount()).toBe(0);
      expect(client.messages.some(({ id }) => id === call)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  const count = fewer(1000, 5);
  test(`${count} at once ends each session, and none by giving up`, async () => {
    await using server = await scripted(sessionful(noStream(() => {})));
    const patient = { closeTimeoutMs: 3_600_000 };
    const clients = await Promise.all(
      Array.from({ length: count }, () => talk(server.url, patient)),
    );
    // A hundred at a time: a system lets only some hundreds of connections wait to be accepted.
    for (let from = 0; from < clients.length; from += 100) {
      await Promise.all(clients.slice(from, from + 100).map((client) => client.shakeHands()));
    }
    await server.nth('notifications/initialized', count - 1);
    await Promise.all(clients.map((client) => client.channel.close()));
    expect(server.all('DELETE')).toHaveLength(count);
    await server.deserted();
  });
});
