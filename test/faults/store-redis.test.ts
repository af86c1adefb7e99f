// The store in Redis, with a real server: the contract of all stores, broken connections, a server that is away or full.
import { Redis } from 'ioredis';
import type { Store } from 'mcp-kit/store';
import { storeContract } from 'mcp-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisStore } from '../../packages/store-redis/dist/index.js';
import { requireBuild } from '../support/cli.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { isWhole } from '../support/scale.ts';

beforeAll(requireBuild);

function disposable<T extends Store>(store: T): T & AsyncDisposable {
  return { ...store, [Symbol.asyncDispose]: async () => store.close() };
}

describe.skipIf(!hasRedis)('A store in Redis', () => {
  let server: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server[Symbol.asyncDispose]();
  });

  // No machine is so slow.
  const answerMs = 30_000;
  const runs = isWhole ? 20 : 4;
  // Every connection but the one that says so is cut.
  const disturb = async (): Promise<void> => {
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
  };
  test.each(storeContract(() => openRedisStore(server.url, { answerMs }), { disturb, runs }))(
    '$name',
    ({ run }) => run(),
  );

  test('is one for all who have it open, and nothing of others', async () => {
    await using first = disposable(await openRedisStore(server.url));
    await using second = disposable(await openRedisStore(server.url));
    await using other = disposable(await openRedisStore(server.url, { prefix: 'other:' }));
    expect(await first.kv.cas('shared', undefined, 'value')).toBe(true);
    expect(await second.kv.get('shared')).toBe('value');
    expect(await other.kv.get('shared')).toBeUndefined();
    expect(await other.kv.list('')).toEqual([]);
  });

  test('wakes whoever watches elsewhere, also after its connection broke', async () => {
    await using writer = disposable(await openRedisStore(server.url));
    await using reader = disposable(await openRedisStore(server.url));
    let seen = 0;
    const look = async (): Promise<void> => {
      const { entries } = await reader.log.readAfter('watched', 0);
      seen = entries.at(-1)?.position ?? seen;
    };
    const end = reader.log.watch('watched', () => void look().catch(() => undefined));
    for (let position = 1; position <= 5; position += 1) {
      await writer.log.append('watched', position, 'x');
      await expect.poll(() => seen).toBe(position);
      await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
    }
    end();
  });

  test('cuts a log that grows too long, and says so', async () => {
    await using store = disposable(await openRedisStore(server.url, { maxLogBytes: 10_000 }));
    for (let at = 1; at <= 10; at += 1) await store.log.append('long', at, 'x'.repeat(1000));
    const read = await store.log.readAfter('long', 0);
    expect(read.complete).toBe(false);
    expect(read.entries.map(({ position }) => position)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await store.log.readAfter('long', 1)).toMatchObject({ complete: true });
  });

  test('says that it is not there, does not wait for it, and has what it had afterwards', async () => {
    await using own = await RedisServer.start('--appendfsync', 'always');
    await using store = disposable(await openRedisStore(own.url));
    await store.kv.cas('kept', undefined, 'value');
    const position = await store.log.append('log', 'next', 'entry');
    await own.stop();
    await expect(store.kv.get('kept')).rejects.toMatchObject({ code: 'unreachable' });
    await expect(store.log.append('log', 'next', 'x')).rejects.toMatchObject({
      code: 'unreachable',
    });
    await own.start('--appendfsync', 'always');
    const found = async (): Promise<unknown> => store.kv.get('kept');
    await expect.poll(() => found().catch(() => 'away')).toBe('value');
    expect((await store.log.readAfter('log', position - 1)).entries).toEqual([
      { position, data: 'entry' },
    ]);
  });

  test('refuses what does not fit, and goes on', async () => {
    await using own = await RedisServer.start('--maxmemory', '4mb');
    await using store = disposable(await openRedisStore(own.url));
    const large = 'x'.repeat(100_000);
    const fill = async (): Promise<void> => {
      for (let at = 0; at < 1000; at += 1) await store.kv.cas(`key ${at}`, undefined, large);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'overloaded' });
    expect(await store.kv.get('key 0')).toBe(large);
  });

  test('is refused where values would be forgotten', async () => {
    await using own = await RedisServer.start('--maxmemory-policy', 'allkeys-lru');
    await expect(openRedisStore(own.url)).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('noeviction'),
    });
  });
});

test('A store in Redis that cannot be reached is named without its password', async () => {
  await expect(openRedisStore('redis://:secret@127.0.0.1:9')).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^(?!.*secret).*127\.0\.0\.1:9/),
  });
  await expect(openRedisStore('http://127.0.0.1')).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
