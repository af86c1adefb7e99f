import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adHocEntry } from '@mcp-kit/host';
import { expect, test } from 'vitest';
import { managing } from './lib/managed-servers.ts';
import { SseServer } from './lib/sse-server.ts';

const clients = 500;

/** The most that are within any 100 ms. */
function busiest(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const within = (at: number): number =>
    sorted.filter((time) => time - at >= 0 && time - at < 100).length;
  return Math.max(...sorted.map(within));
}

test('500 that lose a restarted server come back spread out: no more than 7 % within any 100 ms', async () => {
  await using server = new SseServer();
  await server.start();
  const names = Array.from({ length: clients }, (_, at) => `client${at}`);
  const entries = names.map((name) => adHocEntry({ url: server.url, flavour: 'sse' }, name));
  await using watched = managing(entries);
  const { manager } = watched;
  await manager.connectAll();
  expect(manager.connectedServerNames).toHaveLength(clients);
  await server.stop();
  await server.start();
  const first = async (name: string): Promise<number> => {
    const { since, retryAt = since } = await watched.until((status) => {
      return status.name === name && status.state === 'waiting';
    });
    return retryAt - since;
  };
  // As they mean to, counted from when each noticed: a machine that stands still for a moment bunches what is spread.
  expect(busiest(await Promise.all(names.map(first)))).toBeLessThanOrEqual(clients * 0.07);
  const isBack = (name: string): Promise<unknown> =>
    watched.until(
      (status) => status.name === name && status.state === 'ready' && status.starts > 1,
    );
  await Promise.all(names.map(isBack));
  expect(server.arrivals).toHaveLength(clients);
});

test('a remote server that stays away is tried ever more quietly, and used as soon as it is back', async () => {
  await using server = new SseServer();
  await server.start();
  const entry = adHocEntry({ url: server.url, flavour: 'sse' }, 'it');
  await using watched = managing([entry]);
  const { manager } = watched;
  await manager.server('it').connect();
  await server.stop();
  const lost = await watched.until(({ state }) => state === 'waiting');
  expect((lost.retryAt ?? Infinity) - lost.since).toBeLessThanOrEqual(5000);
  // Whoever asks is told at once that it is not there, and when it is tried again.
  for (let at = 0; at < 3; at += 1) {
    await expect(manager.server('it').ping()).rejects.toMatchObject({ code: 'unreachable' });
  }
  expect(manager.status('it')).toMatchObject({
    state: 'waiting',
    error: { code: 'unreachable' },
    retryAt: expect.any(Number),
  });
  await server.start();
  await manager.server('it').ping();
  expect(manager.status('it').state).toBe('ready');
});

test('a server that asks to be left alone for a while is, by itself', async () => {
  const busy = createServer((_, response) => {
    response.writeHead(503, { 'retry-after': '30' }).end();
  });
  try {
    busy.listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}/mcp`;
    await using watched = managing([adHocEntry({ url }, 'it')]);
    await expect(watched.manager.server('it').connect({ forgive: true })).rejects.toMatchObject({
      code: 'http_status',
    });
    const { since, retryAt = 0 } = watched.manager.status('it');
    expect(retryAt - since).toBeGreaterThanOrEqual(30_000);
    expect(retryAt - since).toBeLessThanOrEqual(36_000);
  } finally {
    busy.closeAllConnections();
    busy.close();
  }
});
