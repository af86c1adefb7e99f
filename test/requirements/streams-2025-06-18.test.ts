import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet, type ToolSet } from 'mcp-kit/tools';
import { profiles, type HttpOptions } from 'mcp-kit/transport/http';
import { send } from '../support/http-client.ts';
import { postHeaders, request, serving, startSession, type Served } from '../support/mcp-http.ts';
import { countingTool } from './progress-tools.ts';

// Event streams, resuming, sessions and security as the profile's compliance document states them.

const version = '2025-06-18';
const preferStream = { accept: 'text/event-stream, application/json' };

interface Started extends Served {
  readonly tools: ToolSet;
}

async function start(options: HttpOptions = {}): Promise<Started> {
  const tools = toolSet([countingTool(2)]);
  const server = createServer({ name: 'streams', version: '1.0.0', features: [tools] });
  return Object.assign(await serving(server, { profile: version, ...options }), { tools });
}

const count = { name: 'count', _meta: { progressToken: 'p' } };

describe('an event stream', () => {
  test('carries event, id and data', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const { text } = await session.request('tools/call', count, preferStream);
    for (const block of text.trimEnd().split('\n\n')) {
      expect(block).toMatch(/^event: message\nid: \S+\ndata: \{.*\}$/);
    }
  });

  test('carries many messages of one POST', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.request('tools/call', count, preferStream);
    expect(answer.messages).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 2, result: {} },
    ]);
  });

  test('numbers its events {sessionId}-{counter}, per session and not per stream', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const first = await session.request('tools/call', count, preferStream);
    const second = await session.request('tools/call', count, preferStream);
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6].map((counter) => `${session.id}-${counter}`));
  });

  test('is kept alive by the comment "ping" every 30 seconds', async () => {
    expect(profiles[version].heartbeat).toEqual({ comment: 'ping', everyMs: 30_000 });
    const profile = { ...profiles[version], heartbeat: { comment: 'ping', everyMs: 20 } };
    await using server = await start({ profile });
    const session = await startSession(server.url, { version });
    using stream = await session.listen();
    expect(await stream.nextEvent()).toEqual({ comment: 'ping' });
    expect(await stream.nextEvent()).toEqual({ comment: 'ping' });
  });

  test('is one of several, and each message goes to one only', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    using first = await session.listen();
    using second = await session.listen();
    server.tools.remove('count');
    const message = await Promise.race([first.nextMessage(), second.nextMessage()]);
    expect(message).toMatchObject({ method: 'notifications/tools/list_changed' });
    await session.delete();
    const rest = [...(await first.ended()), ...(await second.ended())];
    expect(rest.filter(({ data }) => data)).toEqual([]);
  });

  test.each([['application/json'], ['*/*'], ['text/html']])(
    'is refused with status 405 to a GET that accepts %s',
    async (accept) => {
      await using server = await start();
      const session = await startSession(server.url, { version });
      const answer = await session.get({ accept });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toContain('POST');
    },
  );

  test('is released when the client leaves, and the session lives on', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const stream = await session.listen();
    expect(server.endpoint.streamCount).toBe(1);
    stream.close();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
    expect(await session.request('ping')).toMatchObject({ status: 200 });
  });
});

describe('resuming', () => {
  test('replays only what belongs to the stream of the event', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const first = await session.request('tools/call', count, preferStream);
    await session.request('tools/call', count, preferStream);
    const lastEventId = String(first.events[0]?.id);
    const resumed = await session.get({
      accept: 'text/event-stream',
      'last-event-id': lastEventId,
    });
    expect(resumed.events).toEqual(first.events.slice(1));
  });

  test('after the last event of an answer has status 204: nothing will come', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const { events } = await session.request('tools/call', count, preferStream);
    const resumed = await session.get({
      accept: 'text/event-stream',
      'last-event-id': String(events.at(-1)?.id),
    });
    expect(resumed).toMatchObject({ status: 204, text: '' });
  });

  test('a listening stream gives what was missed, and goes on', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const add = (name: string): void =>
      server.tools.add(tool({ name, description: 'New.', run: () => name }));
    const stream = await session.listen();
    add('a');
    const { id } = await stream.nextEvent();
    stream.close();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
    add('b');
    using again = await session.listen({ 'last-event-id': String(id) });
    expect(await again.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
    add('c');
    expect(await again.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  test.each(['nonsense', '1', '00000000-0000-4000-8000-000000000000-1'])(
    'after the unknown event %s has status 400',
    async (lastEventId) => {
      await using server = await start();
      const session = await startSession(server.url, { version });
      const answer = await session.get({
        accept: 'text/event-stream',
        'last-event-id': lastEventId,
      });
      expect(answer.status).toBe(400);
    },
  );

  test('an event of another session has status 400', async () => {
    await using server = await start();
    const theirs = await startSession(server.url, { version });
    const { events } = await theirs.request('tools/call', count, preferStream);
    const ours = await startSession(server.url, { version });
    const answer = await ours.get({
      accept: 'text/event-stream',
      'last-event-id': String(events[0]?.id),
    });
    expect(answer.status).toBe(400);
  });
});

describe('a session', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const minutes = (count_: number): unknown => vi.advanceTimersByTime(count_ * 60_000);

  test('lives for an hour after its last request', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    minutes(59);
    expect(await session.request('ping')).toMatchObject({ status: 200 });
    minutes(59);
    expect(await session.request('ping')).toMatchObject({ status: 200 });
    minutes(61);
    expect(await session.request('ping')).toMatchObject({ status: 404 });
  });

  test('that nobody asks for again is forgotten within five minutes of its hour', async () => {
    await using server = await start();
    await startSession(server.url, { version });
    minutes(59);
    expect(server.endpoint.sessionCount).toBe(1);
    minutes(6);
    expect(server.endpoint.sessionCount).toBe(0);
  });

  test('is not idle while its event stream is open, nor just after', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const other = await startSession(server.url, { version });
    const stream = await session.listen();
    minutes(120);
    expect(await other.request('ping')).toMatchObject({ status: 404 });
    expect(server.endpoint.sessionCount).toBe(1);
    stream.close();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
    expect(await session.request('ping')).toMatchObject({ status: 200 });
  });

  test('has an id nobody can guess', async () => {
    await using server = await start();
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => startSession(server.url, { version })),
    );
    expect(new Set(sessions.map(({ id }) => id.slice(0, 8))).size).toBe(20);
  });
});

describe('security', () => {
  const call = (headers: Record<string, string>): Parameters<typeof send>[1] => ({
    headers: { ...postHeaders, ...headers },
    body: request(1, 'ping'),
  });

  test('the server binds to 127.0.0.1', async () => {
    await using server = await start();
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });

  test.each([
    'http://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'https://a@localhost',
  ])('the origin %s is refused', async (origin) => {
    await using server = await start();
    expect(await send(server.url, call({ origin }))).toMatchObject({ status: 403 });
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:80'])(
    'the origin %s is welcome',
    async (origin) => {
      await using server = await start();
      expect(await send(server.url, call({ origin }))).toMatchObject({ status: 404 });
    },
  );
});
