import { setTimeout as sleep } from 'node:timers/promises';
import { createBridge, type Bridge } from 'mcp-kit/bridge';
import { createVerdicts, openSession, type Session } from 'mcp-kit/client';
import { RpcError } from 'mcp-kit/jsonrpc';
import type { Era } from 'mcp-kit/protocol';
import { createServer, resources } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { serveHttp, type HttpListening } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { openProxy } from '../interop/proxy.ts';
import { lastingPort, listenAgain } from '../support/lasting-port.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { longMs, scaled } from './scale.ts';

const atOnce = 8;
const random = (below: number): number => Math.floor(Math.random() * below);

/** Says numbers, one after the other or many at once, then answers. */
const count = defineTool({
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

/** Counts what has begun, over all servers of a test. */
function countingServer(begun: { calls: number; reads: number }) {
  const note = defineTool({
    name: 'note',
    description: 'Takes its time, and cannot be undone.',
    async run(_args, { signal }) {
      begun.calls += 1;
      await sleep(100, undefined, { signal }).catch(() => {});
      return 'noted';
    },
  });
  const read = async (): Promise<string> => {
    begun.reads += 1;
    await sleep(50);
    return 'first';
  };
  const files = resources({ resources: [{ uri: 'test://a', name: 'a', read }] });
  return createServer({
    name: 'streams',
    version: '1',
    features: [toolSet([count, note]), files],
  });
}

/** A server over HTTP that can be ended, and be there again where it was, without knowing anybody. */
class Restartable implements AsyncDisposable {
  readonly begun = { calls: 0, reads: 0 };
  #listening: HttpListening | undefined;
  #port = 0;

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    this.#port ||= await lastingPort();
    const options = { port: this.#port, retryMs: 5 };
    this.#listening = await listenAgain(() => serveHttp(countingServer(this.begun), options));
  }

  async stop(): Promise<void> {
    await this.#listening?.close();
    this.#listening = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const connect = (bridge: Bridge, era: Era): Promise<Session> =>
  openSession(memoryTarget(bridge), { era, verdicts: createVerdicts() });

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
    'a client of the older era hears every call whole: nothing lost, nothing twice, the answer last',
    async () => {
      await using server = new Restartable();
      await server.start();
      await using proxy = await openCuttingProxy(server.port, 900);
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
    'a client of the newer era hears a call whole, or that it may try again',
    async () => {
      await using server = new Restartable();
      await server.start();
      await using proxy = await openCuttingProxy(server.port, 900, 'event-stream');
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
      await using server = new Restartable();
      await server.start();
      await using proxy = await openProxy(server.port);
      const url = `http://127.0.0.1:${proxy.port}/mcp`;
      await using bridge = createBridge(httpTarget(url), { era });
      await using session = await connect(bridge, era);
      for (let time = 0; time < scaled(100); time += 1) {
        Object.assign(server.begun, { calls: 0, reads: 0 });
        const unsafe = session.callTool('note').catch((error: unknown) => error);
        const safe = session.readResource('test://a');
        const begun = { calls: 1, reads: 1 };
        await expect.poll(() => server.begun, { interval: 1 }).toEqual(begun);
        proxy.cut();
        await server.stop();
        await server.start();
        expect(await unsafe).toMatchObject({
          code: -32603,
          data: { retryable: true, mayHaveRun: true },
        });
        expect((await safe).contents).toMatchObject([{ text: 'first' }]);
        expect(await callThrough(session)).toBe('whole');
        expect(server.begun.calls).toBe(1);
        expect(bridge.health()).toMatchObject({ status: 'ok' });
      }
    },
    longMs,
  );
});
