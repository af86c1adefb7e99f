import { claimsModern, KitError } from 'mcp-kit/internal';
import { createStormBreaker, createEraCache, openSession } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import {
  discovered,
  failure,
  newer,
  older,
  open,
  script,
  text,
  type Serve,
} from './client-script.ts';
import { json, result, scripted, sessionful, type Seen } from './http-client-fixture.ts';

// A modern server whose place is taken by one that knows only the legacy era, while a session is open.

const says =
  (code: number, message: string): Serve =>
  () => {
    throw new RpcError(code, message);
  };

/** Serves the modern era until it is replaced; then the legacy era, which says `refusal` to what is of no session. */
function replaceable(refusal: Serve) {
  const state = { isReplaced: false };
  const server = script(
    {
      ...older,
      ...newer,
      initialize: (params, call) =>
        state.isReplaced ? older['initialize']?.(params, call) : refusal(params, call),
      'server/discover': (params, call) =>
        state.isReplaced ? refusal(params, call) : discovered(['2026-07-28']),
      'tools/call': (params, call) => {
        const isModern = claimsModern(params);
        if (isModern === state.isReplaced) return refusal(params, call);
        return { resultType: 'complete', ...text(isModern ? 'new' : 'old') };
      },
    },
    { wire: 'http' },
  );
  return { server, state };
}

describe('a server that was replaced by a legacy one', () => {
  test.each([
    ['No valid session ID', says(-32_000, 'Bad Request: No valid session ID provided')],
    ['not initialized', says(-32_000, 'Bad Request: Server not initialized')],
    ['Missing session ID', says(-32_600, 'Bad Request: Missing session ID')],
    ['unsupported version', says(-32_000, 'Bad Request: Unsupported protocol version')],
    ['session not found', says(-32_001, 'Session not found')],
    [
      'a bare status',
      () => {
        throw new KitError('http_status', 'HTTP 422', { details: { status: 422 } });
      },
    ],
  ] satisfies [string, Serve][])(
    'is recognized by what it says (%s); the call is made in its era',
    async (_, refusal) => {
      const { server, state } = replaceable(refusal);
      const eraCache = createEraCache();
      await using session = await open(server, { eraCache });
      expect(textOf(await session.callTool('t'))).toBe('new');
      state.isReplaced = true;
      expect(textOf(await session.callTool('t'))).toBe('old');
      expect([session.era, eraCache.get(server.target.key)]).toEqual(['legacy', 'legacy']);
      expect(session.stats.handshakes).toBe(2);
    },
  );

  test('is noticed once by many calls, which all are made', async () => {
    const { server, state } = replaceable(says(-32_000, 'no session'));
    await using session = await open(server);
    state.isReplaced = true;
    const results = await Promise.all(Array.from({ length: 20 }, () => session.callTool('t')));
    expect(new Set(results.map(textOf))).toEqual(new Set(['old']));
    expect(session.stats.handshakes).toBe(2);
    // When it was opened, when it was doubted, and when it was opened anew.
    expect(server.heard.filter((method) => method === 'server/discover')).toHaveLength(3);
  });

  test('is opened anew no more often than the breaker allows', async () => {
    const { server, state } = replaceable(says(-32_000, 'no session'));
    const breaker = createStormBreaker(1, 60_000);
    await using session = await open(server, { breaker });
    state.isReplaced = true;
    breaker.admit();
    const error = await failure(session.callTool('t'));
    expect(error).toMatchObject({ code: 'closed' });
    expect(server.peers).toHaveLength(1);
  });

  test('is left alone where the modern era is ordered, or nothing is to heal', async () => {
    for (const options of [{ era: 'modern' }, { heal: false }] as const) {
      const { server, state } = replaceable(says(-32_000, 'no session'));
      await using session = await open(server, options);
      state.isReplaced = true;
      expect(await failure(session.callTool('t'))).toMatchObject({ code: -32_000 });
      expect(server.peers).toHaveLength(1);
    }
  });

  test('is not suspected for a refusal of its own: the refusal is the answer', async () => {
    const server = script(
      { ...newer, 'tools/call': says(-32_000, 'the session of the user has expired') },
      { wire: 'http' },
    );
    await using session = await open(server);
    const error = await failure(session.callTool('t'));
    expect(error).toMatchObject({ code: -32_000, message: 'the session of the user has expired' });
    expect([server.peers.length, session.era]).toEqual([1, 'modern']);
    expect(server.peer.of('tools/call')).toHaveLength(1);
  });

  test('at the same URL, over real HTTP', async () => {
    let isReplaced = false;
    const refuse = (seen: Seen): void => {
      const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
      seen.response.writeHead(400, { 'content-type': 'application/json' });
      seen.response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    };
    const legacy = sessionful((seen) => {
      if (seen.method === 'GET') seen.response.writeHead(405).end();
      else if (seen.headers['mcp-session-id'] === undefined) refuse(seen);
      else json(seen, result(seen, text('old')));
    });
    const modern = (seen: Seen): void => {
      const isDiscovery = seen.message.method === 'server/discover';
      json(seen, result(seen, isDiscovery ? discovered(['2026-07-28']) : text('new')));
    };
    await using server = await scripted((seen) => (isReplaced ? legacy : modern)(seen));
    await using session = await openSession(httpTarget(server.url), { eraCache: createEraCache() });
    expect(textOf(await session.callTool('t'))).toBe('new');
    isReplaced = true;
    expect(textOf(await session.callTool('t'))).toBe('old');
    expect([session.era, session.version]).toEqual(['legacy', '2025-06-18']);
  });

  test('as the same command, when the process has ended', async () => {
    // Each run is of another era: the first of the newer.
    const program = `
      const { existsSync, writeFileSync } = require('node:fs');
      const isOld = existsSync(process.env.MARK);
      writeFileSync(process.env.MARK, '');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'die') process.exit(1);
        if (id === undefined) return;
        const answer = (fields) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...fields }));
        const capabilities = {};
        if (method === 'initialize' && isOld)
          answer({ result: { protocolVersion: '2025-06-18', capabilities } });
        else if (method === 'server/discover' && !isOld)
          answer({ result: { supportedVersions: ['2026-07-28'], capabilities } });
        else if (method === 'tools/call') answer({ result: { content: [] } });
        else answer({ error: { code: -32601, message: 'unknown' } });
      });`;
    const { mkdtempSync, rmSync } = await import('node:fs');
    const folder = mkdtempSync(`${process.env['TMPDIR'] ?? '/tmp'}/mcp-kit-replaced-`);
    try {
      const env = { MARK: `${folder}/mark` };
      const target = childTarget({ command: process.execPath, args: ['-e', program], env });
      await using session = await openSession(target, { eraCache: createEraCache() });
      expect(session.era).toBe('modern');
      await failure(session.request('die'));
      await session.callTool('t');
      expect(session.era).toBe('legacy');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
