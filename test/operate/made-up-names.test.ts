// Names that strangers make up become no labels, no keys and no long lines of a log.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from 'mcp-kit/internal';
import { createBridge } from 'mcp-kit/bridge';
import { operateHttp } from '@mcp-kit/host/operate';
import { createServer, resources, type Feature } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { RateLimiter } from 'mcp-kit/internal';
import { scopeRules } from '../../packages/host/src/operate/scopes.ts';
import { send } from '../support/http-client.ts';
import {
  initialize,
  modern,
  notification,
  request,
  serving,
  startSession,
} from '../support/mcp-http.ts';
import { operating, sample } from './fixture.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const mebibyte = 1024 * 1024;
const long = (number: number): string => `${number}${'x'.repeat(mebibyte)}`;

/** What is kept of it: how much more memory is in use after it. */
async function keptAfter(work: () => unknown): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  await work();
  collect();
  return process.memoryUsage().heapUsed - before;
}

/** Answers calls of any tool, as servers do that say so when there is none: with a result. */
const obliging: Feature = {
  capabilities: { tools: {} },
  methods: {
    'tools/list': () => ({ tools: [{ name: 'real', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [], isError: true }),
    'own/method': () => ({}),
  },
};
const obligingServer = () => createServer({ name: 's', version: '1', features: [obliging] });

const labels = (text: string, name: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? ''),
  ),
];

describe('metrics', () => {
  test('of a session that is not ready stay small whatever it asks for', async () => {
    await using server = await operating({});
    const session = await startSession(server.url, { ready: false });
    for (let number = 0; number < 7; number += 1) await session.request(long(number));
    for (let number = 0; number < 100; number += 1) await session.request(`made/up/${number}`);
    const text = server.metrics();
    expect(text.length).toBeLessThan(16 * 1024);
    expect(labels(text, 'method').toSorted()).toEqual(['initialize', 'other']);
    expect(sample(text, 'mcp_requests_total{method="other",outcome="refused"}')).toBe(107);
  });

  test('stay small after notifications, batches, headers and revisions that nobody knows', async () => {
    await using server = await operating({});
    const session = await startSession(server.url, { version: '2025-03-26' });
    const version = { 'mcp-protocol-version': 'x'.repeat(8000) };
    await session.post(notification(long(1)));
    await session.post([
      { jsonrpc: '2.0', id: 1, method: long(2) },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]);
    await session.post([notification(long(3))]);
    await session.request('ping', {}, version);
    await startSession(server.url, { version: long(4) });
    await send(
      server.url,
      modern(
        'server/discover',
        {},
        { headers: { ...version, 'mcp-method': long(5).slice(0, 8000) } },
      ),
    );
    await session.request('tools/call', { name: long(6) });
    const text = server.metrics();
    expect(text.length).toBeLessThan(16 * 1024);
    expect(labels(text, 'method').toSorted()).toEqual([
      'initialize',
      'other',
      'ping',
      'server/discover',
      'tools/call',
    ]);
    expect(labels(text, 'tool')).toEqual([]);
  });

  test('name the methods that a server has of its own, and no tool that it has not', async () => {
    await using server = await operating({}, {}, obligingServer());
    for (const name of ['made-up', 'real']) await send(server.url, modern('tools/call', { name }));
    await send(server.url, modern('own/method'));
    const text = server.metrics();
    expect(labels(text, 'method').toSorted()).toEqual(['own/method', 'tools/call']);
    expect(labels(text, 'tool')).toEqual(['other']);
  });

  test('of a bridge name the tools of lists that crossed it', async () => {
    await using bridge = createBridge(memoryTarget(obligingServer()));
    const operated = await operateHttp(bridge, {});
    try {
      await send(operated.url, modern('tools/list'));
      const session = await startSession(operated.url);
      for (const name of ['made-up', 'real']) {
        await send(operated.url, modern('tools/call', { name }));
        await session.request('tools/call', { name });
      }
      expect(labels(operated.metrics(), 'tool').toSorted()).toEqual(['other', 'real']);
    } finally {
      await operated.close();
    }
  });
});

