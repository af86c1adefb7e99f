import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { createDeferred, KitError, silentLogger } from 'mcp-kit/internal';
import {
  enveloped,
  event,
  json,
  result,
  scripted,
  sessionful,
  stream,
  talk,
  type Script,
  type Seen,
} from './http-client-fixture.ts';

// Event streams that are cut, and how the HTTP client takes them up again.

const say = (method: string): object => ({ jsonrpc: '2.0', method });

/** Answers a call with the beginning of a stream, and each GET in turn as told. */
function cutCall(first: (seen: Seen) => void, ...then: readonly Script[]): Script {
  let tries = 0;
  return sessionful((seen) => {
    if (seen.method === 'GET' && seen.headers['last-event-id'] === undefined) {
      seen.response.writeHead(405).end();
    } else if (seen.method === 'GET') {
      (then[tries] ?? then.at(-1))?.(seen);
      tries += 1;
    } else if (seen.message.method === 'tools/call') {
      first(seen);
    } else {
      json(seen, result(seen));
    }
  });
}

/** The GETs that continue a stream. */
const continued = (seen: readonly Seen[]): readonly Seen[] =>
  seen.filter(({ method, headers }) => method === 'GET' && headers['last-event-id'] !== undefined);

const retry = 'retry: 30\n\n';
const answer = (id: number | string): object => ({ jsonrpc: '2.0', id, result: { late: true } });

