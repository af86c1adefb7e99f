import { createDeferred, type Deferred } from 'mcp-kit/internal';
import { createEraCache, openSession } from 'mcp-kit/client';
import type { Era } from 'mcp-kit/protocol';
import { createServer, resources } from 'mcp-kit/server';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openProxy } from '../interop/proxy.ts';

const atOnce = 8;

/** A server whose reads wait until they are let go, and may say something before. */
class SlowReads {
  readonly waiting: (() => void)[] = [];
  #begun: Deferred<void> | undefined;
  speaks = false;
  #waits = true;

  readonly service = createServer({
    name: 'slow',
    version: '1',
    features: [
      resources({
        resources: [
          {
            uri: 'test://a',
            name: 'a',
            read: async (context) => {
              if (this.speaks) await context.progress(1);
              if (!this.#waits) return 'read';
              await new Promise<void>((resolve) => {
                this.waiting.push(resolve);
                this.#begun?.resolve();
              });
              return 'read';
            },
          },
        ],
      }),
    ],
  });

  /** Settles when this many reads wait. */
  async untilWaiting(count: number): Promise<void> {
    while (this.waiting.length < count) {
      this.#begun = createDeferred();
      await this.#begun.promise;
    }
  }

  /** From now on reads are answered at once. */
  hurry(): void {
    this.#waits = false;
  }
}

/** A session behind a proxy, over a connection that carries a read and others that wait for a next request. */
async function occupied(reads: SlowReads, era: Era) {
  const listening = await serveHttp(reads.service, { port: 0 });
  onTestFinished(() => listening.close());
  const proxy = await openProxy(listening.port);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const target = httpTarget(`http://127.0.0.1:${proxy.port}/mcp`);
  const session = await openSession(target, { era, eraCache: createEraCache() });
  onTestFinished(() => session.close());
  const heard = createDeferred<void>();
  const read = session.readResource('test://a', { onProgress: () => heard.resolve() });
  await reads.untilWaiting(1);
  if (reads.speaks) await heard.promise;
  const others = Array.from({ length: atOnce }, () => session.readResource('test://a'));
  await reads.untilWaiting(1 + atOnce);
  for (const letGo of reads.waiting.splice(1)) letGo();
  await Promise.all(others);
  return { proxy, read };
}

describe('A read whose connection breaks off is asked again, not on one that broke off with it,', () => {
  test.each(['modern', 'legacy'] as const)('before its answer (%s)', async (era) => {
    const reads = new SlowReads();
    const { proxy, read } = await occupied(reads, era);
    proxy.cut();
    reads.hurry();
    expect((await read).contents).toMatchObject([{ text: 'read' }]);
  });

  test('and in the midst of it', async () => {
    const reads = new SlowReads();
    reads.speaks = true;
    const { proxy, read } = await occupied(reads, 'modern');
    const { accepted } = proxy;
    reads.hurry();
    proxy.cutOldest();
    expect((await read).contents).toMatchObject([{ text: 'read' }]);
    expect(proxy.accepted).toBe(accepted + 1);
  });
});
