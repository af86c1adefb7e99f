import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred } from 'mcp-kit/internal';
import { createBridge, type Bridge } from 'mcp-kit/bridge';
import { createEraCache, openSession, type Session } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import type { Era } from 'mcp-kit/protocol';
import { createServer, resources, type Context } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp, type HttpListening } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openProxy } from '../interop/proxy.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { longMs, scaled } from '../support/scale.ts';

const atOnce = 8;
const random = (below: number): number => Math.floor(Math.random() * below);

/** Says numbers, one after the other or many at once, then answers. */
const count = tool({
  name: 'count',
  description: 'Counts aloud.',
  input: {
    type: 'object',
    properties: { to: { type: 'integer' }, pauseMs: { type: 'number' } },
    required: ['to', 'pauseMs'],
  },
  async run({ to, pauseMs }, context) {
    for (let at = 1; at <= to; at += 1) {
      await context.progress(at, to);
      if (pauseMs > 0) await sleep(Math.random() * pauseMs);
    }
    return `counted to ${to}`;
  },
});

/** Holds what has begun, over all servers of a test, until it is ended. */
class Begun {
  calls = 0;
  reads = 0;
  #changed = createDeferred<void>();

  note(what: 'calls' | 'reads'): void {
    this[what] += 1;
    this.#changed.resolve();
    this.#changed = createDeferred();
  }

  /** Settles when both a call and a read have begun. */
  async both(): Promise<void> {
    while (this.calls === 0 || this.reads === 0) await this.#changed.promise;
  }
}

/** A server whose first read is never answered, nor is a note before it is given up. */
function countingServer(begun: Begun) {
  const note = tool({
    name: 'note',
    description: 'Takes its time, and cannot be undone.',
    async run(_args, { signal }) {
      begun.note('calls');
      await ended(signal);
      return 'noted';
    },
  });
  const read = async ({ signal }: Context): Promise<string> => {
    begun.note('reads');
    if (begun.reads === 1) await ended(signal);
    return 'first';
  };
  const files = resources({ resources: [{ uri: 'test://a', name: 'a', read }] });
  return createServer({
    name: 'streams',
    version: '1',
    features: [toolSet([count, note]), files],
  });
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** Serves on a port of its own; the next one knows nobody. */
async function listen(begun: Begun): Promise<HttpListening> {
  const listening = await serveHttp(countingServer(begun), { port: 0, retryMs: 5 });
  onTestFinished(() => listening.close());
  return listening;
}

const connect = (bridge: Bridge, era: Era): Promise<Session> =>
  openSession(memoryTarget(bridge), { era, eraCache: createEraCache() });

/** Calls, and says what became of it. */
async function callThrough(session: Session): Promise<'whole' | RpcError> {
  const to = 1 + random(8);
  const heard: unknown[] = [];
  try {
    const { content } = await session.callTool(
      'count',
      { to, pauseMs: random(2) * 4 },
      { onProgress: ({ progress }) => heard.push(progress) },
    );
    expect(content).toEqual([{ type: 'text', text: `counted to ${to}` }]);
    expect(heard).toEqual(Array.from({ length: to }, (_, at) => at + 1));
    return 'whole';
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}

async function callOften(session: Session, times: number): Promise<('whole' | RpcError)[]> {
  const outcomes: ('whole' | RpcError)[] = [];
  let left = times;
  const lane = async (): Promise<void> => {
    for (; left > 0; left -= 1) outcomes.push(await callThrough(session));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return outcomes;
}

describe(`When the streams between a bridge and its server are cut at random bytes, ${scaled(1000)} times,`, () => {
  test(
    'a legacy client hears every call whole: nothing lost, nothing twice, the answer last',
    async () => {
      const { port: serverPort } = await listen(new Begun());
      await using proxy = await openCuttingProxy(serverPort, 900);
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      await using bridge = createBridge(httpTarget(url), { era: 'legacy' });
      await using session = await connect(bridge, 'legacy');
      // Each cut before another event makes the next wait longer, but never much of the half minute that a call has.
      while (proxy.cuts < scaled(1000)) {
        const outcomes = await callOften(session, 20);
        expect(outcomes.filter((outcome) => outcome !== 'whole')).toEqual([]);
      }
    },
    longMs,
  );

  test(
    'a modern client hears a call whole, or that it may try again',
    async () => {
      const { port: serverPort } = await listen(new Begun());
      await using proxy = await openCuttingProxy(serverPort, 900, 'event-stream');
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      await using bridge = createBridge(httpTarget(url), { era: 'modern' });
      await using session = await connect(bridge, 'modern');
      let failures = 0;
      while (proxy.cuts < scaled(1000)) {
        const outcomes = await callOften(session, 20);
        for (const outcome of outcomes) {
          if (outcome === 'whole') continue;
          failures += 1;
          expect(outcome).toMatchObject({
            code: -32603,
            data: { code: expect.any(String), retryable: true, mayHaveRun: true },
          });
        }
      }
      expect(failures).toBeGreaterThan(0);
    },
    longMs,
  );
});

describe(`When the server of a bridge is restarted and knows nobody, ${scaled(100)} times,`, () => {
  test.each(['legacy', 'modern'] as const)(
    'a %s client goes on: what may be repeated is, and what may not is said to have failed',
    async (era) => {
      const begun = new Begun();
      let server = await listen(begun);
      await using proxy = await openProxy(server.port);
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      await using bridge = createBridge(httpTarget(url), { era });
      await using session = await connect(bridge, era);
      for (let time = 0; time < scaled(100); time += 1) {
        Object.assign(begun, { calls: 0, reads: 0 });
        const outcomes = Promise.allSettled([
          session.callTool('note'),
          session.readResource('test://a'),
        ]);
        await begun.both();
        const last = server;
        server = await listen(begun);
        proxy.targetPort = server.port;
        proxy.cut();
        await last.close();
        const [unsafe, safe] = await outcomes;
        expect(unsafe).toMatchObject({
          reason: { code: -32603, data: { retryable: true, mayHaveRun: true } },
        });
        expect(safe).toMatchObject({ value: { contents: [{ text: 'first' }] } });
        expect(await callThrough(session)).toBe('whole');
        expect(begun).toMatchObject({ calls: 1, reads: 2 });
        expect(bridge.health()).toMatchObject({ status: 'ok' });
      }
    },
    longMs,
  );
});
