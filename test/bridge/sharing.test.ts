import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import { openSession, type Session } from 'mcp-kit/client';
import { readEnvelope } from 'mcp-kit/internal';
import { Exchange, RpcError, type Link, type Params } from 'mcp-kit/jsonrpc';
import { metaKeys, type Era } from 'mcp-kit/protocol';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { clientInfo, envelope, newToOld, text } from '../requirements/bridge-talk.ts';
import { older, script, settle, type Script, type Serve } from '../requirements/client-script.ts';
import { openPipe } from '../support/pipe.ts';

/** A server of the older era that logs, and tells of its resources. */
const talkative: Readonly<Record<string, Serve>> = {
  ...older,
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
    serverInfo: { name: 'talkative', version: '1' },
  }),
  'tools/call': () => text,
};

interface Place extends AsyncDisposable {
  readonly bridge: Bridge;
  connect(era: Era): Promise<Session>;
}

async function openPlace(server: Script, options: BridgeOptions = {}): Promise<Place> {
  const bridge = createBridge(server.target, { era: 'legacy', ...options });
  const listening = await serveHttp(bridge);
  return {
    bridge,
    connect: (era) => openSession(httpTarget(listening.url), { era }),
    async [Symbol.asyncDispose]() {
      await listening.close();
      await bridge.close();
    },
  };
}

const refusing: Serve = () => {
  throw new RpcError(-32_603, 'not today');
};
const logging = { ...envelope, [metaKeys.logLevel]: 'debug' };
const call = { name: 'any', arguments: {} };
const listening = { notifications: { resourceSubscriptions: ['memo://a'] } };
const updated = 'notifications/resources/updated';

describe('two subscriptions to one resource of an older server', () => {
  test('ask for it once, and the end of one is not the end of the other', async () => {
    await using open = newToOld(talkative);
    const first = open.begin('subscriptions/listen', listening);
    const second = open.begin('subscriptions/listen', listening);
    for (const _ of [first, second]) {
      const method = 'notifications/subscriptions/acknowledged';
      expect(await open.pipe.next()).toMatchObject({ method });
    }
    const cancel = (requestId: number): void => {
      const params = { requestId };
      open.pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    };
    const { peer } = open.server;
    expect(peer.of('resources/subscribe')).toHaveLength(1);
    cancel(first);
    await settle();
    expect(peer.of('resources/unsubscribe')).toEqual([]);
    peer.notify(updated, { uri: 'memo://a' });
    expect(await open.pipe.next()).toMatchObject({
      method: updated,
      params: { _meta: { [metaKeys.subscriptionId]: second } },
    });
    cancel(second);
    expect(await peer.nth('resources/unsubscribe')).toMatchObject({ params: { uri: 'memo://a' } });
  });

  test('both fail where the server refuses, and can be asked for again', async () => {
    let refusals = 0;
    await using open = newToOld({
      ...talkative,
      'resources/subscribe': (params, talk) => {
        refusals += 1;
        return refusals === 1 ? refusing(params, talk) : {};
      },
    });
    const ids = [
      open.begin('subscriptions/listen', listening),
      open.begin('subscriptions/listen', listening),
    ];
    for (const id of ids) expect(await open.pipe.next()).toMatchObject({ id, error: {} });
    open.begin('subscriptions/listen', listening);
    expect(await open.pipe.next()).toMatchObject({ params: listening });
  });
});

describe('a server that was lost and is there again', () => {
  const changed = ['tools', 'prompts', 'resources'].map(
    (what) => `notifications/${what}/list_changed`,
  );

  test('may have changed, of which an older client is told', async () => {
    const server = script(older);
    await using bridge = createBridge(server.target, { era: 'legacy' });
    await using pipe = openPipe(bridge);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    pipe.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await pipe.next();
    pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const uri = 'memo://a';
    pipe.send({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } });
    await pipe.next();
    server.peer.hangUp();
    for (const method of changed) expect(await pipe.next()).toEqual({ jsonrpc: '2.0', method });
    expect(await pipe.next()).toEqual({ jsonrpc: '2.0', method: updated, params: { uri } });
    expect(server.peers).toHaveLength(2);
  });

  test('may have changed, of which whoever has subscribed is told', async () => {
    await using open = newToOld();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['memo://a'] };
    const id = open.begin('subscriptions/listen', { notifications });
    expect(await open.pipe.next()).toMatchObject({ params: { notifications } });
    open.server.peer.hangUp();
    const _meta = { [metaKeys.subscriptionId]: id };
    expect(await open.pipe.next()).toMatchObject({ method: changed[0], params: { _meta } });
    expect(await open.pipe.next()).toMatchObject({ params: { uri: 'memo://a', _meta } });
  });
});

