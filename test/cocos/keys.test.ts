import { setTimeout as sleep } from 'node:timers/promises';
import { openHeadless } from '@mcp-kit/cocos/backend';
import { openCocosServer, type CocosServerOptions } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callAndDie, untilKnown } from '../support/cocos/killed.ts';
import { CocosWorld } from '../support/cocos/world.ts';

// Each test opens several servers.
vi.setConfig({ testTimeout: 60_000 });

const scenePath = 'assets/scenes/main.scene';
const node = { scenePath, parentUuid: 'Canvas', name: 'Chair' };

let world: CocosWorld;

beforeEach(() => {
  world = new CocosWorld();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

/** A server for the project of its own, as a process of its own would have it. */
async function serve(governance: CocosServerOptions['governance'] = {}) {
  const cocos = await openCocosServer({
    project: world.folder,
    governance: { visible: ['core', 'advanced'], ...governance },
  });
  const session = await openSession(memoryTarget(cocos.server));
  return {
    ask: async (name: string, args: object): Promise<Envelope> =>
      (await session.callTool(name, { ...args })).structuredContent as Envelope,
    async [Symbol.asyncDispose]() {
      await session.close();
      await cocos[Symbol.asyncDispose]();
    },
  };
}

/** The uuids of the nodes of a name. */
async function named(name: string): Promise<string[]> {
  await using backend = await openHeadless(world.folder);
  const found = await backend.findNodes(scenePath, { name });
  return found.map(({ nodeUuid }) => nodeUuid);
}

describe('A key that is used again', () => {
  test.each([
    ['create_scene_node', node],
    ['execute_scene_edits', { edits: [{ tool: 'create_scene_node', arguments: node }] }],
    ['workflow_create_ui_node_with_components', { ...node, components: ['cc.Sprite'] }],
  ])('after a restart gets the answer of %s, and nothing is done', async (tool, args) => {
    const keyed = { ...args, idempotencyKey: 'k' };
    let first: Envelope;
    {
      await using one = await serve();
      first = await one.ask(tool, keyed);
      expect(first.error).toBeNull();
    }
    const before = world.snapshot();
    await using two = await serve();
    const second = await two.ask(tool, keyed);
    expect(second).toMatchObject({ success: true, meta: { replayed: true } });
    expect(second.data).toEqual(first.data);
    const other = await two.ask(tool, { ...keyed, scenePath: 'assets/scenes/broken.scene' });
    expect(other.error).toMatchObject({ code: 'E_CONFLICT' });
    expect(world.snapshot()).toEqual(before);
    expect(await named('Chair')).toHaveLength(1);
  });

  test('by two servers at the same time is done once', async () => {
    await using one = await serve();
    await using two = await serve();
    const keyed = { ...node, idempotencyKey: 'k' };
    const answers = await Promise.all(
      [one, two, one, two].map((server) => server.ask('create_scene_node', keyed)),
    );
    const done = answers.filter(({ success }) => success);
    expect(done.length).toBeGreaterThan(0);
    for (const { error } of answers.filter(({ success }) => !success)) {
      expect(error).toMatchObject({ code: 'E_CONFLICT', retryable: true });
    }
    expect(new Set(done.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(await named('Chair')).toHaveLength(1);
  });

  test.each([
    ['create_scene_node', node],
    ['workflow_create_ui_node_with_components', { ...node, components: ['cc.Sprite'] }],
  ])('after what %s did was undone is told so, and nothing is done', async (tool, args) => {
    const keyed = { ...args, idempotencyKey: 'k' };
    await using one = await serve();
    expect(await one.ask(tool, keyed)).toMatchObject({ success: true });
    const undo = { idempotencyKey: 'u' };
    expect(await one.ask('execute_project_undo', undo)).toMatchObject({ success: true });
    expect(await one.ask('execute_project_undo', undo)).toMatchObject({
      success: true,
      meta: { replayed: true },
    });
    await using two = await serve();
    for (const server of [one, two, two]) {
      const { error } = await server.ask(tool, keyed);
      expect(error).toMatchObject({
        code: 'E_CONFLICT',
        message: expect.stringContaining('undone'),
        suggestion: expect.stringContaining('new key'),
      });
    }
    expect(await named('Chair')).toEqual([]);
    expect(await two.ask(tool, { ...keyed, idempotencyKey: 'other' })).toMatchObject({
      success: true,
    });
    expect(await named('Chair')).toHaveLength(1);
  });

  test('when nobody knows it any more makes something else, with ids of its own', async () => {
    await using one = await serve({ idempotency: { keepMs: 30 } });
    const made = async (tool: string, args: object): Promise<Record<string, unknown>> => {
      const { data, error, meta } = await one.ask(tool, { ...args, idempotencyKey: 'k' });
      expect(error).toBeNull();
      expect(meta).not.toHaveProperty('replayed');
      await sleep(40);
      return data as Record<string, unknown>;
    };
    const first = await made('create_scene_node', node);
    const second = await made('create_scene_node', node);
    expect(second['nodeUuid']).not.toBe(first['nodeUuid']);
    expect(new Set(await named('Chair')).size).toBe(2);
    const scenes = [
      await made('create_scene_asset', { assetPath: 'assets/a.scene' }),
      await made('create_scene_asset', { assetPath: 'assets/b.scene' }),
    ];
    expect(new Set(scenes.map(({ assetUuid }) => assetUuid)).size).toBe(2);
  });
});

test('A dry run with a key tells the ids that the call with the key makes', async () => {
  await using one = await serve();
  const args = { ...node, idempotencyKey: 'chair' };
  const tried = await one.ask('create_scene_node', { ...args, dryRun: true });
  const { nodeUuid } = tried.data as { nodeUuid: string };
  const others = await Promise.all([
    one.ask('create_scene_node', { ...args, dryRun: true, name: 'Table' }),
    one.ask('create_scene_node', { ...args, dryRun: true, idempotencyKey: 'another' }),
    one.ask('create_scene_node', { ...node, dryRun: true }),
  ]);
  for (const { data } of others) expect(data).not.toMatchObject({ nodeUuid });
  for (const replayed of [undefined, true]) {
    const { data, meta } = await one.ask('create_scene_node', args);
    expect(data).toMatchObject({ nodeUuid });
    expect(meta.replayed).toBe(replayed);
  }
  expect(await named('Chair')).toEqual([nodeUuid]);
});

test('A plan is applied once, with the ids that it told, whoever applies it', async () => {
  const plans = { keys: [Buffer.alloc(32, 7)] };
  await using one = await serve({ plans });
  await using two = await serve({ plans });
  const tried = (await one.ask('create_scene_node', { ...node, dryRun: true })).data as {
    planToken: string;
    nodeUuid: string;
  };
  const args = { ...node, planToken: tried.planToken };
  expect((await two.ask('create_scene_node', args)).data).toMatchObject({
    nodeUuid: tried.nodeUuid,
  });
  expect((await two.ask('execute_project_undo', {})).success).toBe(true);
  for (const server of [one, two]) {
    expect((await server.ask('create_scene_node', args)).error).toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'used' },
    });
  }
  expect(await named('Chair')).toEqual([]);
});

test.each([
  ['before it is begun', 'write journal.json'],
  ['when it is begun', '.applying'],
  ['before the first file is replaced', `replace ${scenePath}`],
  ['when all is in place, and nobody knows yet', '.done'],
])('A process killed %s leaves neither the change nor the key', async (_when, step) => {
  const args = { ...node, idempotencyKey: 'k' };
  expect(await callAndDie(world.folder, { tool: 'create_scene_node', args, step })).toBe('killed');
  expect(await named('Chair')).toEqual([]);
  await using one = await serve();
  const { data, meta } = await untilKnown(() => one.ask('create_scene_node', args));
  expect(meta).not.toHaveProperty('replayed');
  expect(await named('Chair')).toEqual([(data as { nodeUuid: string }).nodeUuid]);
});
