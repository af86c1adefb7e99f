import { createManager, type ManagerOptions } from '@mcp-kit/host';
import { createDeferred } from 'mcp-kit/internal';
import { RpcError } from 'mcp-kit/jsonrpc';
import { describe, expect, test } from 'vitest';
import { older, script, settle, type Peer } from './client-script.ts';
import { temporaryFolder } from './config-fixture.ts';
import { manageV1, nodeServer } from './manager-fixture.ts';
import { textOf } from '../interop/client-session.ts';

/** A manager that talks to the server of a test. */
async function talking(
  options: Partial<ManagerOptions> = {},
): Promise<AsyncDisposable & { readonly peer: Peer }> {
  const server = script(older);
  const manager = createManager({
    entries: [],
    trust: 'trusted',
    toolCache: false,
    era: 'legacy',
    ...options,
  });
  await manager.attach('it', await server.target.dial());
  return { peer: server.peer, [Symbol.asyncDispose]: () => manager.close() };
}

describe('a request of a server', () => {
  test('that nobody knows is told so', async () => {
    await using talk = await talking();
    talk.peer.say({ id: 1, method: 'acme/unknown' });
    expect(await talk.peer.answerTo(1)).toMatchObject({ error: { code: -32601 } });
  });

  test('goes to the handler of the manager, with the name of the server', async () => {
    const asked: unknown[] = [];
    await using talk = await talking({
      onRequest: (server, { method, params }) => {
        asked.push([server, method, params]);
        if (method === 'acme/refused') throw new RpcError(-32050, 'not today');
        return method === 'acme/known' ? { answer: 42 } : undefined;
      },
    });
    talk.peer.say({ id: 1, method: 'acme/known', params: { x: 1 } });
    talk.peer.say({ id: 2, method: 'acme/unknown' });
    talk.peer.say({ id: 3, method: 'acme/refused' });
    expect(await talk.peer.answerTo(1)).toMatchObject({ result: { answer: 42 } });
    expect(await talk.peer.answerTo(2)).toMatchObject({ error: { code: -32601 } });
    expect(await talk.peer.answerTo(3)).toMatchObject({
      error: { code: -32050, message: 'not today' },
    });
    expect(asked[0]).toEqual(['it', 'acme/known', { x: 1 }]);
  });

  test('waits in a queue of 64; the next is told at once that the client is overloaded', async () => {
    const gate = createDeferred<void>();
    let running = 0;
    let most = 0;
    await using talk = await talking({
      handlers: { concurrency: 3 },
      onRequest: async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
        return {};
      },
    });
    for (let id = 1; id <= 65; id += 1) talk.peer.say({ id, method: 'acme/slow' });
    expect(await talk.peer.answerTo(65)).toMatchObject({
      error: { code: -32000, message: 'client overloaded' },
    });
    gate.resolve();
    expect(await talk.peer.answerTo(64)).toMatchObject({ result: {} });
    expect(most).toBe(3);
    talk.peer.say({ id: 66, method: 'acme/slow' });
    expect(await talk.peer.answerTo(66)).toMatchObject({ result: {} });
  });

  test('is answered for when its handler takes too long', async () => {
    await using talk = await talking({
      handlers: { timeoutMs: 20 },
      onRequest: () => new Promise(() => {}),
    });
    talk.peer.say({ id: 1, method: 'acme/slow' });
    expect(await talk.peer.answerTo(1)).toMatchObject({
      error: { code: -32000, message: 'acme/slow: timed out' },
    });
  });
});

describe('a notification of a server', () => {
  test('goes to the handler of the manager, with the name of the server, in order', async () => {
    const heard: unknown[] = [];
    await using talk = await talking({
      onNotification: (server, { method, params }) => void heard.push([server, method, params]),
    });
    for (const at of [1, 2, 3]) talk.peer.notify('acme/told', { at });
    await settle();
    expect(heard).toEqual([1, 2, 3].map((at) => ['it', 'acme/told', { at }]));
  });

  test('waits in a queue of 256 while the handler is slow; the oldest are dropped and counted', async () => {
    const gate = createDeferred<void>();
    const heard: unknown[] = [];
    const server = script(older);
    await using manager = createManager({
      entries: [],
      trust: 'trusted',
      toolCache: false,
      era: 'legacy',
      onNotification: async (_, { params }) => {
        heard.push(params?.['at']);
        await gate.promise;
      },
    });
    const session = await manager.attach('it', await server.target.dial());
    for (let at = 0; at < 300; at += 1) server.peer.notify('acme/told', { at });
    await settle();
    expect(session.stats.droppedNotifications).toBe(300 - 1 - 256);
    gate.resolve();
    await settle();
    expect(heard).toHaveLength(257);
    expect([heard[0], heard[1], heard.at(-1)]).toEqual([0, 44, 299]);
  });

  test('that nobody listens to, or whose listener throws, harms nobody', async () => {
    await using silent = await talking();
    silent.peer.notify('acme/told');
    await using throwing = await talking({
      onNotification: () => {
        throw new Error('a bug');
      },
    });
    throwing.peer.notify('acme/told');
    for (const { peer } of [silent, throwing]) {
      peer.say({ id: 1, method: 'ping' });
      expect(await peer.answerTo(1)).toMatchObject({ result: {} });
    }
  });
});

describe('roots', () => {
  const roots = [{ uri: 'file:///repo', name: 'repo' }, { uri: 'file:///other' }];

  test('of the configuration are declared, and answered to whoever asks', async () => {
    await using folder = await temporaryFolder();
    const config = { client: { roots }, servers: { it: nodeServer } };
    await using manager = await manageV1(folder, config, { trust: 'trusted', era: 'legacy' });
    const it = manager.server('it');
    const [line = ''] = JSON.parse(textOf(await it.callTool('received'))) as string[];
    expect(JSON.parse(line)).toMatchObject({ params: { capabilities: { roots: {} } } });
    expect(JSON.parse(textOf(await it.callTool('ask_roots')))).toEqual({ roots });
  });

  test('of the caller win over those of the configuration', async () => {
    const own = [{ uri: 'file:///own' }];
    await using talk = await talking({ client: { roots }, inputs: { roots: own } });
    talk.peer.say({ id: 1, method: 'roots/list' });
    expect(await talk.peer.answerTo(1)).toMatchObject({ result: { roots: own } });
  });

  test('that nobody has are neither declared nor answered', async () => {
    await using talk = await talking();
    expect(talk.peer.of('initialize')[0]?.params?.['capabilities']).toEqual({});
    talk.peer.say({ id: 1, method: 'roots/list' });
    expect(await talk.peer.answerTo(1)).toMatchObject({ error: { code: -32601 } });
  });
});