test('lines of the log are short whatever is asked for', async () => {
  const lines: string[] = [];
  const write = (message: string, fields?: object): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  await using server = await operating({}, { logger, logCalls: true });
  const session = await startSession(server.url, { ready: false });
  await session.request(long(1));
  await session.request('tools/call', { name: long(2) });
  await send(server.url, modern('tools/call', { name: 'x' }, { headers: { 'mcp-name': 'y' } }));
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1024);
});

describe('limits', () => {
  test('keep little of the names and ids they count by', async () => {
    const limiter = new RateLimiter({ perSecond: 10, burst: 10 });
    const kept = await keptAfter(() => {
      for (let number = 0; number < 62; number += 1) limiter.take(long(number), 0);
    });
    expect(limiter.size).toBe(62);
    expect(kept).toBeLessThan(mebibyte);
    // A long name is told from others, and from what stands for it.
    const one = new RateLimiter({ perSecond: 1, burst: 1 });
    expect(one.take(long(1), 0)).toBe(0);
    expect(one.take(long(1), 0)).toBe(1000);
    expect(one.take(long(2), 0)).toBe(0);
  });

  test('of tools, scopes and sessions keep little of what callers send', async () => {
    const settings = { limits: { tool: '1000/s', session: '1000/s' } };
    await using server = await operating(settings);
    const session = await startSession(server.url);
    const call = (number: number) => session.request('tools/call', { name: long(number) });
    await call(0);
    const kept = await keptAfter(async () => {
      for (let number = 1; number < 12; number += 1) await call(number);
      for (let number = 1; number < 12; number += 1) {
        const id = { 'mcp-session-id': `${number}${'y'.repeat(8000)}` };
        await session.request('ping', {}, id);
      }
    });
    expect(kept).toBeLessThan(4 * mebibyte);
  });

  test('of scopes keep little of the names of tools', async () => {
    const rules = scopeRules({ toolScopes: { 'delete_*': ['write'] } });
    const needed = (name: string) =>
      rules.neededBy({
        message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } },
        tool: undefined,
      });
    const kept = await keptAfter(() => {
      for (let number = 0; number < 20; number += 1)
        expect(needed(`delete_${long(number)}`)).toEqual(['write']);
    });
    expect(kept).toBeLessThan(mebibyte);
    expect(needed('delete_it')).toEqual(['write']);
    expect(needed('read_it')).toBeUndefined();
    // What is called through another tool needs what both need.
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read_it' },
    } as const;
    expect(rules.neededBy({ message, tool: 'delete_it' })).toEqual(['write']);
  });
});

test('a bridge keeps little of what clients say of themselves and subscribe to', async () => {
  const feature = resources({ resources: [] });
  const target = memoryTarget(createServer({ name: 's', version: '1', features: [feature] }));
  await using bridge = createBridge(target);
  await using served = await serving(bridge);
  const capabilities = { experimental: { much: { text: 'x'.repeat(100_000) } } };
  const tooLarge = { code: -32602, message: 'clientInfo and capabilities are too large' };
  expect((await initialize(served.url, { capabilities })).message.error).toEqual(tooLarge);
  const session = await startSession(served.url, { version: '2025-03-26' });
  const refused = await session.request('resources/subscribe', { uri: `a:${'x'.repeat(10_000)}` });
  expect(refused.message.error).toEqual({ code: -32602, message: 'uri is too long' });
  for (let first = 0; first < 1000; first += 100) {
    const uris = Array.from({ length: 100 }, (_, number) => `a:${first + number}`);
    await session.post(uris.map((uri) => request(uri, 'resources/subscribe', { uri })));
  }
  const more = await session.request('resources/subscribe', { uri: 'a:more' });
  expect(more.message.error).toEqual({ code: -32000, message: 'More than 1000 subscriptions' });
  expect((await session.request('resources/subscribe', { uri: 'a:1' })).message.error).toBe(
    undefined,
  );
});
