import { createDeferred } from 'mcp-kit/internal';
import type { Notification } from 'mcp-kit/jsonrpc';
import { metaKeys } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFixture } from '../interop/fixture.mjs';
import { Inbox } from '../interop/inbox.ts';
import { failure, metaOf, newer, older, open, script, settle } from './client-script.ts';

describe('the listener', () => {
  const note = (at: number): Notification => ({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { at },
  });

  test('hears everything in order, one after the other', async () => {
    const server = script(older);
    const heard: unknown[] = [];
    let busy = 0;
    await using _session = await open(server, {
      onNotification: async ({ params }) => {
        busy += 1;
        expect(busy).toBe(1);
        await settle();
        heard.push(params?.['at']);
        busy -= 1;
      },
    });
    for (let at = 0; at < 20; at += 1) server.peer.deliver(note(at));
    await expect.poll(() => heard).toHaveLength(20);
    expect(heard).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  test('that is slow makes 256 wait; the oldest are dropped and counted', async () => {
    const server = script(older);
    const heard: unknown[] = [];
    const slow = createDeferred<void>();
    await using session = await open(server, {
      onNotification: ({ params }) => {
        heard.push(params?.['at']);
        return slow.promise;
      },
    });
    for (let at = 0; at < 300; at += 1) server.peer.deliver(note(at));
    expect(session.stats.droppedNotifications).toBe(300 - 1 - 256);
    expect(heard).toEqual([0]);
    // A slow listener holds up nothing else.
    await session.ping();
    slow.resolve();
    await expect.poll(() => heard).toHaveLength(257);
    expect(heard.slice(0, 2)).toEqual([0, 44]);
    expect(heard.at(-1)).toBe(299);
  });

  test('that throws or rejects is reported, and hears the next all the same', async () => {
    const server = script(older);
    const heard: unknown[] = [];
    const reported: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (message: string) => void reported.push(message),
    };
    await using session = await open(server, {
      logger,
      onNotification: ({ params }) => {
        heard.push(params?.['at']);
        if (params?.['at'] === 0) throw new Error('at once');
        return Promise.reject(new Error('later'));
      },
    });
    for (let at = 0; at < 3; at += 1) server.peer.deliver(note(at));
    await expect.poll(() => heard).toEqual([0, 1, 2]);
    await settle();
    expect(reported).toHaveLength(3);
    expect(session.isOpen).toBe(true);
  });

  test('hears nothing more once the session is closed', async () => {
    const server = script(older);
    const heard: unknown[] = [];
    const slow = createDeferred<void>();
    const session = await open(server, {
      onNotification: ({ params }) => {
        heard.push(params?.['at']);
        return slow.promise;
      },
    });
    for (let at = 0; at < 3; at += 1) server.peer.deliver(note(at));
    await session.close();
    slow.resolve();
    await settle();
    expect(heard).toEqual([0]);
  });
});

describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
  test('whoever listens hears that a list has changed', async () => {
    const inbox = new Inbox();
    await using session = await open(memoryTarget(createFixture().server), {
      era,
      onNotification: (notification) => inbox.put(notification),
    });
    await settle();
    for (const kind of ['tools', 'prompts', 'resources']) {
      await session.callTool('change_list', { kind, name: `new_${kind}` });
      await inbox.next(`notifications/${kind}/list_changed`);
      expect(inbox.of(`notifications/${kind}/list_changed`)).toHaveLength(1);
    }
  });

  test('a resource is told about from subscribing to unsubscribing', async () => {
    const inbox = new Inbox();
    await using session = await open(memoryTarget(createFixture().server), {
      era,
      onNotification: (notification) => inbox.put(notification),
    });
    await session.callTool('touch', { uri: 'memo://one' });
    await session.subscribe('memo://one');
    await session.subscribe('memo://two');
    await session.callTool('touch', { uri: 'memo://one' });
    await session.callTool('touch', { uri: 'memo://picture' });
    await inbox.next('notifications/resources/updated');
    await session.unsubscribe('memo://one');
    await session.callTool('touch', { uri: 'memo://one' });
    await session.callTool('touch', { uri: 'memo://two' });
    await inbox.next(
      'notifications/resources/updated',
      ({ params }) => params?.['uri'] === 'memo://two',
    );
    expect(
      inbox.of('notifications/resources/updated').map(({ params }) => params?.['uri']),
    ).toEqual(['memo://one', 'memo://two']);
  });

  test('a subscription of its own tells what it is for, until it is closed', async () => {
    const inbox = new Inbox();
    await using session = await open(memoryTarget(createFixture().server), {
      era,
      onNotification: (notification) => inbox.put(notification),
    });
    const wish = { promptsListChanged: true, resourceSubscriptions: ['memo://one'] };
    const subscription = await session.listen(wish);
    expect(subscription.honored).toEqual(wish);
    await session.callTool('touch', { uri: 'memo://one' });
    await inbox.next('notifications/resources/updated');
    subscription.close();
    expect(await subscription.closed).toBeUndefined();
    await settle();
    inbox.clear();
    await session.callTool('touch', { uri: 'memo://one' });
    await settle();
    expect(inbox.of('notifications/resources/updated')).toEqual([]);
    subscription.close();
  });

  test('a subscription ends with its session', async () => {
    const session = await open(memoryTarget(createFixture().server), { era });
    const subscription = await session.listen({ toolsListChanged: true });
    await session.close();
    await subscription.closed;
  });
});

