// The store in Redis where another server takes over, and where there are several: Sentinel and Cluster, with real servers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { Store } from 'mcp-kit/store';
import { storeContract } from 'mcp-kit/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRedisStore } from '../../packages/store-redis/dist/index.js';
import { Child } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { lastingPort } from '../support/lasting-port.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { isWhole } from '../support/scale.ts';

beforeAll(requireBuild);

const portOf = ({ url }: RedisServer): string => new URL(url).port;

function admin({ url }: RedisServer): Redis {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** A Sentinel that looks after one server, and is quick to give it up. */
async function startSentinel(master: RedisServer): Promise<{ port: number } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sentinel-'));
  const port = await lastingPort();
  const file = path.join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor main 127.0.0.1 ${portOf(master)} 1`,
    'sentinel down-after-milliseconds main 500',
    'sentinel failover-timeout main 2000',
  ];
  await writeFile(file, lines.join('\n'));
  const child = new Child('redis-server', [file, '--sentinel']);
  await child.until(() => child.stdout.includes('+monitor master main') || undefined);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!hasRedis)('A store in Redis', () => {
  test('goes on with the server that Sentinel has chosen when the first one is gone', async () => {
    await using master = await RedisServer.start();
    await using replica = await RedisServer.start('--replicaof', '127.0.0.1', portOf(master));
    const copies = admin(master);
    await using sentinel = await startSentinel(master);
    const control = new Redis(sentinel.port, '127.0.0.1');
    onTestFinished(() => control.disconnect());
    const known = async (): Promise<unknown> =>
      control.call('SENTINEL', 'REPLICAS', 'main').then((found) => (found as unknown[]).length);
    await expect.poll(known).toBe(1);

    const store = await openRedisStore(`redis+sentinel://127.0.0.1:${sentinel.port}/main`);
    onTestFinished(() => store.close());
    expect(await store.kv.cas('key', undefined, 'value')).toBe(true);
    const position = await store.log.append('log', 'next', 'before');
    let woken = 0;
    const end = store.log.watch('log', () => (woken += 1));
    onTestFinished(end);
    await expect.poll(() => copies.wait(1, 100)).toBe(1);

    await master.stop('SIGKILL');
    const read = async (): Promise<unknown> => store.kv.cas('other', undefined, 'x');
    await expect.poll(() => read().catch(() => 'away')).toBe(true);
    expect(await store.kv.get('key')).toBe('value');
    const before = woken;
    const next = await store.log.append('log', 'next', 'after');
    expect(next).toBeGreaterThan(position);
    expect((await store.log.readAfter('log', position - 1)).entries).toHaveLength(2);
    await expect.poll(() => woken).toBeGreaterThan(before);
    expect(portOf(replica)).toBe(
      ((await control.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as string[])[1],
    );
  });
});

describe.skipIf(!hasRedis)('A store in a cluster of Redis', () => {
  const servers: RedisServer[] = [];
  let url: string;
  beforeAll(async () => {
    for (let count = 0; count < 3; count += 1) {
      servers.push(await RedisServer.start('--cluster-enabled', 'yes'));
    }
    const [first] = servers as [RedisServer];
    for (const [at, server] of servers.entries()) {
      const redis = new Redis(server.url);
      const slots = [at * 5461, at === 2 ? 16_383 : (at + 1) * 5461 - 1];
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', ...slots);
      if (at > 0) await redis.call('CLUSTER', 'MEET', '127.0.0.1', portOf(first));
      redis.disconnect();
    }
    url = `redis+cluster://127.0.0.1:${portOf(first)},127.0.0.1:${servers.map(portOf)[1]}`;
    const isWell = async (): Promise<boolean> => {
      const states = servers.map(async (server) => {
        const redis = new Redis(server.url);
        const info = String(await redis.call('CLUSTER', 'INFO'));
        redis.disconnect();
        return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
      });
      return (await Promise.all(states)).every(Boolean);
    };
    await vi.waitUntil(isWell, { timeout: 60_000, interval: 50 });
  });
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
  });

  const open = (): Promise<Store> => openRedisStore(url, { answerMs: 30_000 });
  test.each(storeContract(open, { runs: isWhole ? 5 : 1 }))('$name', ({ run }) => run());
});

test.each([
  'redis+sentinel://127.0.0.1:1',
  'redis+cluster://',
  'redis+other://127.0.0.1:1',
  'redis://127.0.0.1:1/a',
  'redis://127.0.0.1:1/0/1',
])('%s is no place of a store', async (place) => {
  await expect(openRedisStore(place)).rejects.toMatchObject({
    code: 'invalid_argument',
    hint: expect.stringContaining('redis+sentinel://HOST:PORT,HOST:PORT/NAME'),
  });
});
