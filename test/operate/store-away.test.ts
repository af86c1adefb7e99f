// A store that is away: who needs none goes on, who is there goes on, who is new is told to come back, and it heals by itself.
import type { Logger } from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';
import { expect, onTestFinished, test } from 'vitest';
import { openRedisStore } from '../../packages/store-redis/dist/index.js';
import { send } from '../support/http-client.ts';
import { initialize, modern, postHeaders, request, startSession } from '../support/mcp-http.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { operating, sample, type Operating } from './fixture.ts';

/** Collects what is logged at level warn and above, and that it is over. */
function notes(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  return { lines, logger: { debug() {}, info: note, warn: note, error: note } };
}

async function open(redis: RedisServer, logger?: Logger): Promise<Operating> {
  const store: Store = await openRedisStore(redis.url);
  const server = await operating({}, { store, logger });
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  return server;
}

test.skipIf(!hasRedis)('a store that is away and comes back', async () => {
  await using redis = await RedisServer.start('--appendfsync', 'always');
  const { logger, lines } = notes();
  const [first, second] = [await open(redis, logger), await open(redis)];
  const session = await startSession(first.url);
  const headers = { ...postHeaders, ...session.headers };
  const ask = (server: Operating) => send(server.url, { body: request('p', 'ping'), headers });
  const up = (): number => sample(first.metrics(), 'mcp_store_up');
  expect(up()).toBe(1);

  await redis.stop();
  // It is found out by whoever asks.
  await expect
    .poll(async () => {
      expect((await ask(first)).status).toBe(200);
      return up();
    })
    .toBe(0);
  const before = lines.length;
  for (let round = 0; round < 30; round += 1) expect((await ask(first)).status).toBe(200);
  const call = modern('tools/call', { name: 'whoami', arguments: {} });
  expect((await send(first.url, call)).status).toBe(200);
  const begun = await initialize(first.url);
  expect([begun.status, begun.headers['retry-after']]).toEqual([503, expect.any(String)]);
  const elsewhere = await ask(second);
  expect([elsewhere.status, elsewhere.headers['retry-after']]).toEqual([503, expect.any(String)]);
  // Said once, and not by each of them.
  expect(lines.filter((line) => line === 'the store does not answer')).toHaveLength(1);
  expect(lines.length - before).toBeLessThan(10);
  expect((await fetch(new URL('/readyz', first.url))).status).toBe(200);

  await redis.start('--appendfsync', 'always');
  await expect.poll(async () => (await initialize(first.url)).status).toBe(200);
  expect(up()).toBe(1);
  expect(lines).toContain('the store answers again');
  await expect.poll(async () => (await ask(second)).status).toBe(200);
  expect((await ask(first)).status).toBe(200);
});
