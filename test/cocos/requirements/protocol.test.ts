import { openCocosServer, type CocosServer } from '@mcp-kit/cocos/tools';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Child } from '../../support/child-process.ts';
import { requireBuild } from '../../support/cli.ts';
import { CocosWorld } from '../../support/cocos/world.ts';
import { send } from '../../support/http-client.ts';
import {
  initialize,
  notification,
  post,
  postHeaders,
  request,
  type Served,
  serving,
  startSession,
} from '../../support/mcp-http.ts';

const scenePath = 'assets/scenes/main.scene';

let world: CocosWorld;
let cocos: CocosServer;
let served: Served;

beforeEach(async () => {
  world = new CocosWorld();
  cocos = await openCocosServer({ project: world.backend });
  served = await serving(cocos.server, { profile: 'v2' });
});

afterEach(async () => {
  await served.close();
  await cocos[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const call = (name: string, args: object = {}) => ({ name, arguments: args });

describe('a Cocos server over HTTP', () => {
  test('takes one message with POST; a batch is -32600, and nothing of it is done', async () => {
    const session = await startSession(served.url);
    const before = world.snapshot();
    const write = call('create_asset_folder', { assetPath: 'assets/levels' });
    const batch = [request(5, 'tools/list'), request(6, 'tools/call', write)];
    expect((await session.post(batch)).message).toMatchObject({ error: { code: -32600 } });
    expect((await session.post([])).message).toMatchObject({ error: { code: -32600 } });
    expect(world.snapshot()).toEqual(before);
    expect((await session.request('tools/list')).message).toHaveProperty('result.tools');
  });

  test('opens an event stream with GET that accepts one', async () => {
    const session = await startSession(served.url);
    using stream = await session.listen();
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toContain('text/event-stream');
  });

  test('answers what names no session, or one that there is not, with status 400', async () => {
    const list = request(2, 'tools/list');
    expect((await post(served.url, list)).status).toBe(400);
    expect((await post(served.url, list, { 'mcp-session-id': 'made-up' })).status).toBe(400);
  });

  test('ends a session with DELETE', async () => {
    const session = await startSession(served.url);
    expect((await session.delete()).status).toBe(204);
    expect((await session.request('tools/list')).status).toBe(400);
  });
});

describe('a session of a Cocos server', () => {
  test('begins with initialize, which is a request with an id', async () => {
    const { id: _id, ...unnumbered } = request(1, 'initialize', {});
    const refused = await send(served.url, { body: unnumbered, headers: { ...postHeaders } });
    expect(refused.status).toBe(400);
    expect(refused.headers).not.toHaveProperty('mcp-session-id');
    const opened = await initialize(served.url, { version: '2025-11-25' });
    expect(opened.message.result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(opened.headers).toHaveProperty('mcp-session-id');
  });

  test('refuses tools with -32600 until notifications/initialized makes it ready', async () => {
    const session = await startSession(served.url, { ready: false });
    for (const method of ['tools/list', 'tools/call']) {
      const early = await session.request(method, call('get_project_info'));
      expect(early.message).toMatchObject({ error: { code: -32600 } });
    }
    expect((await session.post(notification('notifications/initialized'))).status).toBe(202);
    const { message } = await session.request('tools/call', call('get_project_info'));
    expect(message).toMatchObject({ result: { structuredContent: { success: true } } });
  });

  test('offers tools, and no prompts and no resources but skills and an app', async () => {
    const session = await startSession(served.url);
    const { message } = await initialize(served.url);
    const { capabilities } = message.result as { readonly capabilities: object };
    expect(capabilities).toHaveProperty('tools');
    expect(capabilities).not.toHaveProperty('prompts');
    const { message: listed } = await session.request('resources/list');
    const { resources } = listed.result as { readonly resources: readonly { uri: string }[] };
    expect(resources.length).toBeGreaterThan(0);
    const others = resources.filter(({ uri }) => !/^skill:.*SKILL\.md$/.test(uri));
    expect(others.map(({ uri }) => uri)).toEqual(['ui://cocos/scene-picture']);
  });
});

describe('errors of the protocol and of tools', () => {
  test('-32700 is a body that is no JSON', async () => {
    const session = await startSession(served.url);
    expect((await session.post('{"jsonrpc":')).message).toMatchObject({ error: { code: -32700 } });
  });

  test.each([
    [-32600, 'what is no request', { jsonrpc: '2.0', id: 9 }],
    [-32601, 'a method that there is not', request(9, 'scenes/list')],
    [-32602, 'a tool that there is not', request(9, 'tools/call', call('get_scene_nothing'))],
    [
      -32602,
      'arguments that are no object',
      request(9, 'tools/call', { ...call('get_project_info'), arguments: 5 }),
    ],
  ])('%d is %s', async (code, _what, body) => {
    const session = await startSession(served.url);
    const { message } = await session.post(body);
    expect(message).toMatchObject({ error: { code } });
    expect(message).not.toHaveProperty('result');
  });

  test('what a tool cannot do is a result with a code of its own, and no error of the protocol', async () => {
    const session = await startSession(served.url);
    const wanted = call('get_node_info', { scenePath, nodeUuid: 'Canvas/None' });
    const { message } = await session.request('tools/call', wanted);
    expect(message).not.toHaveProperty('error');
    expect(message).toMatchObject({
      result: {
        isError: true,
        structuredContent: { success: false, error: { code: 'E_NOT_FOUND' } },
      },
    });
  });
});

describe('a Cocos server over stdio', () => {
  const ping = (id: number): string => JSON.stringify(request(id, 'ping'));
  const serve = (): Child => {
    requireBuild();
    return Child.mcpctl('cocos', 'serve', '--project', world.folder);
  };

  test('reads a message from each line, and answers with one', async () => {
    await using child = serve();
    child.process.stdin.end(`${ping(1)}\n${ping(2)}\n`);
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.messages().map(({ id }) => id)).toEqual([1, 2]);
  });

  test('knows no Content-Length headers: one is a line that is no message', async () => {
    await using child = serve();
    child.process.stdin.end(`Content-Length: ${ping(1).length}\r\n\r\n${ping(1)}\n`);
    expect(await child.ended).toMatchObject({ code: 0 });
    const errors = child.messages().filter((message) => 'error' in message);
    expect(errors).toMatchObject([{ error: { code: -32700 } }]);
    expect(child.messages().filter(({ id }) => id === 1)).toHaveLength(1);
    expect(child.stdout).not.toContain('Content-Length:');
  });
});
