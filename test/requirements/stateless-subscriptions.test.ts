import { describe, expect, test } from 'vitest';
import { metaKeys } from 'mcp-kit/protocol';
import {
  createServer,
  defineResource,
  prompts,
  resources,
  type ResourceSet,
  type Server,
} from 'mcp-kit/server';
import { tool, toolSet, type ToolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { open, send, type Message, type OpenStream } from '../support/http-client.ts';
import { modern, serving, type ModernOptions, type Served } from '../support/mcp-http.ts';
import { openPipe } from '../support/pipe.ts';

// subscriptions/listen: the one way to hear of changes in 2026-07-28.

interface Made {
  readonly server: Server;
  readonly tools: ToolSet;
  readonly notes: ResourceSet;
}

function make(): Made {
  const tools = toolSet([]);
  const notes = resources({});
  const server = createServer({ name: 'subs', version: '1.0.0', features: [tools, notes] });
  return { server, tools, notes };
}

async function start(options: HttpOptions = {}): Promise<Made & Served> {
  const made = make();
  return Object.assign(await serving(made.server, options), made);
}

const tag = (id: string | number): object => ({ _meta: { [metaKeys.subscriptionId]: id } });
const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note://a', 'note://b'],
};

function listen(
  { url }: Served,
  notifications: object,
  options?: ModernOptions,
): Promise<OpenStream> {
  return open(url, modern('subscriptions/listen', { notifications }, options));
}

function addTool(tools: ToolSet, name: string): void {
  tools.add(tool({ name, description: 'New.', run: () => name }));
}

describe('a subscription', () => {
  test('is a stream that begins with what the server will tell', async () => {
    await using server = await start();
    using stream = await listen(server, everything, { id: 'L1' });
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
    expect(await stream.nextMessage()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        // No prompts are offered.
        notifications: {
          toolsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: ['note://a', 'note://b'],
        },
        ...tag('L1'),
      },
    });
  });

  test.each(['seven', '7', 7, 0])('tags everything with its id %j as it was sent', async (id) => {
    await using server = await start();
    using stream = await listen(server, { toolsListChanged: true }, { id });
    expect((await stream.nextMessage()).params).toMatchObject(tag(id));
    addTool(server.tools, 'a');
    expect(await stream.nextMessage()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: tag(id),
    });
  });

  test('tells what was asked for and nothing else', async () => {
    await using server = await start();
    using ofTools = await listen(server, { toolsListChanged: true });
    using ofNotes = await listen(server, { resourceSubscriptions: ['note://a'] });
    await Promise.all([ofTools.nextMessage(), ofNotes.nextMessage()]);
    server.notes.add(defineResource({ uri: 'note://a', name: 'a', read: () => 'a' }));
    server.notes.updated('note://b');
    server.notes.updated('note://a');
    addTool(server.tools, 'a');
    expect(await ofTools.nextMessage()).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
    expect(await ofNotes.nextMessage()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'note://a' },
    });
    server.server.close();
    const messages = [...(await ofTools.ended()), ...(await ofNotes.ended())];
    expect(messages).toHaveLength(2);
  });

  test('may be one of many', async () => {
    await using server = await start();
    const streams = await Promise.all(
      [1, 2, 3].map((id) => listen(server, { toolsListChanged: true }, { id })),
    );
    await Promise.all(streams.map((stream) => stream.nextMessage()));
    addTool(server.tools, 'a');
    const told = await Promise.all(streams.map((stream) => stream.nextMessage()));
    expect(told.map(({ params }) => params)).toEqual([tag(1), tag(2), tag(3)]);
    for (const stream of streams) stream.close();
  });

  test.each([
    ['nothing', {}],
    ['nothing that is offered', { promptsListChanged: true }],
    ['nothing true', { toolsListChanged: false, resourceSubscriptions: [] }],
    ['something unknown', { weather: true }],
  ])('to %s is complete at once', async (_what, notifications) => {
    await using server = await start();
    const answer = await send(
      server.url,
      modern('subscriptions/listen', { notifications }, { id: 5 }),
    );
    expect(answer.messages).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: {}, ...tag(5) },
      },
      { id: 5, result: { resultType: 'complete', ...tag(5) } },
    ]);
  });

  test.each([
    ['no filter', {}],
    ['a filter that is no object', { notifications: [] }],
    ['addresses that are no texts', { notifications: { resourceSubscriptions: [5] } }],
    ['addresses in no list', { notifications: { resourceSubscriptions: 'note://a' } }],
    [
      'too many addresses',
      { notifications: { resourceSubscriptions: Array.from({ length: 1001 }, () => 'a:b') } },
    ],
  ])('with %s is refused', async (_what, params) => {
    await using server = await start();
    expect(await send(server.url, modern('subscriptions/listen', params))).toMatchObject({
      status: 200,
      message: { id: 1, error: { code: -32602 } },
    });
  });

  test('is told its end when the server closes', async () => {
    await using server = await start();
    using stream = await listen(server, { toolsListChanged: true }, { id: 'L' });
    await stream.nextMessage();
    server.server.close();
    expect(await stream.nextMessage()).toMatchObject({
      id: 'L',
      result: { resultType: 'complete', ...tag('L') },
    });
    expect(await stream.ended()).toEqual([]);
  });

  test('after the server has closed is complete at once', async () => {
    await using server = await start();
    server.server.close();
    const call = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect((await send(server.url, call)).message).toMatchObject({ id: 1, result: {} });
  });

  test('is freed when the client hangs up', async () => {
    await using server = await start();
    const stream = await listen(server, { toolsListChanged: true });
    await stream.nextMessage();
    expect(server.endpoint.streamCount).toBe(1);
    stream.close();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
    addTool(server.tools, 'a');
  });

  test.each([
    ['the server answers in JSON', { answer: 'json' } as const, {}],
    ['the client accepts only JSON', {}, { headers: { accept: 'application/json' } }],
  ])('is a stream also when %s', async (_why, options, call) => {
    await using server = await start(options);
    using stream = await listen(server, { toolsListChanged: true }, call);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(await stream.nextMessage()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
    });
  });

  test('carries heartbeats', async () => {
    const { profiles } = await import('mcp-kit/transport/http');
    const profile = { ...profiles.spec, heartbeat: { comment: 'heartbeat', everyMs: 20 } };
    await using server = await start({ profile });
    using stream = await listen(server, { toolsListChanged: true });
    await stream.nextMessage();
    expect(await stream.nextEvent()).toEqual({ comment: 'heartbeat' });
  });
});

