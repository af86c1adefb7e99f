import { silentLogger } from '#base';
import type { Connection } from '#jsonrpc';
import { createMemoryStore, type Values } from '#store';
import { expect, test } from 'vitest';
import { KeptSession, newRecord, type SessionPlace } from './kept-session.ts';
import { Nodes } from './nodes.ts';

const endpoint = 'here';

test('those who come while the store is asked share one look, which begins after them', async () => {
  const store = createMemoryStore();
  let looks = 0;
  const kv: Values = {
    ...store.kv,
    async get(key) {
      looks += 1;
      return store.kv.get(key);
    },
  };
  const shared = { endpoint, logger: silentLogger };
  const nodes = new Nodes({ ...shared, store, leaseMs: 1000 }, () => {});
  const place: SessionPlace = { ...shared, kv, nodes, ttlMs: 60_000, serve: () => undefined };
  const record = newRecord(place, { principal: undefined });
  const text = JSON.stringify(record);
  void store.kv.cas('session/one', undefined, text);
  const session = new KeptSession(place, 'one', { record, text });
  const saying = { serve: () => undefined, connection: {} as Connection, origin: {} };
  const first = session.look(saying);
  void store.kv.cas('session/one', text, undefined);
  const later = Array.from({ length: 16 }, () => session.look(saying));
  expect(await Promise.all([first, ...later])).toEqual([true, ...later.map(() => false)]);
  // The last of them found that it is gone, and made sure.
  expect(looks).toBe(3);
});