describe('the log level', () => {
  test('of one call does not silence another of the same client', async () => {
    await using open = newToOld({
      ...talkative,
      'tools/call': ({ name }) => (name === 'hang' ? undefined : text),
    });
    const id = open.begin('tools/call', { name: 'hang', arguments: {}, _meta: logging });
    const quiet = { ...envelope, [metaKeys.logLevel]: 'error' };
    await open.ask('tools/call', { ...call, _meta: quiet });
    const levels = open.server.peer.of('logging/setLevel').map(({ params }) => params?.['level']);
    expect(levels).toEqual(['debug']);
    open.server.peer.notify('notifications/message', { level: 'debug', data: 'still here' });
    expect(await open.pipe.next()).toMatchObject({ params: { data: 'still here' } });
    const calls = open.server.peer.of('tools/call');
    const hanging = calls.find(({ params }) => params?.['name'] === 'hang');
    open.server.peer.say({ id: hanging?.id, result: text });
    expect(await open.pipe.next()).toMatchObject({ id, result: text });
  });

  test.each(['legacy', 'modern'] as const)(
    'is set again for a %s client whose conversation was put to sleep',
    async (era) => {
      const server = script(talkative);
      await using place = await openPlace(server, { maxUpstreams: 1 });
      await using loud = await place.connect(era);
      await loud.setLogLevel('debug');
      await loud.callTool('any');
      await using other = await place.connect('legacy');
      await other.callTool('any');
      await loud.callTool('any');
      const levels = server.peers.map((peer) => peer.of('logging/setLevel').length);
      expect(levels.at(-1)).toBe(1);
      expect(server.peer.of('logging/setLevel')[0]?.params).toEqual({ level: 'debug' });
    },
  );

  test('that an older server refuses fails no call', async () => {
    const server = script({ ...talkative, 'logging/setLevel': refusing });
    await using place = await openPlace(server);
    await using session = await place.connect('modern');
    const result = await session.request('tools/call', { ...call, _meta: logging });
    expect(result).toMatchObject(text);
  });
});

test('Requests that fail give back the conversation that they had to themselves', async () => {
  const server = script({ ...talkative, 'tools/call': refusing, 'resources/subscribe': refusing });
  await using place = await openPlace(server);
  await using session = await place.connect('modern');
  const bad: readonly (readonly [string, object])[] = [
    ['tools/call', call],
    ['tools/call', { ...call, requestState: 'of another bridge' }],
    ['subscriptions/listen', listening],
    ['subscriptions/listen', { notifications: 'all' }],
    ['resources/subscribe', { uri: 'memo://a' }],
  ];
  for (const [method, params] of [...bad, ...bad, ...bad]) {
    const asked = session.request(method, { ...params, _meta: logging });
    await expect(asked).rejects.toBeInstanceOf(RpcError);
  }
  // The one that all share, and the one that each of them had.
  expect(server.peers.length).toBeLessThanOrEqual(2);
});

test('A call that has a conversation to itself keeps it until its end, whatever else its client asks', async () => {
  const server = script({
    ...talkative,
    'tools/list': () => ({ tools: [] }),
    'tools/call': async (_params, { id, peer }) => {
      await settle();
      const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
      peer.say({ id: `q${id}`, method: 'elicitation/create', params });
      const { error } = await peer.answerTo(`q${id}`);
      return error === undefined ? text : { ...text, isError: true };
    },
  });
  await using bridge = createBridge(server.target, { era: 'legacy' });
  const link: Link = { notify: () => undefined, request: () => Promise.reject(new Error('no')) };
  const ask = (id: number, method: string, params: Params): unknown => {
    const said = { ...params, _meta: envelope };
    const exchange = new Exchange({ jsonrpc: '2.0', id, method, params: said }, link);
    exchange.client = readEnvelope(said);
    return bridge.serve(exchange);
  };
  // Before anything is known of the server, all at once.
  const listed = [1, 2, 3].map((id) => ask(id, 'tools/list', {}));
  const called = [4, 5, 6].map((id) => ask(id, 'tools/call', call));
  const asked = { resultType: 'input_required' };
  expect(await Promise.all(called)).toMatchObject([asked, asked, asked]);
  expect(await Promise.all(listed)).toMatchObject([{ tools: [] }, { tools: [] }, { tools: [] }]);
});
