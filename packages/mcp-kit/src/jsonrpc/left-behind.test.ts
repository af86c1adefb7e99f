// What has ended is not kept by the tables that V8 leaves behind: `ShortLivedMap` says why it could be.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createBudget, createDeferred, ShortLivedMap, type Hold } from '#base';
import { expect, test } from 'vitest';
import type { Channel, Sink } from './channel.ts';
import { Connection } from './connection.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Something that comes and goes by the thousand: `come` gives what it does when it goes. */
type Come = (value: readonly number[]) => () => unknown;

/** Bytes that only a full collection frees, after so many have come and gone. */
async function leftBehind(come: Come): Promise<number> {
  const present: (() => unknown)[] = [come([])];
  // What has lived through two collections is old.
  collect();
  collect();
  const before = getHeapStatistics().used_heap_size;
  for (let key = 0; key < 20_000; key++) {
    present.push(come(Array.from({ length: 250 }, () => key)));
    if (present.length > 64) await present.shift()?.();
  }
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  const left = getHeapStatistics().used_heap_size - before;
  for (const go of present) await go();
  return left;
}

/** A third of what a table that keeps all of it leaves behind. */
const little = 15_000_000;

test('entries of a map for what is short-lived', async () => {
  const places = new ShortLivedMap<number, object>();
  let last = 0;
  const left = await leftBehind((value) => {
    const key = (last += 1);
    places.set(key, value);
    return () => places.take(key);
  });
  expect(left).toBeLessThan(little);
});

test('who held something that a budget has counted', async () => {
  const budget = createBudget();
  const left = await leftBehind((value) => {
    const held: Hold = budget.hold('calls', 8192, { letGo: () => value.length === 0 });
    return () => held.resize(0);
  });
  expect(left).toBeLessThan(little);
});

test('where requests of many clients came from', async () => {
  let sink: Sink | undefined;
  const channel: Channel = {
    start: (given) => (sink = given),
    send: () => 'sent',
    tell: () => undefined,
    reply() {},
    letGo: () => false,
    drained: async () => {},
    lastWords: () => '',
    close: async () => {},
  };
  const answers: (() => void)[] = [];
  const handlers = {
    request() {
      const { promise, resolve } = createDeferred<unknown>();
      answers.push(() => resolve({}));
      return promise;
    },
    notification() {},
    refused() {},
    acceptsBatch: () => false,
    closed() {},
  };
  const connection = new Connection(channel, () => handlers, { manyClients: true });
  const left = await leftBehind((value) => {
    const origin = { key: {}, value };
    sink?.message({ jsonrpc: '2.0', id: 1, method: 'tools/call' }, origin);
    const answer = answers.pop();
    return async () => {
      answer?.();
      // The answer is given in the turn after that.
      await Promise.resolve();
    };
  });
  expect(left).toBeLessThan(little);
  await connection.close();
});
