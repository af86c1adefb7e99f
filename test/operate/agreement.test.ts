// Processes that share a store serve as one only where they are configured alike.
import { openKeyRing, createMemoryStore, type Store } from 'mcp-kit/store';
import type { OperateOptions, ServerSettings } from '@mcp-kit/host/operate';
import { expect, onTestFinished, test } from 'vitest';
import { operating, type Operating } from './fixture.ts';

/** How long those are waited for that may be gone. */
const leaseMs = 200;

async function enter(
  store: Store,
  settings: ServerSettings = {},
  more: OperateOptions = {},
): Promise<Operating> {
  const opened = await operating(settings, { store, sessions: { leaseMs }, ...more });
  onTestFinished(() => opened.close());
  return opened;
}

test('one that is configured otherwise is refused, and told what differs', async () => {
  const store = createMemoryStore();
  const first = await enter(store, { publicUrl: 'https://a.example/mcp' });
  const other = enter(store, { publicUrl: 'https://b.example/mcp', limits: { calls: 7 } });
  await expect(other).rejects.toMatchObject({
    message: expect.stringContaining('it has another publicUrl'),
    hint: expect.stringContaining('generation'),
  });
  // What each may see by itself need not be alike.
  await enter(store, { publicUrl: 'https://a.example/mcp', limits: { calls: 7 } });
  await first.close();
});

test('one with other keys is refused, also where one of them has none', async () => {
  const store = createMemoryStore();
  const [own, other] = [await openKeyRing(store), await openKeyRing(createMemoryStore())];
  onTestFinished(() => [own, other].forEach((ring) => ring.close()));
  await enter(store, {}, { keys: own });
  await enter(store, {}, { keys: own });
  await expect(enter(store, {}, { keys: other })).rejects.toThrow('it has other keys');
  await expect(enter(store)).rejects.toThrow('it has other keys');
  // One that has been told of the new key already fits one that has not.
  const ahead = await openKeyRing(store);
  await ahead.rotate();
  ahead.close();
  await enter(store, {}, { keys: ahead });
});

test('a newer generation enters beside an older one, and no more of the older one do', async () => {
  const store = createMemoryStore();
  const [before, after] = ['https://a.example/mcp', 'https://b.example/mcp'];
  await enter(store, { publicUrl: before });
  await enter(store, { publicUrl: after, generation: 1 });
  await expect(enter(store, { publicUrl: before })).rejects.toThrow('it is of generation 1');
});

test('one that has left, or was killed, is in nobody’s way', async () => {
  const store = createMemoryStore();
  const first = await enter(store, { path: '/a' });
  await first.close();
  const second = await enter(store, { path: '/b' });
  await second.close();
  expect(store.kv.list('member/')).toEqual([]);
  const gone = { generation: 0, settings: { path: 'other' }, keys: null, beat: 1 };
  store.kv.cas('member/gone', undefined, JSON.stringify(gone), { ttlMs: leaseMs });
  await enter(store, { path: '/b' });
});
