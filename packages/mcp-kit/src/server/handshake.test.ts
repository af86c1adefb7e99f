import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { legacyVersions } from '#protocol';
import { connectInMemory, type InMemoryClient } from '#testing';
import type { Feature, Handler } from './feature.ts';
import { prompts } from './prompts.ts';
import { createServer, type ServerOptions } from './server.ts';

function connect(options: Partial<ServerOptions> = {}): InMemoryClient {
  const client = connectInMemory(
    createServer({ name: 'peer', version: '1.0.0', features: [], ...options }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** A feature of one method. */
function method(name: string, handler: Handler): Feature {
  return { capabilities: {}, methods: { [name]: handler } };
}

describe('initialize', () => {
  test.each(legacyVersions)('answers %s with itself', async (version) => {
    expect(await connect().initialize(version)).toMatchObject({ protocolVersion: version });
  });

  test.each(['2026-07-28', '2099-01-01', '1.0', ''])(
    'answers %j with the latest that has a handshake',
    async (version) => {
      expect(await connect().initialize(version)).toMatchObject({ protocolVersion: '2025-11-25' });
    },
  );

  test('tells who the server is and what it offers', async () => {
    const client = connect({ title: 'Peer', instructions: 'Be kind.', features: [prompts([])] });
    expect(await client.initialize()).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { prompts: { listChanged: true }, completions: {}, logging: {} },
      serverInfo: { name: 'peer', version: '1.0.0', title: 'Peer' },
      instructions: 'Be kind.',
    });
  });

  test.each([[undefined], [{}], [{ protocolVersion: 5 }]])('refuses %o', async (params) => {
    await expect(connect().request('initialize', params)).rejects.toMatchObject({ code: -32602 });
  });

  test('takes a client that says nothing of itself', async () => {
    const params = { protocolVersion: '2025-11-25' };
    expect(await connect().request('initialize', params)).toHaveProperty('serverInfo');
  });

  test('refuses a client that says far too much of itself', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { all: 'x'.repeat(20_000) } },
    };
    await expect(connect().request('initialize', params)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('before notifications/initialized', () => {
  test.each(['tools/list', 'prompts/list', 'logging/setLevel', 'nonsense'])(
    '%s is -32600',
    async (name) => {
      const client = connect();
      await expect(client.request(name)).rejects.toMatchObject({ code: -32600 });
      await client.request('initialize', { protocolVersion: '2025-11-25' });
      await expect(client.request(name)).rejects.toMatchObject({ code: -32600 });
    },
  );

  test('ping is answered', async () => {
    expect(await connect().request('ping')).toEqual({});
  });

  test('the notification alone does not open the door', async () => {
    const client = connect();
    client.notify('notifications/initialized');
    await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32600 });
  });
});

describe('the level of log messages', () => {
  const chat = method('chat', async (_params, context) => {
    await context.log('debug', 1);
    await context.log('info', 2);
    await context.log('warning', 3, 'part');
    return {};
  });
  const levelsOf = (client: InMemoryClient): unknown[] =>
    client.notifications.map(({ params }) => params?.['level']);

  test('is info until the client sets another', async () => {
    const client = connect({ features: [chat] });
    await client.initialize();
    await client.request('chat');
    expect(levelsOf(client)).toEqual(['info', 'warning']);
  });

  test.each([
    ['debug', ['debug', 'info', 'warning']],
    ['warning', ['warning']],
    ['emergency', []],
  ])('set to %s lets %j through', async (level, levels) => {
    const client = connect({ features: [chat] });
    await client.initialize();
    expect(await client.request('logging/setLevel', { level })).toEqual({});
    await client.request('chat');
    expect(levelsOf(client)).toEqual(levels);
  });

  test('is of one conversation only', async () => {
    const server = createServer({ name: 'peer', version: '1.0.0', features: [chat] });
    const clients = [connectInMemory(server), connectInMemory(server)] as const;
    for (const client of clients) {
      onTestFinished(() => client.close());
      await client.initialize();
    }
    await clients[0].request('logging/setLevel', { level: 'error' });
    for (const client of clients) await client.request('chat');
    expect(clients.map((client) => client.notifications.length)).toEqual([0, 2]);
  });

  test.each([['loud'], [5], [undefined]])('cannot be %j', async (level) => {
    const client = connect();
    await client.initialize();
    await expect(client.request('logging/setLevel', { level })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('is the request’s own without a handshake', async () => {
    const client = connect({ features: [chat] });
    await client.requestModern('chat');
    expect(client.notifications).toEqual([]);
  });
});

describe('list_changed', () => {
  test('is told to clients that are ready, and to those only', async () => {
    const set = prompts([]);
    const server = createServer({ name: 'peer', version: '1.0.0', features: [set] });
    const [ready, waiting, strange] = [0, 1, 2].map(() => connectInMemory(server));
    for (const client of [ready, waiting, strange]) onTestFinished(() => client?.close());
    await ready?.initialize();
    await waiting?.request('initialize', { protocolVersion: '2025-11-25' });
    set.add({ name: 'new', get: () => 'new' });
    set.remove('new');
    for (const client of [ready, waiting, strange]) await client?.request('ping');
    const changed = { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' };
    expect(ready?.notifications).toEqual([changed, changed]);
    expect(waiting?.notifications).toEqual([]);
    expect(strange?.notifications).toEqual([]);
  });

  test('is told to listeners without a handshake, as far as they asked', async () => {
    const set = prompts([]);
    const server = createServer({ name: 'peer', version: '1.0.0', features: [set] });
    const client = connectInMemory(server);
    onTestFinished(() => client.close());
    const over = client.requestModern('subscriptions/listen', {
      notifications: { promptsListChanged: true },
    });
    await client.request('ping');
    set.add({ name: 'new', get: () => 'new' });
    server.listChanged('tools');
    server.close();
    await over;
    expect(client.notifications.map((message) => message.method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/prompts/list_changed',
    ]);
  });

  test('is not told to who has left', async () => {
    const set = prompts([]);
    const server = createServer({ name: 'peer', version: '1.0.0', features: [set] });
    const client = connectInMemory(server);
    await client.initialize();
    await client.close();
    set.add({ name: 'new', get: () => 'new' });
    expect(client.notifications).toEqual([]);
  });
});

describe('a feature', () => {
  test('is warmed up once, some time after the first client was greeted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let warmed = 0;
    const feature: Feature = { capabilities: {}, methods: {}, warm: () => void (warmed += 1) };
    const client = connect({ features: [feature] });
    vi.advanceTimersByTime(10_000);
    expect(warmed).toBe(0);
    for (let round = 0; round < 2; round += 1) {
      const greeted = client.initialize();
      await vi.advanceTimersByTimeAsync(10_000);
      await greeted;
      expect(warmed).toBe(1);
    }
  });

  test('may offer methods to clients with a handshake only', async () => {
    const feature: Feature = {
      capabilities: {},
      methods: {},
      legacyMethods: { old: () => ({ a: 1 }) },
    };
    const client = connect({ features: [feature] });
    await client.initialize();
    expect(await client.request('old')).toEqual({ a: 1 });
    await expect(client.requestModern('old')).rejects.toMatchObject({ code: -32601 });
  });

  test('gets no parameters as none', async () => {
    const client = connect({ features: [method('given', (params) => ({ params }))] });
    await client.initialize();
    expect(await client.request('given')).toEqual({ params: {} });
  });
});