describe('in the modern era', () => {
  test('nobody who does not listen is subscribed to anything', async () => {
    const server = script(newer);
    await using _session = await open(server);
    await settle();
    expect(server.heard).toEqual(['server/discover']);
  });

  test('one subscription is for all that is wanted, and only for what the server offers', async () => {
    const server = script({
      ...newer,
      'server/discover': () => ({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      }),
    });
    await using session = await open(server, { onNotification() {} });
    await session.subscribe('x:1');
    await Promise.all([session.subscribe('x:2'), session.subscribe('x:3')]);
    await session.unsubscribe('x:1');
    const filters = server.peer
      .of('subscriptions/listen')
      .map(({ params }) => params?.['notifications']);
    expect(filters[0]).toEqual({ toolsListChanged: true });
    expect(filters.at(-1)).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['x:2', 'x:3'],
    });
    // Each replaced the one before, which was left.
    expect(server.peer.of('notifications/cancelled')).toHaveLength(filters.length - 1);
    expect(metaOf(server.peer.of('subscriptions/listen')[0] ?? {})).toHaveProperty([
      metaKeys.clientCapabilities,
    ]);
  });

  test('what a server tells on a subscription that was left before it knew is not heard', async () => {
    const server = script(newer);
    const inbox = new Inbox();
    await using session = await open(server, { onNotification: (told) => inbox.put(told) });
    const tell = (uri: string, id: unknown): void => {
      const _meta = { [metaKeys.subscriptionId]: id };
      server.peer.notify('notifications/resources/updated', { uri, _meta });
    };
    const told = (): unknown[] =>
      inbox.of('notifications/resources/updated').map((one) => one.params?.['uri']);
    await session.subscribe('x:1');
    await session.subscribe('x:2');
    await session.unsubscribe('x:1');
    const own = await session.listen({ resourceSubscriptions: ['x:3'] });
    const ids = server.peer.of('subscriptions/listen').map(({ id }) => id);
    for (const id of ids) tell('x:2', id);
    await settle();
    expect(told()).toEqual(['x:2', 'x:2']);
    own.close();
    await own.closed;
    tell('x:3', ids.at(-1));
    // Whoever does not say which one it is about is heard.
    tell('x:2', undefined);
    await settle();
    expect(told()).toEqual(['x:2', 'x:2', 'x:2']);
  });

  test('what the server does not agree to tell is refused to whoever wanted it', async () => {
    const server = script({
      ...newer,
      'subscriptions/listen': (_params, { id, peer }) => {
        const _meta = { [metaKeys.subscriptionId]: id };
        const notifications = { toolsListChanged: true, resourceSubscriptions: ['x:1'] };
        peer.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
      },
    });
    await using session = await open(server);
    await session.subscribe('x:1');
    expect(await failure(session.subscribe('x:2'))).toMatchObject({ code: 'capability_missing' });
    await settle();
    const last = server.peer.of('subscriptions/listen').at(-1);
    expect(last?.params?.['notifications']).toEqual({ resourceSubscriptions: ['x:1'] });
    const subscription = await session.listen({ promptsListChanged: true, toolsListChanged: true });
    expect(subscription.honored).not.toHaveProperty('promptsListChanged');
  });

  test('a subscription that is not acknowledged in time fails, and is taken back', async () => {
    const server = script({ ...newer, 'subscriptions/listen': () => undefined });
    await using session = await open(server, { timeoutMs: 30 });
    expect(await failure(session.listen({ toolsListChanged: true }))).toMatchObject({
      code: 'timeout',
    });
    expect(server.heard.at(-1)).toBe('notifications/cancelled');
  });

  test('a subscription that the caller gives up, or gives less time, fails and is taken back', async () => {
    const server = script({ ...newer, 'subscriptions/listen': () => undefined });
    await using session = await open(server);
    const stop = new AbortController();
    const filter = { toolsListChanged: true };
    const waiting = failure(session.listen(filter, { signal: stop.signal }));
    const { id } = await server.peer.nth('subscriptions/listen');
    stop.abort('enough');
    expect(await waiting).toMatchObject({ code: 'aborted', cause: 'enough' });
    expect(server.peer.of('notifications/cancelled')).toMatchObject([
      { params: { requestId: id } },
    ]);
    const late = await failure(session.listen(filter, { timeoutMs: 20 }));
    expect(late).toMatchObject({ code: 'timeout' });
    // What was given up before is not even asked.
    await failure(session.listen(filter, { signal: stop.signal }));
    expect(server.peer.of('subscriptions/listen')).toHaveLength(2);
  });

  test('a subscription outlives the signal that limited its opening', async () => {
    const server = script(newer);
    await using session = await open(server);
    const stop = new AbortController();
    const filter = { toolsListChanged: true };
    const subscription = await session.listen(filter, { signal: stop.signal, timeoutMs: 1000 });
    stop.abort();
    await settle();
    expect(server.heard).not.toContain('notifications/cancelled');
    subscription.close();
    expect(await subscription.closed).toBeUndefined();
  });

  test('a server may take as long as the caller lets it', async () => {
    const server = script({
      ...newer,
      'subscriptions/listen': (_params, { id, peer }) => {
        const _meta = { [metaKeys.subscriptionId]: id };
        const params = { notifications: { toolsListChanged: true }, _meta };
        setTimeout(() => peer.notify('notifications/subscriptions/acknowledged', params), 50);
      },
    });
    await using session = await open(server, { timeoutMs: Infinity, probeTimeoutMs: Infinity });
    const { honored } = await session.listen({ toolsListChanged: true });
    expect(honored).toEqual({ toolsListChanged: true });
  });

  test('whoever gives up subscribing is let go at once', async () => {
    const server = script({ ...newer, 'subscriptions/listen': () => undefined });
    await using session = await open(server);
    const stop = new AbortController();
    const subscribing = failure(session.subscribe('x:1', { signal: stop.signal }));
    await server.peer.nth('subscriptions/listen');
    stop.abort();
    expect(await subscribing).toMatchObject({ code: 'aborted' });
    expect(await failure(session.subscribe('x:2', { timeoutMs: 20 }))).toMatchObject({
      code: 'timeout',
    });
  });

  test('a subscription that is refused fails in the words of the server', async () => {
    const server = script({ 'server/discover': newer['server/discover'] ?? (() => {}) });
    await using session = await open(server, { onNotification() {} });
    expect(await failure(session.listen({ toolsListChanged: true }))).toMatchObject({
      code: -32601,
    });
    expect(await failure(session.subscribe('x:1'))).toMatchObject({ code: -32601 });
  });

  test('a subscription that the server ends at once has nothing to tell', async () => {
    const server = script({ ...newer, 'subscriptions/listen': () => ({ resultType: 'complete' }) });
    await using session = await open(server);
    const subscription = await session.listen({ toolsListChanged: true });
    expect(subscription.honored).toEqual({});
    expect(await subscription.closed).toBeUndefined();
  });
});

