import { KitError } from 'mcp-kit/internal';
import { createEraCache } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { describe, expect, test } from 'vitest';
import { discovered, failure, older, open, refuse, script, settle } from './client-script.ts';

describe('over HTTP', () => {
  const lose = (code: KitError['code'], status?: number) => () => {
    throw new KitError(code, 'lost', { details: { status } });
  };
  const http = { wire: 'http' } as const;

  test.each([400, 404, 405, 415])('%i to the probe means: the legacy era', async (status) => {
    const server = script({ ...older, 'server/discover': lose('http_status', status) }, http);
    await using session = await open(server);
    expect(session.era).toBe('legacy');
  });

  test.each([400, 404, 405])('%i to the handshake too: the oldest transport', async (status) => {
    const oldest = script(older, http);
    const newest = script(
      {
        'server/discover': lose('http_status', status),
        initialize: lose('http_status', status),
      },
      { ...http, fallback: oldest.target },
    );
    await using session = await open(newest);
    await settle();
    expect([session.era, newest.peer.isClosed]).toEqual(['legacy', true]);
    expect(oldest.heard).toEqual(['initialize', 'notifications/initialized']);
    await session.ping();
    expect(oldest.heard.at(-1)).toBe('ping');
  });

  test('the first refusal is the error when the oldest transport is not there either', async () => {
    const oldest = script({ initialize: lose('http_status', 404) }, http);
    const newest = script(
      {
        'server/discover': lose('http_status', 400),
        initialize: lose('http_status', 405),
      },
      { ...http, fallback: oldest.target },
    );
    expect(await failure(open(newest))).toMatchObject({ details: { status: 405 } });
    expect([newest.peer.isClosed, oldest.peer.isClosed]).toEqual([true, true]);
  });

  test.each([
    ['unauthorized', 401],
    ['unauthorized', 403],
    ['timeout', undefined],
    ['unreachable', undefined],
  ] as const)('%s %s is an error: no fallback, and nothing is remembered', async (code, status) => {
    const oldest = script(older, http);
    const eraCache = createEraCache();
    const newest = script(
      { ...older, 'server/discover': lose(code, status) },
      { ...http, fallback: oldest.target },
    );
    expect(await failure(open(newest, { eraCache }))).toMatchObject({ code });
    expect(newest.heard).toEqual(['server/discover']);
    expect(oldest.peers).toEqual([]);
    expect(eraCache.get(newest.target.key)).toBeUndefined();
    expect(newest.peer.isClosed).toBe(true);
  });

  test.each([
    ['unauthorized', 401],
    ['http_status', 429],
    ['http_status', 502],
    ['unreachable', undefined],
  ] as const)('%s %s to the handshake is an error as well', async (code, status) => {
    const oldest = script(older, http);
    const newest = script({ initialize: lose(code, status) }, { ...http, fallback: oldest.target });
    expect(await failure(open(newest))).toMatchObject({ code });
    expect(oldest.peers).toEqual([]);
  });

  test.each([
    ['http_status', 408],
    ['http_status', 429],
    ['http_status', 500],
    ['http_status', 503],
    ['answer_lost', undefined],
  ] as const)(
    '%s %s says nothing: the handshake is tried, and not remembered',
    async (code, status) => {
      const server = script({ ...older, 'server/discover': lose(code, status) }, http);
      const eraCache = createEraCache();
      await using session = await open(server, { eraCache });
      expect(session.era).toBe('legacy');
      expect(eraCache.get(server.target.key)).toBeUndefined();
      const down = script(
        { 'server/discover': lose(code, status), initialize: lose('http_status', 503) },
        http,
      );
      expect(await failure(open(down))).toMatchObject({ details: { status: 503 } });
    },
  );

  test('silence is not waited for until the end: the handshake is tried beside the probe', async () => {
    const server = script({ ...older, 'server/discover': () => undefined }, http);
    const eraCache = createEraCache();
    await using session = await open(server, { probeTimeoutMs: 1, eraCache });
    expect([session.era, eraCache.get(server.target.key)]).toEqual(['legacy', 'legacy']);
    expect(server.peers.map(({ received }) => received.map(({ method }) => method))).toEqual([
      ['server/discover'],
      ['initialize', 'notifications/initialized'],
    ]);
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('a late answer to the probe still counts, and the handshake beside it is ended', async () => {
    const server = script(
      {
        'server/discover': () => undefined,
        initialize: () => {
          const { id } = server.peers[0]?.of('server/discover')[0] ?? {};
          setImmediate(() => {
            server.peers[0]?.say({ id, result: discovered(['2026-07-28']) });
          });
          return { protocolVersion: '2025-11-25', capabilities: {} };
        },
      },
      http,
    );
    await using session = await open(server, { probeTimeoutMs: 1 });
    expect(session.era).toBe('modern');
    expect(server.peers.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  test.each([-32020, -32021])('a body with %i is an answer of the modern era', async (code) => {
    const server = script({ ...older, 'server/discover': refuse(code) }, http);
    expect(await failure(open(server))).toBeInstanceOf(RpcError);
    expect(server.heard).toEqual(['server/discover']);
  });
});