describe('over a pipe', () => {
  const bodyOf = (id: string | number, notifications: object): unknown =>
    modern('subscriptions/listen', { notifications }, { id }).body;

  test('subscriptions share it, told apart by their ids', async () => {
    const { server, tools } = make();
    await using pipe = openPipe(server);
    pipe.send(bodyOf('a', { toolsListChanged: true }));
    pipe.send(bodyOf(2, { toolsListChanged: true, resourcesListChanged: true }));
    expect((await pipe.next()).params).toMatchObject(tag('a'));
    expect((await pipe.next()).params).toMatchObject(tag(2));
    addTool(tools, 'x');
    const told = [await pipe.next(), await pipe.next()];
    expect(told.map(({ params }) => params)).toEqual([tag('a'), tag(2)]);
    server.close();
    const ends = [await pipe.next(), await pipe.next()];
    expect(ends).toMatchObject([
      { id: 'a', result: { resultType: 'complete', ...tag('a') } },
      { id: 2, result: { resultType: 'complete', ...tag(2) } },
    ]);
  });

  test('notifications/cancelled ends one without an answer', async () => {
    const { server, tools } = make();
    await using pipe = openPipe(server);
    pipe.send(bodyOf('a', { toolsListChanged: true }));
    await pipe.next();
    pipe.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'a' },
    });
    pipe.send(bodyOf('b', { toolsListChanged: true }));
    expect((await pipe.next()).params).toMatchObject(tag('b'));
    addTool(tools, 'x');
    expect((await pipe.next()).params).toEqual(tag('b'));
    expect(pipe.unread).toEqual([]);
  });
});

test('prompts are told of when they are offered', async () => {
  const asked = prompts([]);
  const server = createServer({ name: 'subs', version: '1.0.0', features: [asked] });
  await using pipe = openPipe(server);
  pipe.send(modern('subscriptions/listen', { notifications: everything }).body);
  expect((await pipe.next()).params).toMatchObject({ notifications: { promptsListChanged: true } });
  asked.add({ name: 'p', get: () => 'p' });
  const told: Message = await pipe.next();
  expect(told).toMatchObject({ method: 'notifications/prompts/list_changed' });
});
