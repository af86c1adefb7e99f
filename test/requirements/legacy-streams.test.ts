import { describe, expect, test } from 'vitest';
import { createDeferred } from 'mcp-kit/internal';
import { elicit } from 'mcp-kit/protocol';
import { createServer, type Context } from 'mcp-kit/server';
import { tool, toolSet, type ToolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import {
  initialize,
  notification,
  request,
  serving,
  startSession,
  type LegacySession,
  type Served,
} from '../support/mcp-http.ts';
import { countingTool } from './progress-tools.ts';

// Event streams of the legacy era: what goes where, and how a client comes back for what it lost.

interface Started extends Served {
  readonly tools: ToolSet;
  /** The context of the last call of `hold`. */
  readonly held: Promise<Context>;
  /** Lets the call of `hold` end. */
  letGo(): void;
}

async function start(options: HttpOptions = {}): Promise<Started> {
  const held = createDeferred<Context>();
  const end = createDeferred<void>();
  const tools = toolSet([
    countingTool(2),
    tool({
      name: 'hold',
      description: 'Works until it is let go.',
      async run(_args, context) {
        await context.progress(1);
        held.resolve(context);
        await end.promise;
        await context.progress(2);
        return 'held';
      },
    }),
    tool({
      name: 'leave',
      description: 'Lets the client hang up while it works.',
      async run(_args, context) {
        context.release({ retryMs: 20 });
        held.resolve(context);
        await end.promise;
        return 'left';
      },
    }),
    tool({
      name: 'ask',
      description: 'Asks the user.',
      async run(_args, context) {
        const requestedSchema = { type: 'object', properties: {} };
        const { ok } = await context.ask({ ok: elicit({ message: 'Ok?', requestedSchema }) });
        return ok.action;
      },
    }),
  ]);
  const server = createServer({ name: 'streams', version: '1.0.0', features: [tools] });
  const letGo = (): void => end.resolve();
  return Object.assign(await serving(server, options), { tools, held: held.promise, letGo });
}

const withToken = { _meta: { progressToken: 'p' } };
const addTool = ({ tools }: Started, name: string): void =>
  tools.add(tool({ name, description: 'New.', run: () => name }));
const resume = (session: LegacySession, id: string | undefined): Promise<{ messages: unknown }> =>
  session.get({ accept: 'text/event-stream', 'last-event-id': String(id) });

describe('a stream', () => {
  test('begins with an empty event to come back to, for clients that know it', async () => {
    await using server = await start({ retryMs: 123 });
    const session = await startSession(server.url, { version: '2025-11-25' });
    const { events } = await session.request('tools/call', { name: 'count', ...withToken });
    expect(events[0]).toEqual({ id: expect.any(String), retry: 123, data: '' });
    expect(events).toHaveLength(4);
    using stream = await session.listen();
    expect(await stream.nextEvent()).toEqual({ id: expect.any(String), retry: 123, data: '' });
  });

  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])(
    'begins with its first message for clients of %s, who would stumble',
    async (version) => {
      await using server = await start();
      const session = await startSession(server.url, { version });
      const { events } = await session.request('tools/call', { name: 'count', ...withToken });
      expect(events).toHaveLength(3);
      expect(events[0]?.data).toContain('notifications/progress');
    },
  );

  test('of a call carries what belongs to the call, and nothing else', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using listening = await session.listen();
    using call = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    expect(await call.nextMessage()).toMatchObject({ params: { progress: 1 } });
    addTool(server, 'new');
    expect(await listening.nextMessage()).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    server.letGo();
    expect(await call.nextMessage()).toMatchObject({ params: { progress: 2 } });
    expect(await call.nextMessage()).toMatchObject({ id: 5, result: {} });
    expect(await call.ended()).toEqual([]);
  });

  test('carries questions to the client, whose answers come by POST', async () => {
    await using server = await start();
    const session = await startSession(server.url, { capabilities: { elicitation: {} } });
    using call = await session.stream(request(5, 'tools/call', { name: 'ask' }));
    const question = await call.nextMessage();
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Ok?' } });
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'decline' } };
    expect(await session.post(answer)).toMatchObject({ status: 202, text: '' });
    expect(await call.nextMessage()).toMatchObject({
      id: 5,
      result: { content: [{ text: 'decline' }] },
    });
  });

  test('that the client opened takes what a call in JSON cannot', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using listening = await session.listen();
    const params = { name: 'count', ...withToken };
    const answer = await session.request('tools/call', params, { accept: 'application/json' });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(await listening.nextMessage()).toMatchObject({ params: { progress: 1 } });
    expect(await listening.nextMessage()).toMatchObject({ params: { progress: 2 } });
  });

  test('gets what was said before there was one, as far as there is room', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    for (let at = 0; at < 300; at += 1) addTool(server, `t${at}`);
    using listening = await session.listen();
    for (let at = 0; at < 256; at += 1) {
      expect(await listening.nextMessage()).toMatchObject({
        method: 'notifications/tools/list_changed',
      });
    }
    await session.delete();
    expect(await listening.ended()).toEqual([]);
  });
});

