// Several processes serve one address over one store: whatever a client sends may arrive at any of them.
import { createDeferred, type Deferred } from 'mcp-kit/internal';
import { elicit } from 'mcp-kit/protocol';
import { createServer, resources } from 'mcp-kit/server';
import { createMemoryStore, type Store } from 'mcp-kit/store';
import { tool, toolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { open, send, type Answer, type OpenStream } from '../support/http-client.ts';
import {
  notification,
  postHeaders,
  request,
  serving,
  startSession,
  type LegacySession,
  type Served,
} from '../support/mcp-http.ts';

interface Node extends Served {
  update(uri: string): void;
  /** Calls of `hold` that wait, by what they were given. */
  readonly held: Map<string, Deferred<void>>;
  readonly cancelled: string[];
}

/** No process is taken for dead because a machine is slow. */
const leaseMs = 60_000;

async function start(store: Store, options: HttpOptions = {}): Promise<Node> {
  const held = new Map<string, Deferred<void>>();
  const cancelled: string[] = [];
  const input = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const tools = toolSet([
    tool({
      name: 'hold',
      description: 'Says something, and waits.',
      input,
      async run({ name = '' }, context) {
        const end = createDeferred<void>();
        context.signal.addEventListener('abort', () => {
          cancelled.push(name);
          end.resolve();
        });
        await context.log('error', 'before');
        held.set(name, end);
        await end.promise;
        await context.log('error', 'after');
        return `held ${name}`;
      },
    }),
    tool({
      name: 'ask',
      description: 'Asks the user.',
      async run(_args, context) {
        const requestedSchema = {
          type: 'object',
          properties: { word: { type: 'string' } },
        } as const;
        const question = elicit({ message: 'Which word?', requestedSchema });
        const { answer } = await context.ask({ answer: question });
        return answer.action === 'accept' ? `said ${String(answer.content?.['word'])}` : 'nothing';
      },
    }),
    tool({
      name: 'chat',
      description: 'Says something at two levels.',
      async run(_args, context) {
        await context.log('debug', 'quiet');
        await context.log('error', 'loud');
        return 'done';
      },
    }),
  ]);
  const uris = ['test://a'];
  const files = resources({ resources: uris.map((uri) => ({ uri, name: uri, read: () => '' })) });
  const server = createServer({ name: 'node', version: '1.0.0', features: [tools, files] });
  const listening = await serving(server, {
    ...options,
    store,
    sessions: { leaseMs, ...options.sessions },
  });
  onTestFinished(async () => {
    for (const end of held.values()) end.resolve();
    await listening.close();
  });
  const update = (uri: string): void => server.resourceUpdated(uri);
  return Object.assign(listening, { update, held, cancelled });
}

function post({ url }: Served, { headers }: LegacySession, body: unknown): Promise<Answer> {
  return send(url, { body, headers: { ...postHeaders, ...headers } });
}

function stream({ url }: Served, { headers }: LegacySession, body: unknown): Promise<OpenStream> {
  return open(url, { body, headers: { ...postHeaders, ...headers } });
}

function listen(
  { url }: Served,
  { headers }: LegacySession,
  lastEventId?: string,
): Promise<OpenStream> {
  const after = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const accept = 'text/event-stream';
  return open(url, { method: 'GET', headers: { ...headers, accept, ...after } });
}

async function messagesOf(from: OpenStream): Promise<unknown[]> {
  const events = await from.ended();
  return events.flatMap(({ data }) => (data ? [JSON.parse(data) as unknown] : []));
}

function hold(name: string): object {
  return request(name, 'tools/call', { name: 'hold', arguments: { name } });
}

/** A store whose process cannot say that it is alive. */
function unheard(store: Store): Store {
  const { kv } = store;
  const cas: Store['kv']['cas'] = (...given) =>
    given[0].startsWith('node/') ? true : kv.cas(...given);
  return { ...store, kv: { ...kv, cas } };
}

describe('a session of several nodes', () => {
  test('is served by each of them as its client left it at another', async () => {
    const store = createMemoryStore();
    const [a, b, c] = [await start(store), await start(store), await start(store)];
    const session = await startSession(a.url, { ready: false });
    await post(b, session, notification('notifications/initialized'));
    // Each of them has it open by now.
    for (const node of [a, b, c]) {
      expect((await post(node, session, request('list', 'tools/list'))).status).toBe(200);
    }
    await post(b, session, request('level', 'logging/setLevel', { level: 'debug' }));
    for (const node of [a, c]) {
      const { messages } = await post(
        node,
        session,
        request('chat', 'tools/call', { name: 'chat' }),
      );
      expect(messages).toMatchObject([
        { params: { data: 'quiet' } },
        { params: { data: 'loud' } },
        { result: {} },
      ]);
    }
  });

  test('hears the rest of a call at another node, while it goes on', async () => {
    const store = createMemoryStore();
    const [a, b] = [await start(store), await start(store)];
    const session = await startSession(a.url);
    const call = await stream(a, session, hold('long'));
    const { id } = await call.nextEvent();
    await expect.poll(() => a.held.has('long')).toBe(true);
    call.close();
    const rest = await listen(b, session, id);
    expect(await rest.nextMessage()).toMatchObject({ params: { data: 'before' } });
    a.held.get('long')?.resolve();
    expect(await messagesOf(rest)).toMatchObject([
      { params: { data: 'after' } },
      { id: 'long', result: { content: [{ text: 'held long' }] } },
    ]);
  });

  test('answers a question at another node than the one that asked', async () => {
    const store = createMemoryStore();
    const nodes = [await start(store), await start(store), await start(store)];
    const [a] = nodes as [Node];
    const session = await startSession(a.url, { capabilities: { elicitation: {} } });
    const words = await Promise.all(
      nodes.map(async (node, at) => {
        const call = await stream(
          node,
          session,
          request(`ask ${at}`, 'tools/call', { name: 'ask' }),
        );
        const { id } = await call.nextMessage();
        const result = { action: 'accept', content: { word: `word ${at}` } };
        const other = nodes[(at + 1) % nodes.length] as Node;
        expect((await post(other, session, { jsonrpc: '2.0', id, result })).status).toBe(202);
        return call.nextMessage();
      }),
    );
    expect(words).toMatchObject(
      [0, 1, 2].map((at) => ({
        id: `ask ${at}`,
        result: { content: [{ text: `said word ${at}` }] },
      })),
    );
  });

  test('cancels a call at another node', async () => {
    const store = createMemoryStore();
    const [a, b] = [await start(store), await start(store)];
    const session = await startSession(a.url);
    const call = await stream(a, session, hold('long'));
    await call.nextMessage();
    const params = { requestId: 'long', reason: 'enough' };
    await post(b, session, notification('notifications/cancelled', params));
    await expect.poll(() => a.cancelled).toEqual(['long']);
    call.close();
  });

  test('hears what belongs to no call where it listens, whoever says it, each message once', async () => {
    const store = createMemoryStore();
    const nodes = [await start(store), await start(store), await start(store)];
    const [a, b, c] = nodes as [Node, Node, Node];
    const session = await startSession(a.url);
    await post(a, session, request('sub', 'resources/subscribe', { uri: 'test://a' }));
    for (const node of nodes) await post(node, session, request('ping', 'ping'));
    // Nobody listens yet.
    a.update('test://a');
    const first = await listen(b, session);
    expect(await first.nextMessage()).toMatchObject({ params: { uri: 'test://a' } });
    c.update('test://a');
    expect(await first.nextMessage()).toMatchObject({ params: { uri: 'test://a' } });
    const second = await listen(c, session);
    // What is said once it is known everywhere where the client listens.
    const heard = second.nextMessage();
    for (const node of nodes) await post(node, session, request('ping', 'ping'));
    b.update('test://a');
    expect(await heard).toMatchObject({ params: { uri: 'test://a' } });
    first.close();
    second.close();
  });

  test('goes on with the stream that it listens to at another node, live, with nothing lost or doubled', async () => {
    const store = createMemoryStore();
    const [a, b] = [await start(store), await start(store)];
    const session = await startSession(a.url);
    await post(a, session, request('sub', 'resources/subscribe', { uri: 'test://a' }));
    const ids: string[] = [];
    let lastId: string | undefined;
    for (let round = 0; round < 6; round += 1) {
      const connection = await listen(round % 2 === 0 ? a : b, session, lastId);
      for (let count = 0; count < 3; count += 1) {
        a.update('test://a');
        // The first has come after an event that only says where to come back to.
        let event = await connection.nextEvent();
        while (!event.data) event = await connection.nextEvent();
        ids.push((lastId = event.id) ?? '');
      }
      connection.close();
      // Said while nobody listens.
      a.update('test://a');
    }
    expect(new Set(ids).size).toBe(18);
  });

  test('ends at all of them, with its calls', async () => {
    const store = createMemoryStore();
    const [a, b] = [await start(store), await start(store)];
    const session = await startSession(a.url);
    const call = await stream(a, session, hold('long'));
    await call.nextMessage();
    const headers = session.headers;
    expect((await send(b.url, { method: 'DELETE', headers })).status).toBe(204);
    expect((await post(a, session, request('ping', 'ping'))).status).toBe(404);
    await expect.poll(() => a.cancelled).toEqual(['long']);
    expect((await post(b, session, request('ping', 'ping'))).status).toBe(404);
    call.close();
  });

  test('is told by another node what became of its calls when theirs is gone, and listens on', async () => {
    const store = createMemoryStore();
    const [a, b] = [await start(unheard(store)), await start(store)];
    const session = await startSession(a.url);
    const call = await stream(a, session, hold('long'));
    const { id } = await call.nextEvent();
    await expect.poll(() => a.held.has('long')).toBe(true);
    const rest = await listen(b, session, id);
    expect(await messagesOf(rest)).toMatchObject([
      { params: { data: 'before' } },
      { id: 'long', error: { data: { code: 'E_OWNER_LOST' } } },
    ]);
    // It was away only: nothing that it adds counts.
    a.held.get('long')?.resolve();
    await expect.poll(() => a.endpoint.load().calls).toBe(0);
    const again = await messagesOf(await listen(b, session, id));
    expect(again).toHaveLength(2);
    call.close();
  });
});
