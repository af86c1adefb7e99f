// Official clients, unchanged, behind a real balancer that gives each request to the next of three processes over Redis.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasHaproxy, startHaproxy } from '../support/haproxy.ts';
import { startNode } from '../support/node-processes.ts';
import { hasRedis, RedisServer } from '../support/redis.ts';
import { fewer } from '../support/scale.ts';
import { connectHost, textOf, type Speaker } from './hosts.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

const speakers: readonly { readonly speaks: string; readonly speaker: Speaker }[] = [
  { speaks: 'SDK 1', speaker: { sdk: 'v1' } },
  { speaks: 'SDK 2, legacy', speaker: { sdk: 'v2' } },
  { speaks: 'SDK 2, modern', speaker: { sdk: 'v2', mode: { pin: '2026-07-28' } } },
];

describe.skipIf(!hasRedis || !hasHaproxy)('Three processes behind HAProxy', () => {
  const opened: AsyncDisposable[] = [];
  let url: string;
  beforeAll(async () => {
    await makeReady();
    const redis = await RedisServer.start();
    opened.push(redis);
    const nodes = await Promise.all([1, 2, 3].map(() => startNode(redis.url)));
    opened.push(...nodes);
    const balancer = await startHaproxy(nodes.map(({ port }) => port));
    opened.push(balancer);
    ({ url } = balancer);
  }, readyMs);
  afterAll(async () => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
  });

  test.each(speakers)('are one server for $speaks', async ({ speaker }) => {
    const session = await connectHost({ kind: 'http', url }, speaker);
    session.answers['elicitation/create'] = () => ({ action: 'accept', content: { word: 'yes' } });
    try {
      for (let round = 0; round < fewer(30, 10); round += 1) {
        const counted = await session.call('count_steps');
        expect(textOf(counted)).toBe('counted');
        expect(textOf(await session.call('ask_word'))).toBe('yes');
      }
      expect(session.errors).toEqual([]);
    } finally {
      await session.close();
    }
  });
});
