// Sessions in a store: whoever has the store goes on with them.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createDeferred, type Service } from 'mcp-kit/internal';
import { createServer, resources } from 'mcp-kit/server';
import { createMemoryStore, openKeyRing, type Store } from 'mcp-kit/store';
import { tool, toolSet } from 'mcp-kit/tools';
import type { HttpOptions } from 'mcp-kit/transport/http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileStore } from '../../packages/store-file/dist/index.js';
import { open, send, type Answer, type OpenStream } from '../support/http-client.ts';
import {
  initialize,
  notification,
  postHeaders,
  request,
  serving,
  startSession,
  type LegacySession,
  type Served,
} from '../support/mcp-http.ts';

interface Started extends Served {
  readonly greeted: string[];
  /** Says that a resource has changed. */
  update(uri: string): void;
  /** A call of `hold` has said something, and waits. */
  readonly holding: Promise<void>;
  letGo(): void;
}

/** A process that has the store, as far as clients can tell. */
async function start(store: Store, options: HttpOptions = {}): Promise<Started> {
  const holding = createDeferred<void>();
  const end = createDeferred<void>();
  const greeted: string[] = [];
  const tools = toolSet([
    tool({
      name: 'chat',
      description: 'Says something at two levels.',
      async run(_args, context) {
        await context.log('debug', 'quiet');
        await context.log('error', 'loud');
        return `for ${context.client.info?.name}`;
      },
    }),
    tool({
      name: 'hold',
      description: 'Says something, and waits.',
      async run(_args, context) {
        await context.log('error', 'before');
        holding.resolve();
        await end.promise;
        await context.log('error', 'after');
        return 'held';
      },
    }),
  ]);
  const uris = ['test://a', 'test://b'];
  const files = resources({ resources: uris.map((uri) => ({ uri, name: uri, read: () => '' })) });
  const server = createServer({ name: 'kept', version: '1.0.0', features: [tools, files] });
  const serve: Service['serve'] = (exchange) => {
    if (exchange.message.method === 'server/discover') greeted.push('hello');
    return server.serve(exchange);
  };
  const listening = await serving({ ...server, serve }, { ...options, store });
  onTestFinished(async () => {
    end.resolve();
    await listening.close();
  });
  const update = (uri: string): void => server.resourceUpdated(uri);
  const letGo = (): void => end.resolve();
  return Object.assign(listening, { greeted, update, holding: holding.promise, letGo });
}

/** Asks in a session, wherever that is served now. */
function ask(
  { url }: Served,
  { headers }: Pick<LegacySession, 'headers'>,
  ...[method, params]: [method: string, params?: Readonly<Record<string, unknown>>]
): Promise<Answer> {
  const body = request('later', method, params);
  return send(url, { body, headers: { ...postHeaders, ...headers } });
}

function listen(
  { url }: Served,
  { headers }: LegacySession,
  lastEventId?: string,
): Promise<OpenStream> {
  const after = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const method = 'GET';
  return open(url, { method, headers: { ...headers, accept: 'text/event-stream', ...after } });
}

/** A store whose process cannot say that it is alive. */
function unheard(store: Store): Store {
  const { kv } = store;
  const cas: Store['kv']['cas'] = (...given) =>
    given[0].startsWith('node/') ? true : kv.cas(...given);
  return { ...store, kv: { ...kv, cas } };
}

/** All that a stream says until it ends. */
async function messagesOf(stream: OpenStream): Promise<unknown[]> {
  const events = await stream.ended();
  return events.flatMap(({ data }) => (data ? [JSON.parse(data) as unknown] : []));
}

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => createMemoryStore(),
  folder: async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kept-sessions-'));
    const store = await openFileStore(folder);
    onTestFinished(async () => {
      await store.close();
      await rm(folder, { recursive: true });
    });
    return store;
  },
};

