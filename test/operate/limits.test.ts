import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApiKey } from '@mcp-kit/host/operate';
import { describe, expect, test } from 'vitest';
import { RawHttp, requestBytes } from '../faults/lib/raw-http.ts';
import { send } from '../support/http-client.ts';
import { modern, startSession } from '../support/mcp-http.ts';
import { bearer, operating, sample } from './fixture.ts';

const call = (name: string, args: object = {}, headers: Record<string, string> = {}) =>
  modern('tools/call', { name, arguments: args }, { headers });

/** Keys for ann and bob, and the file that holds them. */
async function twoCallers() {
  const place = await mkdtemp(path.join(tmpdir(), 'mcp-kit-limits-'));
  const [ann, bob] = [createApiKey('ann'), createApiKey('bob')];
  const file = path.join(place, 'keys.json');
  await writeFile(file, JSON.stringify({ keys: [ann.entry, bob.entry] }));
  return {
    auth: { apiKeys: file },
    ann: bearer(ann.key),
    bob: bearer(bob.key),
    [Symbol.asyncDispose]: () => rm(place, { recursive: true }),
  };
}

describe('limits', () => {
  test('of an address say when to come back, in the way of HTTP and of JSON-RPC', async () => {
    await using server = await operating({ limits: { address: '2/min' } });
    expect((await send(server.url, call('whoami'))).status).toBe(200);
    expect((await send(server.url, call('whoami'))).status).toBe(200);
    const answer = await send(server.url, call('whoami'));
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(30);
    expect(answer.message.error).toMatchObject({ code: -32_000, data: { limit: 'address' } });
    expect(sample(server.metrics(), 'mcp_rejections_total{cause="rate_address"}')).toBe(1);
  });

  test('end a connection with the tenth refusal, however many requests were served on it', async () => {
    await using server = await operating({ limits: { address: '3/h' } });
    using http = new RawHttp(Number(new URL(server.url).port));
    const { headers = {}, body } = call('whoami');
    const sent = requestBytes({ headers, body });
    const statuses: number[] = [];
    for (let number = 0; number < 13; number += 1) {
      // Had it ended before, there would be no answer.
      const answer = await http.exchange(sent);
      statuses.push(answer.status);
      const connection = answer.headers.get('connection');
      expect([number, connection]).toEqual([number, number < 12 ? 'keep-alive' : 'close']);
    }
    expect(statuses).toEqual([200, 200, 200, ...Array<number>(10).fill(429)]);
  });

  test('of a principal leave others alone', async () => {
    await using callers = await twoCallers();
    await using server = await operating({ auth: callers.auth, limits: { principal: '2/h' } });
    const status = async (headers: { authorization: string }): Promise<number> =>
      (await send(server.url, call('whoami', {}, headers))).status;
    const { ann, bob } = callers;
    expect([await status(ann), await status(ann), await status(ann)]).toEqual([200, 200, 429]);
    expect(await status(bob)).toBe(200);
  });

  test('count every call of a batch', async () => {
    await using callers = await twoCallers();
    const { ann, bob } = callers;
    await using server = await operating({
      auth: callers.auth,
      limits: { principal: '10/h', calls: 5, callsPerPrincipal: 4 },
    });
    const old = { ready: false, version: '2025-03-26' } as const;
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
    const waits = (count: number) =>
      Array.from({ length: count }, (_, id) => ({
        jsonrpc: '2.0' as const,
        id: id + 10,
        method: 'tools/call',
        params: { name: 'wait', arguments: { ms: 1 } },
      }));
    const session = await startSession(server.url, { ...old, headers: ann });
    await session.post(initialized, ann);
    const tooMany = await session.post(waits(5), ann);
    expect(tooMany.status).toBe(200);
    const errors = tooMany.messages.flatMap(({ error }) => error ?? []);
    expect(errors).toMatchObject([{ data: { limit: 'calls_per_principal' } }]);
    // Two requests to begin with, then four calls of the five: four are left.
    const status = async (): Promise<number> => (await session.post(waits(4), ann)).status;
    expect(await status()).toBe(200);
    expect(await status()).toBe(429);
    const other = await startSession(server.url, { ...old, headers: bob });
    await other.post(initialized, bob);
    expect((await other.post(waits(4), bob)).status).toBe(200);
  });

  test('of a session cannot be used up by somebody else', async () => {
    await using callers = await twoCallers();
    await using server = await operating({ auth: callers.auth, limits: { session: '3/h' } });
    const { ann, bob } = callers;
    const session = await startSession(server.url, { headers: ann, ready: false });
    for (let times = 0; times < 5; times++) await session.request('ping', {}, bob);
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, ann);
    expect((await session.request('ping', {}, ann)).status).toBe(200);
    expect((await session.request('ping', {}, ann)).status).toBe(200);
    expect((await session.request('ping', {}, ann)).status).toBe(429);
  });

  test('of a tool hold for that tool, in both eras', async () => {
    await using server = await operating({ limits: { tools: { erase_all: '2/h' } } });
    const session = await startSession(server.url);
    expect((await session.request('tools/call', { name: 'erase_all' })).status).toBe(200);
    expect((await send(server.url, call('erase_all'))).status).toBe(200);
    const old = await session.request('tools/call', { name: 'erase_all' });
    expect(old).toMatchObject({ status: 429, message: { error: { data: { limit: 'tool' } } } });
    expect(old.message.id).toBeDefined();
    expect(await send(server.url, call('erase_all'))).toMatchObject({
      status: 429,
      message: { id: 1 },
    });
    expect((await send(server.url, call('whoami'))).status).toBe(200);
  });

  test('of calls under way refuse one more, for all together and for one principal', async () => {
    await using callers = await twoCallers();
    const limits = { calls: 3, callsPerPrincipal: 2 };
    await using server = await operating({ auth: callers.auth, limits });
    const { ann, bob } = callers;
    const slow = (headers: { authorization: string }) =>
      send(server.url, call('wait', { ms: 300 }, headers)).then(({ status }) => status);
    const first = [slow(ann), slow(ann)];
    await expect.poll(() => sample(server.metrics(), 'mcp_calls_in_flight')).toBe(2);
    const more = await send(server.url, call('whoami', {}, ann));
    expect(more).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(server.notReady()).toEqual([]);
    const third = slow(bob);
    await expect.poll(() => sample(server.metrics(), 'mcp_calls_in_flight')).toBe(3);
    expect(server.notReady()).toEqual(['too many calls are under way']);
    expect((await send(server.url, call('whoami', {}, bob))).status).toBe(503);
    expect(await Promise.all([...first, third])).toEqual([200, 200, 200]);
    expect((await send(server.url, call('whoami', {}, ann))).status).toBe(200);
    expect(sample(server.metrics(), 'mcp_calls_in_flight')).toBe(0);
  });
});

