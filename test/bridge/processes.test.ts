import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import { openSession, type Session } from 'mcp-kit/client';
import type { Era } from 'mcp-kit/protocol';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp, type HttpListening, type HttpOptions } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { Mark } from '../faults/lib/marked-processes.ts';
import { RawHttp, requestBytes } from '../faults/lib/raw-http.ts';
import { openSession as openRaw, toolCall } from '../faults/lib/wire.ts';
import { Child } from '../support/child-process.ts';
import { longMs, scaled } from '../support/scale.ts';
import { shellServer, shellWords } from './shell-server.ts';

interface Place extends AsyncDisposable {
  readonly bridge: Bridge;
  readonly listening: HttpListening;
  connect(era: Era): Promise<Session>;
}

/** A bridge over HTTP to processes with a mark. */
async function openPlace(
  mark: Mark,
  options: { readonly bridge?: BridgeOptions; readonly http?: HttpOptions } = {},
): Promise<Place> {
  const bridge = createBridge(childTarget(shellServer(mark)), options.bridge);
  const listening = await serveHttp(bridge, options.http);
  return {
    bridge,
    listening,
    connect: (era) => openSession(httpTarget(listening.url), { era, heal: false }),
    async [Symbol.asyncDispose]() {
      await listening.close();
      await bridge.close();
    },
  };
}

const textOf = async (result: Promise<{ content: readonly object[] }>): Promise<unknown> => {
  const [block] = (await result).content;
  return block !== undefined && 'text' in block ? block.text : undefined;
};

test.each(['legacy', 'modern'] as const)(
  `A process that is killed in the middle of a call fails that call, which waits for nothing else, and the next one is served: ${scaled(200)} times, for a %s client`,
  async (era) => {
    await using mark = new Mark();
    await using place = await openPlace(mark);
    await using session = await place.connect(era);
    const pids = new Set<number>();
    for (let time = 0; time < scaled(200); time += 1) {
      const pid = Number(await textOf(session.callTool('pid')));
      pids.add(pid);
      const call = session.callTool('hang');
      // The pipe is read in order: once this is answered, the call is under way.
      await session.callTool('done');
      process.kill(pid, 'SIGKILL');
      await expect(call).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining('Bridge transport error'),
        data: { code: 'closed', retryable: true, mayHaveRun: true },
      });
      expect(await textOf(session.callTool('done'))).toBe('done');
      expect(place.bridge.health()).toMatchObject({ status: 'ok' });
    }
    expect(pids.size).toBe(scaled(200));
    await session.close();
    await place[Symbol.asyncDispose]();
    expect(await mark.left()).toEqual([]);
  },
  longMs,
);

test(
  `${scaled(1000)} sessions that are abandoned leave no process, no conversation and no session`,
  async () => {
    await using mark = new Mark();
    await using place = await openPlace(mark, {
      http: { sessions: { ttlMs: 2000, sweepMs: 100 } },
    });
    let left = scaled(1000);
    let served = 0;
    const lane = async (): Promise<void> => {
      using http = new RawHttp(place.listening.port);
      for (; left > 0; left -= 1) {
        const { headers } = await openRaw(http);
        const body = toolCall(1, 'done');
        const { status } = await http.exchange(requestBytes({ headers, body }));
        // Whoever is held up for longer than a session lives is told that it has ended.
        expect([200, 404]).toContain(status);
        if (status === 200) served += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(served).toBeGreaterThan(0);
    expect(await mark.left()).toEqual([]);
    await expect.poll(() => place.bridge.health().upstreams).toBe(0);
    expect(place.listening.endpoint.sessionCount).toBe(0);
  },
  longMs,
);

test(
  `${scaled(100)} clients that go in the middle of a call take their processes with them`,
  async () => {
    await using mark = new Mark();
    // In the legacy era a client that hangs up has not cancelled: the call goes on until its session ends.
    await using place = await openPlace(mark, {
      bridge: { maxUpstreams: 128 },
      http: { sessions: { ttlMs: 2000, sweepMs: 100 } },
    });
    for (let time = 0; time < scaled(100); time += 1) {
      using http = new RawHttp(place.listening.port);
      const { headers } = await openRaw(http);
      using call = new RawHttp(place.listening.port);
      call.socket.write(requestBytes({ headers, body: toolCall(1, 'hang') }));
      await http.exchange(requestBytes({ headers, body: toolCall(2, 'done') }));
    }
    expect(await mark.left()).toEqual([]);
  },
  longMs,
);

test(
  `A bridge that is killed leaves no process behind, ${scaled(20)} times`,
  async () => {
    await using mark = new Mark();
    for (let time = 0; time < scaled(20); time += 1) {
      const http = ['--http', '127.0.0.1:0', '--json'];
      await using child = Child.mcpctl('bridge', ...http, ...shellWords(mark));
      const { url } = (await child.message(() => true)) as { url: string };
      const port = Number(new URL(url).port);
      using first = new RawHttp(port);
      using second = new RawHttp(port);
      for (const client of [first, second]) {
        const { headers } = await openRaw(client);
        await client.exchange(requestBytes({ headers, body: toolCall(1, 'done') }));
        client.socket.write(requestBytes({ headers, body: toolCall(2, 'hang') }));
      }
      expect(mark.alive().length).toBeGreaterThanOrEqual(2);
      await child.stop('SIGKILL');
      expect(await mark.left()).toEqual([]);
    }
  },
  longMs,
);