describe.each(Object.entries(stores))('a session in a store in %s', (_, openStore) => {
  test('goes on in the next process, as its client left it', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url, { version: '2025-06-18' });
    await session.request('logging/setLevel', { level: 'debug' });
    await session.request('resources/subscribe', { uri: 'test://a' });
    await session.request('resources/subscribe', { uri: 'test://b' });
    await session.request('resources/unsubscribe', { uri: 'test://b' });
    await first.close();

    const second = await start(store);
    const { messages } = await ask(second, session, 'tools/call', { name: 'chat' });
    expect(messages).toMatchObject([
      { params: { level: 'debug', data: 'quiet' } },
      { params: { level: 'error', data: 'loud' } },
      { result: { content: [{ text: 'for test' }] } },
    ]);
    const stream = await listen(second, session);
    second.update('test://b');
    second.update('test://a');
    expect(await stream.nextMessage()).toMatchObject({ params: { uri: 'test://a' } });
    stream.close();
  });

  test('is taken up once, however many come with it at the same time', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url);
    const second = await start(store);
    const pings = Array.from({ length: 20 }, () => ask(second, session, 'ping'));
    const answers = await Promise.all(pings);
    expect(answers.map(({ status }) => status)).toEqual(pings.map(() => 200));
    expect(second.greeted).toEqual(['hello']);
  });

  test('that was not ready yet becomes so there', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url, { ready: false });
    const second = await start(store);
    expect((await ask(second, session, 'tools/list')).message.error).toMatchObject({
      code: -32_600,
    });
    const body = notification('notifications/initialized');
    await send(second.url, { body, headers: { ...postHeaders, ...session.headers } });
    const { message } = await ask(second, session, 'tools/list');
    expect(message.result).toHaveProperty('tools');
  });

  test('that was deleted is gone in every process', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url);
    expect((await session.delete()).status).toBe(204);
    const second = await start(store);
    expect((await ask(second, session, 'ping')).status).toBe(404);
    expect(second.greeted).toEqual([]);
  });

  test('is its owner’s alone, there as well', async () => {
    const store = await openStore();
    const identify: HttpOptions['identify'] = (headers) => String(headers['x-user']);
    const first = await start(store, { identify });
    const session = await startSession(first.url, { headers: { 'x-user': 'ann' } });
    const second = await start(store, { identify });
    const as = (user: string): Pick<LegacySession, 'headers'> => ({
      headers: { ...session.headers, 'x-user': user },
    });
    expect((await ask(second, as('bob'), 'ping')).status).toBe(404);
    expect((await ask(second, as('ann'), 'ping')).status).toBe(200);
    expect((await ask(second, as('bob'), 'ping')).status).toBe(404);
  });

  test('has what was said before its process died, and is told what was not answered', async () => {
    const store = await openStore();
    // It does not die, but that is what others see.
    const first = await start(unheard(store));
    const session = await startSession(first.url);
    const call = await session.stream(request('long', 'tools/call', { name: 'hold' }));
    const { id } = await call.nextEvent();
    await first.holding;

    const second = await start(store);
    const messages = await messagesOf(await listen(second, session, id));
    expect(messages).toMatchObject([
      { params: { data: 'before' } },
      {
        id: 'long',
        error: { code: -32_603, data: { code: 'E_OWNER_LOST', outcome: 'unknown' } },
      },
    ]);
    call.close();
  });

  test('has an answer that it did not hear before its process ended', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url);
    const call = await session.stream(request('long', 'tools/call', { name: 'hold' }));
    const { id } = await call.nextEvent();
    await first.holding;
    call.close();
    first.letGo();
    await expect.poll(() => first.endpoint.load().calls).toBe(0);
    await first.close();

    const second = await start(store);
    const messages = await messagesOf(await listen(second, session, id));
    expect(messages).toMatchObject([
      { params: { data: 'before' } },
      { params: { data: 'after' } },
      { id: 'long', result: { content: [{ text: 'held' }] } },
    ]);
  });

  test('hears the rest of its stream, and what comes after', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url);
    await session.request('resources/subscribe', { uri: 'test://a' });
    const before = await listen(first, session);
    const { id } = await before.nextEvent();
    for (let count = 0; count < 3; count += 1) first.update('test://a');
    for (let count = 0; count < 3; count += 1) await before.nextEvent();
    before.close();
    await first.close();

    const second = await start(store);
    const after = await listen(second, session, id);
    const ids = new Set<string>();
    for (let count = 0; count < 3; count += 1) ids.add((await after.nextEvent()).id ?? '');
    second.update('test://a');
    ids.add((await after.nextEvent()).id ?? '');
    expect(ids.size).toBe(4);
    after.close();
  });

  test('is told when what it missed is lost, although its stream goes on', async () => {
    const store = await openStore();
    const first = await start(store);
    const session = await startSession(first.url);
    const call = await session.stream(request('long', 'tools/call', { name: 'hold' }));
    const { id = '' } = await call.nextEvent();
    await first.holding;
    await store.log.delete(`events/${session.id}/${id.split('.')[0]}`);
    expect((await listen(first, session, id)).status).toBe(400);
    call.close();
  });

  test('names no event as another process named one', async () => {
    const store = await openStore();
    const ids: string[] = [];
    let session: LegacySession | undefined;
    for (let life = 0; life < 3; life += 1) {
      const process = await start(store);
      session ??= await startSession(process.url);
      for (let count = 0; count < 2; count += 1) {
        const { events } = await ask(process, session, 'tools/call', { name: 'chat' });
        ids.push(...events.map((event) => event.id ?? ''));
      }
      await process.close();
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(12);
  });
});

