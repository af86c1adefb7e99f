import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { RpcError } from 'mcp-kit/jsonrpc';
import { tool, toolSet } from 'mcp-kit/tools';
import { lintTools } from 'mcp-kit/tools/inspect';
import { Child, root } from '../support/child-process.ts';
import { send } from '../support/http-client.ts';
import {
  initialize,
  notification,
  post,
  request,
  serving,
  startSession,
} from '../support/mcp-http.ts';
import { createGoverned, dataOf, startGoverned } from './governed-fixture.ts';

const position = { x: 5, y: 5, z: 5 };

describe('principles', () => {
  test('protocol errors and business errors never mix', async () => {
    await using governed = await startGoverned();
    const business = await governed.call('get_node_info', { nodeUuid: 'nothing' });
    expect(business).toMatchObject({ isError: true });
    const protocol = await governed.call('get_nothing_there').catch((error: unknown) => error);
    expect(protocol).toBeInstanceOf(RpcError);
    expect(protocol).toMatchObject({ code: -32602 });
    expect(protocol).not.toHaveProperty('data.code');
  });

  test('a write has a dry run, or its manifest says that it has none', async () => {
    await using governed = await startGoverned({ visible: ['core', 'advanced', 'internal'] });
    const writing = (await governed.list()).filter(({ _meta }) => _meta?.['safety'] !== 'readonly');
    expect(writing.length).toBeGreaterThan(4);
    for (const { _meta, inputSchema } of writing) {
      expect(_meta).toHaveProperty('supportsDryRun');
      expect('dryRun' in Object(inputSchema['properties'])).toBe(_meta?.['supportsDryRun']);
    }
  });

  test('a dry run of a tool that has none does nothing, and says so', async () => {
    await using governed = await startGoverned({ visible: ['advanced'] });
    const { error } = await governed.ask('execute_scene_export', { dryRun: true });
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    expect(governed.scene.writes).toBe(0);
  });

  test('the same thing has the same name in all tools: the linter says where not', () => {
    const madeTool = (name: string, argument: string): object => ({
      name,
      inputSchema: { type: 'object', properties: { [argument]: { type: 'string' } } },
    });
    const tools = [madeTool('get_node_info', 'nodeUuid'), madeTool('get_node_children', 'nodeId')];
    const findings = lintTools(tools as never).filter(({ rule }) => rule === 'parameter-name');
    expect(findings).toMatchObject([
      { tool: 'get_node_children', path: 'nodeId', hint: 'Use "nodeUuid".' },
    ]);
  });

  test('every answer has the same shape, and every error a code to branch on', async () => {
    await using governed = await startGoverned();
    const answers = [
      await governed.ask('get_node_info', { nodeUuid: 'lamp' }),
      await governed.ask('get_node_info', { nodeUuid: 'nothing' }),
      await governed.ask('get_node_info', {}),
      await governed.ask('set_node_position', { nodeUuid: 'lamp', position }),
      await governed.ask('set_node_position', { nodeUuid: 'lamp', position, dryRun: true }),
    ];
    for (const answer of answers) {
      expect(Object.keys(answer)).toEqual(['success', 'data', 'error', 'meta']);
      expect(answer.success).toBe(answer.error === null);
      expect(answer.error?.code ?? 'E_NONE').toMatch(/^E_[A-Z_]+$/);
    }
  });

  test('one call can do what would take several: writes in a batch', async () => {
    await using governed = await startGoverned();
    const args = { nodeUuids: ['root', 'lamp'], name: 'Same' };
    expect(dataOf(await governed.ask('update_node_names', args))['succeeded']).toHaveLength(2);
  });
});

describe('HTTP', () => {
  test('POST takes one message; a batch is -32600', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url);
    const { message } = await session.post([request(5, 'tools/list')]);
    expect(message).toMatchObject({ error: { code: -32600 } });
  });

  test('GET with Accept: text/event-stream opens an event stream', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url);
    const stream = await session.listen();
    expect(stream.headers['content-type']).toContain('text/event-stream');
    stream.close();
  });

  test('every request but initialize names a session, or is 400', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    expect((await initialize(served.url)).status).toBe(200);
    const list = request(2, 'tools/list');
    expect((await post(served.url, list)).status).toBe(400);
    expect((await post(served.url, list, { 'mcp-session-id': 'made-up' })).status).toBe(400);
  });

  test('DELETE ends the session', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url);
    expect((await session.delete()).status).toBe(204);
    expect((await session.request('tools/list')).status).toBe(400);
  });
});

describe('life of a session', () => {
  test('the first request is initialize, with an id', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const { id: _id, ...unnumbered } = request(1, 'initialize', {});
    const body = { ...unnumbered, jsonrpc: '2.0' };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    expect((await send(served.url, { body, headers })).status).toBe(400);
  });

  test('notifications/initialized makes the session ready', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url, { ready: false });
    expect((await session.post(notification('notifications/initialized'))).status).toBe(202);
    expect((await session.request('tools/list')).message).toHaveProperty('result');
  });

  test('before that, business methods are -32600', async () => {
    await using served = await serving(createGoverned().server, { profile: 'v2' });
    const session = await startSession(served.url, { ready: false });
    const call = { name: 'get_node_info', arguments: { nodeUuid: 'lamp' } };
    const { message } = await session.request('tools/call', call);
    expect(message).toMatchObject({ error: { code: -32600 } });
  });
});

describe('stdio', () => {
  const todo = (): Child =>
    new Child(process.execPath, [path.join(root, 'examples/todo-store.mjs')]);
  const ask = (id: number): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: {} });

  test('a message is a line, and so is its answer', async () => {
    await using child = todo();
    child.process.stdin.end(`${ask(1)}\n${ask(2)}\n`);
    expect(await child.ended).toMatchObject({ code: 0 });
    const lines = child.stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
  });

  test('there are no Content-Length headers: one is a line that is no message', async () => {
    await using child = todo();
    child.process.stdin.end(`Content-Length: ${ask(1).length}\r\n\r\n${ask(1)}\n`);
    expect(await child.ended).toMatchObject({ code: 0 });
    expect(child.stdout).not.toContain('Content-Length:');
    const answers = child.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: number; error?: { code: number } });
    expect(answers.filter(({ error }) => error !== undefined)).toMatchObject([
      { error: { code: -32700 } },
    ]);
    expect(answers.filter(({ id }) => id === 1)).toHaveLength(1);
  });
});

describe('a set that is not governed', () => {
  const planned = tool({
    name: 'set_thing_state',
    description: 'Has a plan.',
    plan: () => ({ changes: [] }),
    apply() {},
  });

  test.each(['plain', 'envelope'] as const)(
    'that is %s refuses tools with a plan: nothing would keep a dry run from being done',
    (contract) => {
      expect(() => toolSet([planned], { contract })).toThrow(/its set must be governed/);
    },
  );
});