describe('the stream of an answer, cut before it', () => {
  test('is continued after its last event, when the server asked for it', async () => {
    const waitMs = 200;
    await using server = await scripted(
      cutCall(
        (seen) => {
          stream(seen).end(`retry: ${waitMs}\n${event('', 'a')}${event(say('b'), 'b')}`);
        },
        (seen) => stream(seen).end(event(answer(2), 'c')),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    const { result: late } = await client.answer(client.ask('tools/call'));
    expect(late).toEqual({ late: true });
    const [again] = continued(server.seen);
    expect(again?.headers).toMatchObject({
      accept: 'text/event-stream',
      'last-event-id': 'b',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
    });
    const call = server.all('tools/call')[0];
    expect((again?.at ?? 0) - (call?.at ?? 0)).toBeGreaterThanOrEqual(waitMs - 5);
    expect(client.messages.filter(({ method }) => method === 'b')).toHaveLength(1);
  });

  test('however often it is cut before another event, never forgets where it was', async () => {
    const cut: Script = (seen) => stream(seen).end();
    const broken: Script = ({ response }) => response.socket?.resetAndDestroy();
    const down: Script = ({ response }) => response.writeHead(503).end();
    const busy: Script = ({ response }) => response.writeHead(409).end();
    await using server = await scripted(
      cutCall(
        (seen) => stream(seen).end(`retry: 1\n${event('', 'first')}`),
        cut,
        broken,
        down,
        busy,
        cut,
        (seen) => stream(seen).end(event(say('x'), 'second')),
        broken,
        (seen) => stream(seen).end(event(answer(2))),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('tools/call'));
    expect(continued(server.seen).map(({ headers }) => headers['last-event-id'])).toEqual([
      ...Array.from({ length: 6 }, () => 'first'),
      'second',
      'second',
    ]);
    expect(client.lost).toEqual([]);
  });

  test('is not left alone for long, however often it is cut before another event: somebody waits', async () => {
    const cut: Script = (seen) => stream(seen).end();
    await using server = await scripted(
      cutCall(
        (seen) => stream(seen).end(`retry: 1900\n${event('', 'first')}`),
        ...Array.from({ length: 8 }, () => cut),
        (seen) => stream(seen).end(event(answer(2))),
      ),
    );
    const connectTimeoutMs = 3_600_000;
    await using client = await talk(server.url, { connectTimeoutMs });
    await client.shakeHands();
    const waits: number[] = [];
    // What is waited for is noted, and over at once.
    const { setTimeout: start } = globalThis;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
      if (ms <= 1000 || ms === connectTimeoutMs) return start(work, ms);
      waits.push(ms);
      return start(work, 0);
    }) as typeof setTimeout);
    onTestFinished(() => void vi.restoreAllMocks());
    await client.answer(client.ask('tools/call'));
    expect(waits).toHaveLength(9);
    expect(Math.max(...waits)).toBeLessThan(3000);
  });

  test('is continued only until the answer is there', async () => {
    await using server = await scripted(
      cutCall(
        (seen) => stream(seen).end(`${retry}${event('', 'a')}`),
        (seen) => stream(seen).write(event(answer(2), 'b')),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('tools/call'));
    const [again] = continued(server.seen);
    if (again?.response.closed === false) {
      await new Promise((resolve) => again.response.once('close', resolve));
    }
    await client.answer(client.ask('ping'));
    expect(continued(server.seen)).toHaveLength(1);
  });

  test('is continued no more when the request is cancelled', async () => {
    const begun = createDeferred<Seen>();
    await using server = await scripted(
      cutCall(
        (seen) => stream(seen).end(`${retry}${event('', 'a')}`),
        (seen) => {
          stream(seen);
          begun.resolve(seen);
        },
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    const id = client.ask('tools/call');
    const { response } = await begun.promise;
    const hungUp = new Promise((resolve) => response.once('close', resolve));
    client.notify('notifications/cancelled', { requestId: id });
    await hungUp;
    await server.nth('notifications/cancelled');
    expect(client.lost).toEqual([]);
  });

  const refused: readonly (readonly [number, string])[] = [
    [404, 'session_lost'],
    [405, 'answer_lost'],
    [400, 'answer_lost'],
    [204, 'answer_lost'],
    [401, 'unauthorized'],
  ];
  test.each(refused)('is lost when %i refuses to continue it: %s', async (status, code) => {
    await using server = await scripted(
      cutCall(
        (seen) => stream(seen).end(`${retry}${event('', 'a')}`),
        ({ response }) => response.writeHead(status).end(),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe(code);
    // The call had been taken: nobody knows whether it ran.
    expect(error.details?.['ran']).toBeUndefined();
    expect(client.lost).toHaveLength(1);
    const next = await client.outcome(client.ask('ping'));
    expect(next).toHaveProperty(status === 404 ? 'error.code' : 'result');
  });

  test('is lost when it had no position, and in the modern era', async () => {
    await using server = await scripted(
      cutCall((seen) => {
        const position = seen.headers['mcp-method'] === undefined ? undefined : 'a';
        stream(seen).end(`${retry}${event(say('x'), position)}`);
      }),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    for (const params of [{ name: 'x' }, enveloped({ name: 'x' })]) {
      const error = await client.loss(client.ask('tools/call', params));
      expect(error).toMatchObject({ code: 'answer_lost' });
      expect(error.message).toBe('the stream ended before the answer to tools/call');
    }
    expect(continued(server.seen)).toEqual([]);
  });

  test('is continued for the handshake, too', async () => {
    await using server = await scripted((seen) => {
      if (seen.method === 'GET') {
        const value = { protocolVersion: '2025-11-25' };
        stream(seen).end(event({ jsonrpc: '2.0', id: 1, result: value }));
      } else if (seen.message.method === 'initialize') {
        stream(seen, { 'mcp-session-id': 's' }).end(`${retry}${event('', 'a')}`);
      } else json(seen, result(seen));
    });
    await using client = await talk(server.url);
    await client.answer(client.ask('initialize'));
    expect(server.all('GET')[0]?.headers).toHaveProperty('mcp-session-id', 's');
    await client.answer(client.ask('ping'));
    expect(server.all('ping')[0]?.headers).toMatchObject({
      'mcp-session-id': 's',
      'mcp-protocol-version': '2025-11-25',
    });
  });

  test('may be fetched elsewhere than messages are posted', async () => {
    await using streams = await scripted((seen) =>
      seen.headers['last-event-id'] === undefined
        ? seen.response.writeHead(405).end()
        : stream(seen).end(event(answer(2))),
    );
    await using server = await scripted(
      cutCall((seen) => stream(seen).end(`${retry}${event('', 'a')}`)),
    );
    await using client = await talk(server.url, { streamUrl: `${streams.origin}/events` });
    await client.shakeHands();
    await client.answer(client.ask('tools/call'));
    expect(server.all('GET')).toEqual([]);
    expect(new Set(streams.seen.map(({ path }) => path))).toEqual(new Set(['/events']));
  });
});

describe('the stream of a session', () => {
  /** Answers each GET in turn as told. */
  const listening = (...gets: readonly Script[]): Script => {
    let tries = 0;
    return sessionful((seen) => {
      if (seen.method !== 'GET') return json(seen, result(seen));
      (gets[tries] ?? gets.at(-1))?.(seen);
      tries += 1;
    });
  };

  test('is opened when the server has taken the end of the handshake, and nobody waits for it', async () => {
    const opened = createDeferred<Seen>();
    await using server = await scripted(listening((seen) => opened.resolve(seen)));
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.answer(client.ask('ping'));
    const seen = await opened.promise;
    expect(server.seen.indexOf(seen)).toBeGreaterThan(
      server.seen.findIndex(({ message }) => message.method === 'notifications/initialized'),
    );
    expect(seen.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-06-18',
    });
    expect(seen.headers).not.toHaveProperty('last-event-id');
    const response = stream(seen);
    response.write(event(say('notifications/tools/list_changed'), '1'));
    response.write(event({ jsonrpc: '2.0', id: 1, method: 'roots/list' }));
    await client.until(() => client.messages.find(({ method }) => method === 'roots/list'));
    expect(client.messages.map(({ method }) => method)).toContain(
      'notifications/tools/list_changed',
    );
  });

  const none: readonly (readonly [string, Script])[] = [
    ...[405, 400, 404, 406, 501, 204].map((status): readonly [string, Script] => [
      String(status),
      ({ response }) => response.writeHead(status).end(),
    ]),
    ['something else', (seen) => json(seen, { name: 'a description' })],
  ];
  test.each(none)('that is refused at first with %s is not tried again', async (_, script) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await using server = await scripted(listening(script));
      await using client = await talk(server.url);
      await client.shakeHands();
      const { response } = await server.nth('GET');
      if (!response.writableFinished) await once(response, 'finish');
      for (let at = 0; at < 3; at += 1) await client.answer(client.ask('ping'));
      // Nothing is going to happen.
      expect(vi.getTimerCount()).toBe(0);
      expect(server.all('GET')).toHaveLength(1);
      expect(client.malformed).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is asked for before the first call, which may need it', async () => {
    for (let round = 0; round < 10; round += 1) {
      await using server = await scripted(
        sessionful((seen) => {
          if (seen.method === 'GET') stream(seen);
          else json(seen, result(seen));
        }),
      );
      await using client = await talk(server.url);
      await client.shakeHands();
      await client.answer(client.ask('tools/call'));
      await server.nth('GET');
      const order = server.seen.map(({ method, message }) => message.method ?? method);
      expect(order).toEqual(['initialize', 'notifications/initialized', 'GET', 'tools/call']);
    }
  });

  test.each([
    ['before the first call by a session that listens', true, ['GET', 'tools/call']],
    ['after it by one that does not', false, ['tools/call', 'GET']],
  ])('is asked for %s', async (_, listens, order) => {
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.method === 'GET') stream(seen);
        else json(seen, { ...result(seen), result: { content: [] } });
      }),
    );
    await using session = await openSession(httpTarget(server.url), {
      era: 'legacy',
      ...(listens && { onNotification: () => {} }),
    });
    await session.callTool('echo');
    await server.nth('GET');
    const told = server.seen.map(({ method, message }) => message.method ?? method);
    expect(told.slice(2)).toEqual(order);
    // One that is in a hurry has a connection of its own; the other takes the one that is free by then.
    expect(server.connections.total).toBe(listens ? 2 : 1);
  });

  test('that is cut is continued after its last event, when the server asked for it', async () => {
    await using server = await scripted(
      listening(
        (seen) => stream(seen).end(`retry: 100\n${event(say('a'), '1')}`),
        ({ response }) => response.socket?.resetAndDestroy(),
        ({ response }) => response.writeHead(503).end(),
        (seen) => stream(seen).write(event(say('b'), '2')),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'b'));
    const gets = server.all('GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '1', '1']);
    const waits = gets.slice(1).map(({ at }, index) => at - (gets[index]?.at ?? 0));
    // The first as asked for, then longer each time.
    expect(waits[0]).toBeGreaterThanOrEqual(95);
    expect(waits[1]).toBeGreaterThanOrEqual(155);
    expect(waits[2]).toBeGreaterThanOrEqual(250);
  });

  test('that is cut begins anew when its position is no longer known', async () => {
    await using server = await scripted(
      listening(
        (seen) => stream(seen).end(`retry: 5\n${event(say('a'), '1')}`),
        ({ response }) => response.writeHead(400).end(),
        (seen) => stream(seen).write(event(say('b'))),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'b'));
    expect(server.all('GET').map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      '1',
      undefined,
    ]);
  });

  test('that is refused with 404 means the session is lost', async () => {
    await using server = await scripted(
      listening(
        (seen) => stream(seen).end('retry: 5\n\n'),
        ({ response }) => response.writeHead(404).end(),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await server.nth('GET', 1);
    await expect
      .poll(async () => {
        const outcome = await client.outcome(client.ask('ping'));
        return 'error' in outcome ? outcome.error?.code : undefined;
      })
      .toBe('session_lost');
    await client.channel.close();
    expect(server.all('DELETE')).toEqual([]);
  });

  test('that is refused for want of credentials is tried again, and the refusal is logged once', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    await using server = await scripted(
      listening(
        (seen) => stream(seen).end('retry: 5\n\n'),
        ({ response }) => response.writeHead(401).end('who?'),
        ({ response }) => response.writeHead(401).end('who?'),
        (seen) => stream(seen).write(event(say('b'))),
      ),
    );
    await using client = await talk(server.url, { logger });
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'b'));
    expect(warnings).toEqual(['the stream of the session: HTTP 401: Unauthorized']);
  });

  test.each(['refused_by_policy', 'invalid_argument'] as const)(
    'is given up when this side refuses it (%s), which is logged once',
    async (code) => {
      const warnings: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
      await using server = await scripted(listening((seen) => stream(seen).end('retry: 5\n\n')));
      const refused = createDeferred<void>();
      let refusals = 0;
      const headers = (): Record<string, string> => {
        if (server.all('GET').length === 0) return {};
        refusals += 1;
        refused.resolve();
        throw new KitError(code, 'not there');
      };
      const client = await talk(server.url, { logger, headers });
      await client.shakeHands();
      await refused.promise;
      // The next tries would have been due after 100 ms and 160 ms, or soon after.
      await sleep(500);
      expect(refusals).toBe(1);
      expect(warnings).toEqual(['the stream of the session: not there']);
      await client.channel.close();
    },
  );

  test('goes on after an event that cannot be read, or is too large', async () => {
    await using server = await scripted(
      listening((seen) =>
        stream(seen).write(`${event('{')}${event('x'.repeat(2000))}${event(say('b'))}`),
      ),
    );
    await using client = await talk(server.url, { limits: { maxBytes: 1000 } });
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'b'));
    expect(client.malformed).toEqual([
      'Parse error: not JSON',
      'Invalid request: larger than 1000 bytes',
    ]);
  });

  test('is fetched again and again for as long as the server is away', async () => {
    let away = true;
    let tries = 0;
    await using server = await scripted(
      sessionful((seen) => {
        if (seen.method !== 'GET') return json(seen, result(seen));
        tries += 1;
        if (tries === 1) stream(seen).end('retry: 1\n\n');
        else if (away) seen.response.socket?.resetAndDestroy();
        else stream(seen).write(event(say('back')));
      }),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await server.nth('GET', 6);
    away = false;
    await client.until(() => client.messages.find(({ method }) => method === 'back'));
    await client.channel.close();
    await server.deserted();
  });

  test('without a word from the server waits about a second before it comes back', async () => {
    await using server = await scripted(
      listening(
        (seen) => stream(seen).end(event(say('a'))),
        (seen) => stream(seen).write(event(say('b'))),
      ),
    );
    await using client = await talk(server.url);
    await client.shakeHands();
    await client.until(() => client.messages.find(({ method }) => method === 'b'));
    const [first, second] = server.all('GET');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(795);
  });
});