test('that a client is ready is kept before it is told that this was heard', async () => {
  const memory = createMemoryStore();
  const kept: string[] = [];
  const gate = createDeferred<void>();
  const cas: Store['kv']['cas'] = async (...given) => {
    const [key, , value] = given;
    if (value?.includes('"ready":true') === true) await gate.promise;
    if (key.startsWith('session/')) kept.push('kept');
    return memory.kv.cas(...given);
  };
  const store = { ...memory, kv: { ...memory.kv, cas } };
  const { url } = await start(store);
  const session = await startSession(url, { ready: false });
  const told = session.post(notification('notifications/initialized')).then(({ status }) => {
    kept.push('told');
    return status;
  });
  // What the client sends meanwhile is served.
  await expect
    .poll(async () => (await session.request('tools/list')).message)
    .toHaveProperty('result');
  gate.resolve();
  expect(await told).toBe(202);
  expect(kept).toEqual(['kept', 'kept', 'told']);
});

test('a session that no other process has open costs none of them anything', async () => {
  const memory = createMemoryStore();
  const left: string[] = [];
  const append: Store['log']['append'] = (...given) => {
    if (given[0].startsWith('inbox/')) left.push(given[2]);
    return memory.log.append(...given);
  };
  const store = { ...memory, log: { ...memory.log, append } };
  const first = await start(store);
  const session = await startSession(first.url);
  const cancel = notification('notifications/cancelled', { requestId: 'none' });
  const before = left.length;
  await session.post(cancel);
  (await listen(first, session)).close();
  expect(left).toHaveLength(before);
  const second = await start(store);
  await ask(second, session, 'ping');
  await session.post(cancel);
  await expect.poll(() => left.slice(before).join()).toContain('cancelled');
  await second.close();
  // Whoever takes it up finds that the other is gone.
  await first.close();
  const third = await start(store);
  await ask(third, session, 'ping');
  const atLast = left.length;
  expect((await send(third.url, { method: 'DELETE', headers: session.headers })).status).toBe(204);
  expect(left).toHaveLength(atLast);
});

test('the store is not asked about the id of a session that somebody has made up', async () => {
  const memory = createMemoryStore();
  const asked: string[] = [];
  const get: Store['kv']['get'] = (key) => {
    asked.push(key);
    return memory.kv.get(key);
  };
  const store = { ...memory, kv: { ...memory.kv, get } };
  const ring = await openKeyRing(store);
  const [other] = (await openKeyRing(createMemoryStore())).keys('session')();
  const first = await start(store, { sessionKeys: ring.keys('session') });
  const session = await startSession(first.url);
  const [uuid = '', seal = ''] = session.id.split('.');
  const made = `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}.${seal}`;
  const second = await start(store, { sessionKeys: ring.keys('session') });
  const elsewhere = await start(store, { sessionKeys: other && [other] });
  expect((await ask(second, session, 'ping')).status).toBe(200);
  const before = asked.length;
  for (const id of [made, uuid, `${uuid}.`, `${session.id}a`, seal]) {
    const headers = { ...session.headers, 'mcp-session-id': id };
    expect((await ask(second, { headers }, 'ping')).status).toBe(404);
  }
  expect((await ask(elsewhere, session, 'ping')).status).toBe(404);
  expect(asked.slice(before).filter((key) => key.startsWith('session/'))).toEqual([]);
  ring.close();
});

test('a session that was idle for too long is gone', async () => {
  let nowMs = 0;
  const store = createMemoryStore({ now: () => nowMs });
  const sessions = { ttlMs: 1000 };
  const first = await start(store, { sessions });
  const session = await startSession(first.url);
  nowMs = 900;
  const second = await start(store, { sessions });
  expect((await ask(second, session, 'ping')).status).toBe(200);
  nowMs = 1800;
  expect((await ask(await start(store, { sessions }), session, 'ping')).status).toBe(200);
  nowMs = 2801;
  expect((await ask(await start(store, { sessions }), session, 'ping')).status).toBe(404);
});

describe('where the store fails', () => {
  const memory = createMemoryStore();
  let isAway = false;
  const access = <T>(work: () => T): T => {
    if (isAway) throw new Error('away');
    return work();
  };
  const store: Store = {
    ...memory,
    kv: {
      get: (key) => access(() => memory.kv.get(key)),
      cas: (...given) => access(() => memory.kv.cas(...given)),
      list: (prefix) => access(() => memory.kv.list(prefix)),
    },
  };

  test('sessions that are open go on, and others are told to come back later', async () => {
    const first = await start(store);
    const session = await startSession(first.url);
    const second = await start(store);
    isAway = true;
    expect((await ask(first, session, 'logging/setLevel', { level: 'debug' })).status).toBe(200);
    const begun = await initialize(first.url);
    expect([begun.status, begun.headers['mcp-session-id']]).toEqual([503, undefined]);
    const elsewhere = await ask(second, session, 'ping');
    expect([elsewhere.status, elsewhere.headers['retry-after']]).toEqual([503, '1']);
    isAway = false;
    expect((await initialize(first.url)).status).toBe(200);
    expect((await ask(second, session, 'ping')).status).toBe(200);
  });
});