describe('hanging up', () => {
  test('cancels nothing: the call goes on, and its answer can be fetched', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const call = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    await call.nextEvent();
    const { id } = await call.nextEvent();
    call.close();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
    const { signal } = await server.held;
    expect(signal.aborted).toBe(false);
    server.letGo();
    expect((await resume(session, id)).messages).toMatchObject([
      { params: { progress: 2 } },
      { id: 5, result: { content: [{ text: 'held' }] } },
    ]);
  });

  test('and coming back while the call goes on gives the rest as it comes', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const call = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    await call.nextEvent();
    const { id } = await call.nextEvent();
    call.close();
    using again = await session.listen({ 'last-event-id': String(id) });
    server.letGo();
    expect(await again.nextMessage()).toMatchObject({ params: { progress: 2 } });
    expect(await again.nextMessage()).toMatchObject({ id: 5, result: {} });
    expect(await again.ended()).toEqual([]);
  });

  test('is not needed to come back: the newer connection takes over', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using first = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    const { id } = await first.nextEvent();
    await first.nextEvent();
    using second = await session.listen({ 'last-event-id': String(id) });
    expect(await second.nextMessage()).toMatchObject({ params: { progress: 1 } });
    expect(await first.ended()).toEqual([]);
    server.letGo();
    expect(await second.nextMessage()).toMatchObject({ params: { progress: 2 } });
  });

  test('on a call is cancelled by the notification only', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using call = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    const { signal } = await server.held;
    await session.post(notification('notifications/cancelled', { requestId: 5, reason: 'no' }));
    expect(signal).toMatchObject({ aborted: true, reason: 'no' });
    await call.nextMessage();
    expect(await call.ended()).toEqual([]);
  });
});

describe('a call that lets the client go', () => {
  test('ends the connection and keeps the answer', async () => {
    await using server = await start({ retryMs: 500 });
    const session = await startSession(server.url);
    const { events, messages } = await session.request('tools/call', { name: 'leave' });
    expect(messages).toEqual([]);
    expect(events).toEqual([{ id: expect.any(String), retry: 500, data: '' }, { retry: 20 }]);
    using again = await session.listen({ 'last-event-id': String(events[0]?.id) });
    server.letGo();
    expect(await again.nextMessage()).toMatchObject({ result: { content: [{ text: 'left' }] } });
    expect(await again.ended()).toEqual([]);
  });

  test.each([
    ['knows no empty events', { version: '2025-06-18' }, {}],
    ['takes only JSON', {}, { accept: 'application/json' }],
  ])('waits with one that %s', async (_why, options, headers) => {
    await using server = await start();
    const session = await startSession(server.url, options);
    const answer = session.request('tools/call', { name: 'leave' }, headers);
    await server.held;
    server.letGo();
    expect((await answer).message).toMatchObject({ result: { content: [{ text: 'left' }] } });
  });
});

describe('coming back', () => {
  test('is possible as long as events are kept', async () => {
    await using server = await start({ retainMs: 30 });
    const session = await startSession(server.url);
    const { events } = await session.request('tools/call', { name: 'count', ...withToken });
    const id = String(events[1]?.id);
    const headers = { accept: 'text/event-stream', 'last-event-id': id };
    await expect.poll(async () => (await session.get(headers)).status).toBe(400);
  });

  test('is possible again after a hundred other answers, for a client that had to before', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const count = { name: 'count', ...withToken };
    const { events } = await session.request('tools/call', count);
    const { messages } = await resume(session, events[1]?.id);
    expect(messages).toMatchObject([{ params: { progress: 2 } }, { result: {} }]);
    for (let time = 0; time < 100; time += 1) await session.request('tools/call', count);
    expect((await resume(session, events[1]?.id)).messages).toEqual(messages);
  });

  test('is possible to the latest answers, however many a client has come back to before', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const count = { name: 'count', ...withToken };
    for (let time = 0; time < 100; time += 1) {
      const { events } = await session.request('tools/call', count);
      await resume(session, events[1]?.id);
    }
    const { events } = await session.request('tools/call', count);
    await session.request('tools/call', count);
    const { messages } = await resume(session, events[1]?.id);
    expect(messages).toMatchObject([{ params: { progress: 2 } }, { result: {} }]);
  });

  test('is not possible to another session’s stream', async () => {
    await using server = await start();
    const theirs = await startSession(server.url);
    const { events } = await theirs.request('tools/call', { name: 'count', ...withToken });
    const ours = await startSession(server.url);
    const headers = { accept: 'text/event-stream', 'last-event-id': String(events[1]?.id) };
    expect(await ours.get(headers)).toMatchObject({ status: 400 });
  });
});

describe('sessions', () => {
  test('are refused with status 503 when there are too many', async () => {
    await using server = await start({ sessions: { maxSessions: 2 } });
    const first = await startSession(server.url);
    await startSession(server.url);
    const refused = await initialize(server.url);
    expect(refused).toMatchObject({ status: 503, message: { error: { code: -32000 } } });
    expect(refused.headers['retry-after']).toBe('60');
    expect(server.endpoint.sessionCount).toBe(2);
    await first.delete();
    expect(await initialize(server.url)).toMatchObject({ status: 200 });
  });

  test('keep two requests of one id apart', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using first = await session.stream(request(5, 'tools/call', { name: 'hold', ...withToken }));
    await first.nextMessage();
    const second = await session.post(request(5, 'ping'));
    expect(second.message).toMatchObject({ id: 5, error: { code: -32600 } });
    server.letGo();
    await first.nextMessage();
    expect(await first.nextMessage()).toMatchObject({ id: 5, result: {} });
  });
});