describe('a subscription that is cut', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const cut = (server: ReturnType<typeof script>): void => {
    const { id } = server.peer.of('subscriptions/listen').at(-1) ?? {};
    server.peer.say({ id, error: { code: -32000, message: 'cut' } });
  };
  const listens = (server: ReturnType<typeof script>): number =>
    server.peer.of('subscriptions/listen').length;

  test('is asked for again after a while, and what was kept is forgotten', async () => {
    const server = script({
      ...newer,
      'tools/list': () => ({ resultType: 'complete', tools: [], ttlMs: 60_000 }),
    });
    await using session = await open(server, { onNotification() {} });
    await settle();
    await session.listTools();
    cut(server);
    await settle();
    expect(listens(server)).toBe(1);
    await vi.advanceTimersByTimeAsync(1300);
    await settle();
    expect(listens(server)).toBe(2);
    await session.listTools();
    expect(server.peer.of('tools/list')).toHaveLength(2);
  });

  test('again and again is asked for less and less often', async () => {
    const server = script(newer);
    await using _session = await open(server, { onNotification() {} });
    await settle();
    const waits: number[] = [];
    for (let times = 0; times < 8; times += 1) {
      const since = performance.now();
      const before = listens(server);
      cut(server);
      while (listens(server) === before) {
        await vi.advanceTimersByTimeAsync(100);
        await settle();
      }
      waits.push(performance.now() - since);
    }
    expect(waits[0]).toBeLessThan(1500);
    expect(waits.at(-1)).toBeGreaterThan(10_000);
    // One that held for a while begins anew.
    await vi.advanceTimersByTimeAsync(120_000);
    const before = listens(server);
    cut(server);
    await settle();
    await vi.advanceTimersByTimeAsync(1300);
    await settle();
    expect(listens(server)).toBe(before + 1);
  });

  test('in order, by a server that goes, is asked for again as well', async () => {
    const server = script(newer);
    await using _session = await open(server, { onNotification() {} });
    await settle();
    const { id } = server.peer.of('subscriptions/listen')[0] ?? {};
    server.peer.say({ id, result: { resultType: 'complete' } });
    await settle();
    await vi.advanceTimersByTimeAsync(1300);
    await settle();
    expect(listens(server)).toBe(2);
  });

  test('is not asked for again when there is nothing to tell, or nobody to tell', async () => {
    const idle = script({ ...newer, 'subscriptions/listen': () => ({ resultType: 'complete' }) });
    await using _session = await open(idle, { onNotification() {} });
    const gone = script(newer);
    const session = await open(gone, { onNotification() {} });
    await settle();
    cut(gone);
    await settle();
    await session.close();
    await vi.advanceTimersByTimeAsync(600_000);
    await settle();
    expect([listens(idle), listens(gone)]).toEqual([1, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