describe('metrics', () => {
  test('match a counted run exactly', async () => {
    const limits = { tools: { erase_all: '10/h' } };
    await using server = await operating({ limits, metrics: { port: 0 } });
    const counted = {
      ok: 0,
      failed: 0,
      limited: 0,
      unknownTool: 0,
      unknownMethod: 0,
      host: 0,
      wrong: 0,
    };
    const kinds: readonly (keyof typeof counted)[] = [
      'ok',
      'failed',
      'limited',
      'unknownTool',
      'unknownMethod',
      'host',
      'wrong',
    ];
    const requests = {
      ok: call('whoami'),
      failed: call('failing'),
      limited: call('erase_all'),
      unknownTool: call('nothing'),
      unknownMethod: modern('made/up'),
      host: call('whoami', {}, { host: 'evil.example' }),
      wrong: { headers: { 'content-type': 'text/plain' }, body: '{}' },
    };
    const statuses = new Map<number, number>();
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (let round = 0; round < 60; round++) {
        const kind = kinds[(lane + round) % kinds.length] ?? 'ok';
        const { status } = await send(server.url, requests[kind]);
        counted[kind] += 1;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await Promise.all(lanes);
    const session = await startSession(server.url);
    using stream = await session.listen();
    expect(stream.status).toBe(200);
    for (const [status, more] of [
      [200, 2],
      [202, 1],
    ] as const) {
      statuses.set(status, (statuses.get(status) ?? 0) + more);
    }
    const page = await fetch(String(server.metricsUrl));
    expect(page.headers.get('content-type')).toContain('version=0.0.4');
    const text = await page.text();
    const of = (line: string): number => sample(text, line);
    const requestsOf = (method: string, outcome: string): number =>
      of(`mcp_requests_total{method="${method}",outcome="${outcome}"}`);
    for (const kind of kinds) expect([kind, counted[kind] > 10]).toEqual([kind, true]);
    expect(requestsOf('tools/call', 'ok')).toBe(counted.ok + 10);
    expect(requestsOf('tools/call', 'failed')).toBe(counted.failed);
    expect(requestsOf('tools/call', 'refused')).toBe(counted.unknownTool + counted.limited - 10);
    expect(requestsOf('other', 'refused')).toBe(counted.unknownMethod);
    expect(requestsOf('initialize', 'ok')).toBe(1);
    expect(of('mcp_tool_calls_total{tool="erase_all",outcome="ok"}')).toBe(10);
    expect(of('mcp_tool_calls_total{tool="whoami",outcome="ok"}')).toBe(counted.ok);
    expect(of('mcp_rejections_total{cause="rate_tool"}')).toBe(counted.limited - 10);
    expect(of('mcp_rejections_total{cause="host"}')).toBe(counted.host);
    expect(of('mcp_rejections_total{cause="content_type"}')).toBe(counted.wrong);
    const timed = of('mcp_request_duration_seconds_count{method="tools/call"}');
    expect(timed).toBe(counted.ok + counted.limited + counted.failed + counted.unknownTool);
    expect(of('mcp_request_duration_seconds_bucket{method="tools/call",le="+Inf"}')).toBe(timed);
    expect(of('mcp_sessions')).toBe(1);
    expect(of('mcp_streams')).toBe(1);
    for (const [status, count] of statuses) {
      expect([status, of(`mcp_http_responses_total{status="${status}"}`)]).toEqual([status, count]);
    }
  });

  test('are for this machine only, and not for pages in its browsers', async () => {
    await using server = await operating({ metrics: { port: 0 } });
    const url = String(server.metricsUrl);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const status = async (headers: Record<string, string>, method = 'GET') =>
      (await fetch(url, { headers, method })).status;
    expect(await status({})).toBe(200);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({}, 'POST')).toBe(405);
    expect((await fetch(new URL('/metrics', server.url))).status).toBe(404);
  });

  test('tell what waits for a stream', async () => {
    await using operated = await operating({});
    const session = await startSession(operated.url);
    operated.server.listChanged('tools');
    operated.server.listChanged('tools');
    expect(sample(operated.metrics(), 'mcp_undelivered_messages')).toBe(2);
    using stream = await session.listen();
    await stream.nextMessage();
    expect(sample(operated.metrics(), 'mcp_undelivered_messages')).toBe(0);
  });
});
