import { createDeferred, KitError } from 'mcp-kit/internal';
import { createEraCache } from 'mcp-kit/client';
import { metaKeys } from 'mcp-kit/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import {
  discovered,
  failure,
  metaOf,
  newer,
  older,
  open,
  script,
  settle,
  text,
  type Peer,
  type Serve,
} from './client-script.ts';
import { before } from '../support/before.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Serves a method from the second conversation on. */
const secondTime =
  (serve: Serve): Serve =>
  (params, call) =>
    call.peer.ordinal > 1 ? serve(params, call) : undefined;

describe('when the connection dies', () => {
  test('calls under way settle, with the cause; the next one opens a new connection', async () => {
    const server = script({
      ...older,
      'tools/call': ({ name }) => (name === 'now' ? text('ok') : undefined),
    });
    const lost: unknown[] = [];
    await using session = await open(server, { onLost: (cause) => lost.push(cause) });
    const pending = [1, 2, 3].map(() => failure(session.callTool('later')));
    await server.peer.nth('tools/call', 3);
    const cause = new KitError('process_failed', 'exit code 3');
    server.peer.hangUp(cause);
    for (const error of await Promise.all(pending)) {
      expect(error).toMatchObject({ code: 'closed', cause });
      expect(error.message).toContain('exit code 3');
    }
    expect(lost).toEqual([cause]);
    expect(session.isOpen).toBe(true);
    expect(textOf(await session.callTool('now'))).toBe('ok');
    expect(server.peers).toHaveLength(2);
    expect(server.peers[0]?.isClosed).toBe(true);
    expect(session.stats.handshakes).toBe(2);
  });

  test.each([
    ['ping', {}],
    ['tools/list', { tools: [] }],
    ['prompts/list', { prompts: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['resources/read', { contents: [] }],
    ['prompts/get', { messages: [] }],
    ['completion/complete', { completion: { values: [] } }],
    ['logging/setLevel', {}],
    ['resources/subscribe', {}],
    ['resources/unsubscribe', {}],
  ])('%s is asked again by itself, with the same parameters', async (method, result) => {
    const server = script({ ...older, [method]: secondTime(() => result) });
    await using session = await open(server);
    const asking = session.request(method, { a: 1 });
    await server.peer.nth(method);
    server.peer.hangUp();
    expect(await asking).toEqual(result);
    expect(server.peers.flatMap((peer) => peer.of(method).map(({ params }) => params))).toEqual([
      { a: 1 },
      { a: 1 },
    ]);
  });

  test.each(['tools/call', 'any/method'])('%s is never asked again', async (method) => {
    const server = script({ ...older, [method]: secondTime(() => text('twice')) });
    await using session = await open(server);
    const asking = failure(session.request(method));
    await server.peer.nth(method);
    server.peer.hangUp();
    expect(await asking).toMatchObject({ code: 'closed' });
    await session.ping();
    expect(server.heard.filter((heard) => heard === method)).toHaveLength(1);
  });

  test('what is asked again is asked only once more', async () => {
    const server = script({ ...older, 'tools/list': (_params, { peer }) => peer.hangUp() });
    await using session = await open(server);
    expect(await failure(session.listTools())).toMatchObject({ code: 'closed' });
    expect(server.heard.filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  test('fifty calls at once open one new connection', async () => {
    const server = script({ ...newer, 'tools/call': () => text('ok') });
    await using session = await open(server);
    server.peer.hangUp();
    const names = Array.from({ length: 50 }, (_, at) => `t${at}`);
    await Promise.all(names.map((name) => session.callTool(name)));
    expect(server.peers).toHaveLength(2);
    expect(server.peer.of('tools/call')).toHaveLength(50);
  });

  const restored = async (era: 'legacy' | 'modern'): Promise<Peer> => {
    const server = script({ ...older, ...newer, 'tools/call': () => text('ok') });
    await using session = await open(server, { era, onNotification() {} });
    await session.setLogLevel('warning');
    await session.subscribe('x:1');
    await session.subscribe('x:2');
    await session.unsubscribe('x:1');
    server.peer.hangUp();
    await session.callTool('t');
    await settle();
    return server.peer;
  };

  test('a legacy server is told the level and the subscriptions again', async () => {
    const peer = await restored('legacy');
    expect(peer.of('logging/setLevel')[0]?.params).toEqual({ level: 'warning' });
    expect(peer.of('resources/subscribe').map(({ params }) => params)).toEqual([{ uri: 'x:2' }]);
  });

  test('a modern server is told the level with every call, and asked to tell of changes again', async () => {
    const peer = await restored('modern');
    expect(metaOf(peer.of('tools/call')[0] ?? {})[metaKeys.logLevel]).toBe('warning');
    expect(peer.of('subscriptions/listen').at(-1)?.params?.['notifications']).toMatchObject({
      toolsListChanged: true,
      resourceSubscriptions: ['x:2'],
    });
  });

  test('a legacy server is not probed again', async () => {
    const server = script(older);
    await using session = await open(server, { eraCache: createEraCache() });
    server.peer.hangUp();
    await session.ping();
    expect(server.peer.received.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
    ]);
  });

  test('a server that has learnt the modern era is spoken to in it', async () => {
    let upgraded = false;
    const server = script({
      ...older,
      'tools/list': () => ({ tools: [] }),
      initialize: (params, call) => {
        if (upgraded) throw new KitError('closed', 'no');
        return older['initialize']?.(params, call);
      },
      'server/discover': () => {
        if (!upgraded) throw new KitError('invalid_answer', 'no');
        return discovered(['2026-07-28']);
      },
    });
    const eraCache = createEraCache({ ttlMs: 0 });
    await using session = await open(server, { eraCache });
    expect(session.era).toBe('legacy');
    upgraded = true;
    server.peer.hangUp();
    await session.listTools();
    expect(session.era).toBe('modern');
  });

  test('right after the handshake, the next call opens anew', async () => {
    const server = script({
      ...older,
      initialize: (params, call) => {
        const facts = older['initialize']?.(params, call);
        call.peer.say({ id: call.id, result: facts });
        if (call.peer.ordinal === 1) call.peer.hangUp();
      },
    });
    const lost: unknown[] = [];
    await using session = await open(server, { era: 'legacy', onLost: () => lost.push(1) });
    await session.ping();
    expect(server.peers).toHaveLength(2);
    expect(lost).toEqual([1]);
  });

  test('five times in half a minute is enough; quiet makes good', async () => {
    const server = script(older);
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    await using session = await open(server, { era: 'legacy' });
    for (let times = 0; times < 5; times += 1) {
      server.peer.hangUp();
      now += 1000;
      await session.ping();
    }
    server.peer.hangUp();
    const refused = await failure(session.ping());
    expect(refused).toMatchObject({ code: 'closed' });
    expect(refused.message).toContain('5 times within 30 s');
    expect(server.peers).toHaveLength(6);
    now += 30_000;
    await session.ping();
    expect(server.peers).toHaveLength(7);
  });

  test('heal: false ends the session with the cause', async () => {
    const server = script(older);
    const lost: unknown[] = [];
    const cause = new KitError('process_failed', 'exit code 1');
    await using session = await open(server, { heal: false, onLost: (why) => lost.push(why) });
    const pending = failure(session.request('tools/list-forever'));
    server.peer.hangUp(cause);
    expect(await pending).toMatchObject({ code: 'closed' });
    expect(await session.closed).toBe(cause);
    expect(session.isOpen).toBe(false);
    expect(lost).toEqual([cause]);
    expect(await failure(session.ping())).toMatchObject({ code: 'closed' });
    expect(server.peers).toHaveLength(1);
  });

  test('a listener of losses that throws is reported, and spoils nothing', async () => {
    const server = script(older);
    const reported: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (what: string) => void reported.push(what),
    };
    await using session = await open(server, {
      logger,
      onLost: () => {
        throw new Error('a bug of the host');
      },
    });
    server.peer.hangUp();
    expect(reported).toEqual(['onLost: a handler failed']);
    await session.ping();
  });
});

describe('while a connection is opened anew', () => {
  const slowly = () => {
    const dialling = createDeferred<void>();
    let dials = 0;
    const server = script(older, {
      dial: () => (++dials > 1 ? (dialling.promise as never) : (undefined as never)),
    });
    return { server, dialling };
  };

  test('a caller who cancels is let go at once, and the others are served', async () => {
    const { server, dialling } = slowly();
    await using session = await open(server);
    server.peer.hangUp();
    const stop = new AbortController();
    const cancelled = failure(session.ping({ signal: stop.signal }));
    const impatient = failure(session.ping({ timeoutMs: 20 }));
    const patient = session.ping();
    stop.abort();
    expect(await cancelled).toMatchObject({ code: 'aborted' });
    expect(await impatient).toMatchObject({ code: 'timeout' });
    dialling.resolve();
    await patient;
    expect(server.peers).toHaveLength(2);
    expect(server.peer.of('ping')).toHaveLength(1);
  });

  test('closing the session ends it at once; what opens in the end is closed', async () => {
    const { server, dialling } = slowly();
    const session = await open(server);
    server.peer.hangUp();
    const pending = failure(session.ping());
    await settle();
    await session.close();
    expect(await pending).toMatchObject({ code: 'closed' });
    dialling.resolve();
    await settle();
    expect(server.peers.every(({ isClosed }) => isClosed)).toBe(true);
    expect(await session.closed).toBeUndefined();
  });

  test('closing in the middle of the handshake leaves nothing open', async () => {
    let handshakes = 0;
    const server = script({
      ...older,
      initialize: (params, call) =>
        ++handshakes === 1 ? older['initialize']?.(params, call) : undefined,
    });
    const session = await open(server, { era: 'legacy' });
    server.peer.hangUp();
    const pending = failure(session.ping());
    while (server.peers.length < 2) await settle();
    await server.peer.nth('initialize');
    await session.close();
    expect(await pending).toMatchObject({ code: 'closed' });
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  test('a failure is told to all who wait, and the next call tries again', async () => {
    let refuse = false;
    const unreachable = new KitError('unreachable', 'nobody listens');
    const server = script(older, {
      dial: () => (refuse ? Promise.reject(unreachable) : (undefined as never)),
    });
    await using session = await open(server);
    server.peer.hangUp();
    refuse = true;
    const errors = await Promise.all([1, 2, 3].map(() => failure(session.ping())));
    expect(errors).toEqual([unreachable, unreachable, unreachable]);
    refuse = false;
    await session.ping();
  });
});

test('a call that is asked again keeps the time it had', async () => {
  const server = script({
    ...older,
    'tools/list': (_params, { peer }) => {
      if (peer.ordinal === 1) setTimeout(() => peer.hangUp(), 300);
    },
  });
  await using session = await open(server);
  const error = failure(session.listTools({}, { maxTotalMs: 400 }));
  expect(await before(600, error)).toMatchObject({ code: 'timeout' });
});

test('a call that waits for a new connection first has no more time than it was given', async () => {
  let openMs = 0;
  const server = script({
    ...older,
    initialize: async (params, call) => {
      await new Promise((resolve) => setTimeout(resolve, openMs));
      return older['initialize']?.(params, call);
    },
    'tools/call': () => undefined,
  });
  await using session = await open(server);
  server.peer.hangUp();
  openMs = 300;
  const error = failure(session.callTool('t', {}, { maxTotalMs: 400 }));
  expect(await before(650, error)).toMatchObject({ code: 'timeout' });
  expect(server.peer.of('tools/call')).toHaveLength(1);
});
