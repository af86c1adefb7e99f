import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred, KitError } from 'mcp-kit/internal';
import { createEraCache } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { createSmallServer } from '../interop/fixture.mjs';
import {
  discovered,
  failure,
  newer,
  older,
  open,
  refuse,
  script,
  settle,
} from './client-script.ts';

const soon = { probeTimeoutMs: 20 };

describe('on a stream', () => {
  test('a modern server is asked what it offers, and nothing else', async () => {
    const server = script(newer);
    await using session = await open(server);
    expect([session.era, session.version]).toEqual(['modern', '2026-07-28']);
    expect(server.heard).toEqual(['server/discover']);
  });

  test('a server of both eras is spoken to in the modern one, unless the legacy one is ordered', async () => {
    await using auto = await open(memoryTarget(createSmallServer()));
    await using legacy = await open(memoryTarget(createSmallServer()), { era: 'legacy' });
    expect([auto.era, legacy.era]).toEqual(['modern', 'legacy']);
    expect([auto.server?.name, legacy.server?.name]).toEqual(['small', 'small']);
  });

  test.each([
    ['does not know the method', refuse(-32601)],
    ['wants to be initialized first', refuse(-32600)],
    ['has an error of its own', refuse(-32000)],
    ['answers something else', () => ({ hello: 'world' })],
    ['does not speak the revision, and says only that', refuse(-32022)],
    ['speaks legacy revisions only', refuse(-32022, { supported: ['2025-06-18'] })],
    ['offers legacy revisions only', () => discovered(['2025-11-25'])],
  ])('a server that %s is spoken to in the legacy era', async (_what, probe) => {
    const server = script({ ...older, 'server/discover': probe });
    await using session = await open(server);
    expect([session.era, session.version, session.server?.name]).toEqual([
      'legacy',
      '2025-11-25',
      'older',
    ]);
    await settle();
    expect(server.heard).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(server.peers).toHaveLength(1);
  });

  test('a server that offers the revision it just refused is asked once more, then given up', async () => {
    let asked = 0;
    const refusal = refuse(-32022, { supported: ['2026-07-28'] });
    const hesitant = script({
      'server/discover': (params, call) =>
        ++asked === 1 ? refusal(params, call) : discovered(['2026-07-28']),
    });
    await using session = await open(hesitant);
    expect(session.era).toBe('modern');
    const stubborn = script({ ...older, 'server/discover': refusal });
    expect(await failure(open(stubborn))).toMatchObject({ code: -32022 });
    expect(stubborn.heard).toEqual(['server/discover', 'server/discover']);
  });

  test.each([
    ['refuses with', refuse(-32022, { supported: ['2030-01-01'] })],
    ['offers', () => discovered(['2030-01-01'])],
  ])('a server that %s revisions nobody knows here is not spoken to', async (_what, probe) => {
    const server = script({ ...older, 'server/discover': probe });
    const error = await failure(open(server));
    expect(error).toMatchObject({ code: 'unsupported_version' });
    expect(error.message).toContain('2030-01-01');
    expect(server.peer.isClosed).toBe(true);
  });

  test.each([-32020, -32021])('%i is said by modern servers only: no fallback', async (code) => {
    const server = script({ ...older, 'server/discover': refuse(code) });
    expect(await failure(open(server))).toMatchObject({ code });
    expect(server.heard).toEqual(['server/discover']);
  });

  test('a server that is silent is asked in the legacy era too, and the probe is not cancelled', async () => {
    const server = script({ ...older, 'server/discover': () => undefined });
    await using session = await open(server, soon);
    await settle();
    expect(session.era).toBe('legacy');
    expect(server.heard).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(server.peer.connection.inFlight.awaiting).toBe(0);
  });

  test('a slow answer to the probe counts, in a conversation that the handshake has not touched', async () => {
    const server = script({
      ...newer,
      initialize: (_params, { peer }) => {
        const probe = peer.of('server/discover')[0];
        peer.say({ id: probe?.id, result: discovered(['2026-07-28']) });
        return { protocolVersion: '2025-11-25', capabilities: {} };
      },
      'server/discover': (_params, { peer }) =>
        peer.ordinal === 1 ? undefined : discovered(['2026-07-28']),
    });
    const eraCache = createEraCache();
    await using session = await open(server, { ...soon, eraCache });
    expect([session.era, eraCache.get(server.target.key)]).toEqual(['modern', 'modern']);
    expect(server.heard).toEqual(['server/discover', 'initialize', 'server/discover']);
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('a server that is known for the modern era is waited for, but not for ever', async () => {
    const eraCache = createEraCache();
    const server = script({ ...older, 'server/discover': () => undefined });
    await eraCache.set(server.target.key, 'modern');
    const since = performance.now();
    await using session = await open(server, {
      probeTimeoutMs: 1,
      connectTimeoutMs: 1200,
      eraCache,
    });
    expect(performance.now() - since).toBeGreaterThan(590);
    expect([session.era, eraCache.get(server.target.key)]).toEqual(['legacy', 'legacy']);
  });

  test('a slow refusal of the probe lets the handshake go on', async () => {
    const initialized = createDeferred<object>();
    const server = script({
      ...older,
      'server/discover': () => undefined,
      initialize: () => initialized.promise,
    });
    const opening = open(server, soon);
    const { peer } = await dialled(server);
    const probe = await peer.nth('server/discover');
    await peer.nth('initialize');
    peer.say({ id: probe.id, error: { code: -32601, message: 'no' } });
    await settle();
    initialized.resolve({ protocolVersion: '2025-06-18', capabilities: {} });
    await using session = await opening;
    expect(session.version).toBe('2025-06-18');
  });

  test('a refused handshake waits for the slow answer to the probe', async () => {
    const server = script({
      initialize: (params, call) => {
        const { peer } = call;
        const { id } = peer.of('server/discover')[0] ?? {};
        setTimeout(() => peer.say({ id, result: discovered(['2026-07-28']) }), 5);
        return refuse(-32022)(params, call);
      },
      'server/discover': () => undefined,
    });
    await using session = await open(server, { probeTimeoutMs: 300 });
    expect(session.era).toBe('modern');
  });

  test('a refused handshake is the error when the probe stays unanswered', async () => {
    const server = script({ initialize: refuse(-32602), 'server/discover': () => undefined });
    expect(await failure(open(server, soon))).toMatchObject({ code: -32602 });
  });

  test.each([
    ['at once', 0],
    ['after silence', 30],
  ])(
    'a server that ends on the probe %s is dialled again, with the handshake only',
    async (_when, ms) => {
      const server = script({
        ...older,
        'server/discover': async (_params, { peer }) => {
          if (ms > 0) await sleep(ms);
          peer.hangUp();
        },
        initialize: async (_params, { peer }) => {
          if (peer.of('server/discover').length > 0) return undefined;
          return { protocolVersion: '2025-11-25', capabilities: {} };
        },
      });
      await using session = await open(server, soon);
      expect(session.era).toBe('legacy');
      expect(server.peers).toHaveLength(2);
      expect(server.peer.of('server/discover')).toEqual([]);
    },
  );

  test('a server that refuses the probe and then ends is dialled again', async () => {
    const server = script({
      ...older,
      initialize: (_params, { peer }) => {
        if (peer.of('server/discover').length === 0) return { protocolVersion: '2025-11-25' };
        return peer.hangUp();
      },
    });
    await using session = await open(server);
    expect([session.era, server.peers.length]).toEqual(['legacy', 2]);
  });

  test('a server that always ends is an error, and no third try is made', async () => {
    const server = script({
      'server/discover': (_params, { peer }) => peer.hangUp(new Error('exit code 1')),
      initialize: (_params, { peer }) => peer.hangUp(new Error('exit code 1')),
    });
    const error = await failure(open(server));
    expect(error).toMatchObject({ code: 'closed' });
    expect(error.message).toContain('exit code 1');
    expect(server.peers).toHaveLength(2);
  });

  test('a handshake in a revision nobody knows is refused', async () => {
    const server = script({ ...older, initialize: () => ({ protocolVersion: '1999-01-01' }) });
    expect(await failure(open(server))).toMatchObject({ code: 'unsupported_version' });
    expect(server.peer.isClosed).toBe(true);
  });
});

describe('an ordered era', () => {
  test('older: no probe', async () => {
    const server = script({ ...newer, ...older });
    await using session = await open(server, { era: 'legacy' });
    await settle();
    expect(session.era).toBe('legacy');
    expect(server.heard).toEqual(['initialize', 'notifications/initialized']);
  });

  test('newer: no handshake, however long the server is silent', async () => {
    const server = script({ ...older, 'server/discover': () => undefined });
    const options = { era: 'modern', probeTimeoutMs: 1, connectTimeoutMs: 50 } as const;
    expect(await failure(open(server, options))).toMatchObject({ code: 'timeout' });
    expect(server.heard).toEqual(['server/discover']);
    const refusing = script(older);
    expect(await failure(open(refusing, { era: 'modern' }))).toMatchObject({ code: -32601 });
  });
});

describe('what was found out', () => {
  test('is remembered: a legacy server is not probed again', async () => {
    const server = script(older);
    const eraCache = createEraCache();
    await using _first = await open(server, { eraCache });
    await using second = await open(server, { eraCache });
    expect(second.era).toBe('legacy');
    expect(server.peers[1]?.of('server/discover')).toEqual([]);
  });

  test('holds for a while, counted from when it was found out and not from when it was used', async () => {
    const server = script(older);
    const eraCache = createEraCache({ ttlMs: 60 });
    await using _first = await open(server, { eraCache });
    const since = performance.now();
    while (performance.now() - since < 70) {
      await using _again = await open(server, { eraCache });
      await sleep(10);
    }
    await using _last = await open(server, { eraCache });
    expect(server.heard.filter((method) => method === 'server/discover').length).toBeGreaterThan(1);
  });

  test('is not what was ordered', async () => {
    const eraCache = createEraCache();
    const server = script({ ...newer, ...older });
    await using _ordered = await open(server, { eraCache, era: 'legacy' });
    await using free = await open(server, { eraCache });
    expect(free.era).toBe('modern');
  });

  test.each([
    ['refuses the handshake', refuse(-32022, { supported: ['2026-07-28'] })],
    [
      'ends at the handshake',
      (_: unknown, { peer }: { peer: { hangUp(): void } }) => peer.hangUp(),
    ],
    ['answers the handshake strangely', () => ({ protocolVersion: '2026-07-28' })],
  ])('is found out anew when the server %s', async (_what, initialize) => {
    const eraCache = createEraCache();
    const server = script({ ...newer, initialize });
    await eraCache.set(server.target.key, 'legacy');
    await using session = await open(server, { eraCache });
    expect(session.era).toBe('modern');
    expect(eraCache.get(server.target.key)).toBe('modern');
  });

  test('a modern server that became a legacy one is spoken to all the same', async () => {
    const eraCache = createEraCache();
    const server = script(older);
    await eraCache.set(server.target.key, 'modern');
    await using session = await open(server, { eraCache });
    expect([session.era, eraCache.get(server.target.key)]).toEqual(['legacy', 'legacy']);
  });

  test('the oldest of too many are forgotten', async () => {
    const eraCache = createEraCache({ maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) await eraCache.set(key, 'modern');
    expect(['a', 'b', 'c'].map((key) => eraCache.get(key))).toEqual([
      undefined,
      'modern',
      'modern',
    ]);
  });
});

describe('giving up', () => {
  const mute = { 'server/discover': () => undefined, initialize: () => undefined };

  test('after connectTimeoutMs; what was opened is closed', async () => {
    const server = script(mute);
    const error = await failure(open(server, { ...soon, connectTimeoutMs: 60 }));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('60 ms');
    expect(server.peer.isClosed).toBe(true);
    // What opens a conversation is never cancelled.
    expect(server.heard).toEqual(['server/discover', 'initialize']);
  });

  test("when the caller's signal fires; what was opened is closed", async () => {
    const server = script(mute);
    const stop = new AbortController();
    const opening = failure(open(server, { signal: stop.signal }));
    await (await dialled(server)).peer.nth('server/discover');
    stop.abort(new Error('enough'));
    expect(await opening).toMatchObject({ code: 'aborted', cause: new Error('enough') });
    expect(server.peer.isClosed).toBe(true);
  });

  test('before anything is dialled when the signal has fired already', async () => {
    const server = script(older);
    const error = await failure(open(server, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted' });
    expect(server.peers).toEqual([]);
  });

  test('on a dial that takes no notice; what it opens in the end is closed', async () => {
    const dialling = createDeferred<never>();
    const server = script(older, { dial: () => dialling.promise });
    expect(await failure(open(server, { connectTimeoutMs: 20 }))).toMatchObject({
      code: 'timeout',
    });
    dialling.resolve(undefined as never);
    await settle();
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([true]);
  });

  test('a dial that fails is the error', async () => {
    const refused = new KitError('unreachable', 'nobody listens');
    const server = script(older, { dial: () => Promise.reject(refused) });
    expect(await failure(open(server))).toBe(refused);
  });

  test('leaves no timer and no listener behind', async () => {
    const stop = new AbortController();
    const counted = countingListeners(stop.signal);
    await using _opened = await open(script(older), { signal: stop.signal });
    await failure(open(script({}), { signal: stop.signal }));
    expect(counted()).toBe(0);
  });
});

async function dialled(server: ReturnType<typeof script>): Promise<typeof server> {
  while (server.peers.length === 0) await settle();
  return server;
}

/** How many more listeners a signal has than it had. */
function countingListeners(signal: AbortSignal): () => number {
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    count += 1;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    count -= 1;
    removeEventListener.apply(signal, args);
  };
  return () => count;
}
