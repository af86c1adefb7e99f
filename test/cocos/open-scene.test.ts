import { openCocosServer, type CocosServer } from '@mcp-kit/cocos/tools';
import { openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { memoryTarget } from 'mcp-kit/testing';
import type { Envelope } from 'mcp-kit/tools';
import { serveHttp, type HttpListening } from 'mcp-kit/transport/http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CocosWorld } from '../support/cocos/world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const main = 'assets/scenes/main.scene';
const other = 'assets/scenes/other.scene';

let world: CocosWorld;
let cocos: CocosServer;
let listening: HttpListening;
const sessions: Session[] = [];

beforeEach(async () => {
  world = new CocosWorld();
  cocos = await openCocosServer({
    project: world.folder,
    governance: { checkResults: true, visible: ['core', 'advanced'] },
  });
  listening = await serveHttp(cocos.server, { port: 0 });
  const ask = await connect('legacy');
  await ask('create_scene_asset', { assetPath: other });
});

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  await listening.close();
  await cocos[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

/** A client of its own: a session over HTTP, calls that stand alone, or a connection. */
async function connect(how: 'legacy' | 'modern' | 'connection') {
  const session =
    how === 'connection'
      ? await openSession(memoryTarget(cocos.server), { era: 'modern' })
      : await openSession(httpTarget(listening.url), { era: how });
  sessions.push(session);
  return async (name: string, args: object = {}): Promise<Envelope> =>
    (await session.callTool(name, { ...args })).structuredContent as Envelope;
}

const node = (name: string) => ({ name, element: 'Empty' });

describe('The open scene', () => {
  test.each(['legacy', 'connection'] as const)('belongs to a conversation (%s)', async (how) => {
    const one = await connect(how);
    const two = await connect(how);
    expect((await one('execute_scene_open', { scenePath: main })).data).toMatchObject({
      staysOpen: true,
    });
    expect(
      (await two('workflow_open_scene_and_validate', { scenePath: other })).data,
    ).toMatchObject({ scenePath: other, staysOpen: true });
    expect((await one('create_scene_node', node('Ours'))).data).toMatchObject({ scenePath: main });
    expect((await two('create_scene_node', node('Theirs'))).data).toMatchObject({
      scenePath: other,
    });
    expect((await one('get_project_info')).data).toMatchObject({ currentScene: main });
    expect((await two('get_project_info')).data).toMatchObject({ currentScene: other });
    expect((await one('find_scene_nodes', { name: 'Ours' })).data).toMatchObject({ total: 1 });
    expect((await two('find_scene_nodes', { name: 'Ours' })).data).toMatchObject({ total: 0 });
  });

  test('stays with it when its file is moved', async () => {
    const one = await connect('legacy');
    await one('execute_scene_open', { scenePath: main });
    await one('move_asset_file', { assetPath: main, targetPath: 'assets/moved.scene' });
    expect((await one('create_scene_node', node('Ours'))).data).toMatchObject({
      scenePath: 'assets/moved.scene',
    });
  });

  test('is none where calls stand alone: they name their scene', async () => {
    const one = await connect('modern');
    expect((await one('execute_scene_open', { scenePath: main })).data).toMatchObject({
      staysOpen: false,
    });
    const before = world.snapshot();
    const { error } = await one('create_scene_node', node('Ours'));
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', message: 'No scene is open.' });
    expect(error?.suggestion).toMatch(/^Name it in each call: scenePath, one of assets\/scenes\//);
    expect(world.snapshot()).toEqual(before);
    const named = { ...node('Ours'), scenePath: main };
    expect((await one('create_scene_node', named)).data).toMatchObject({ scenePath: main });
  });
});

describe('A write that names neither scene nor node', () => {
  test.each([
    ['create_scene_node', node('Lost')],
    ['create_scene_node', { ...node('Lost'), parentUuid: '/' }],
    ['create_prefab_instance', { assetPath: 'assets/prefabs/item.prefab' }],
    ['workflow_create_or_update_prefab_instance', { prefabPath: 'assets/prefabs/item.prefab' }],
    ['execute_scene_repair', {}],
    ['execute_scene_edits', { edits: [{ tool: 'create_scene_node', arguments: node('Lost') }] }],
  ])('is refused also where there is only one scene: %s %j', async (tool, args) => {
    const one = await connect('legacy');
    const { data } = await one('list_asset_files', { type: 'scene' });
    for (const { assetPath } of (data as { assets: { assetPath: string }[] }).assets) {
      if (assetPath !== main) await one('delete_asset_file', { assetPath, force: true });
    }
    const before = world.snapshot();
    expect((await one(tool, args)).error).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    expect(world.snapshot()).toEqual(before);
    const placed = { ...node('Found'), parentUuid: 'Canvas' };
    expect((await one('create_scene_node', placed)).data).toMatchObject({ scenePath: main });
  });
});

test('Every answer about a scene says which', async () => {
  const one = await connect('legacy');
  await one('execute_scene_open', { scenePath: main });
  const nodeUuid = 'Canvas/Menu';
  for (const [tool, args] of [
    ['get_scene_tree', {}],
    ['get_node_info', { nodeUuid }],
    ['find_scene_nodes', { name: 'Menu' }],
    ['list_node_components', { nodeUuid }],
    ['list_prefab_overrides', { nodeUuid: 'Canvas/Item' }],
    ['get_scene_picture', {}],
    ['validate_scene_document', {}],
    ['execute_scene_save', {}],
    ['execute_scene_repair', {}],
    ['update_node_info', { nodeUuid, active: false }],
    ['set_node_transform', { nodeUuid, position: { x: 1 } }],
    ['create_node_copy', { nodeUuid }],
    ['create_node_component', { nodeUuid, type: 'Player' }],
    ['execute_scene_edits', { edits: [{ tool: 'delete_scene_node', arguments: { nodeUuid } }] }],
    [
      'workflow_create_ui_node_with_components',
      { parentUuid: 'Canvas', name: 'A', components: [] },
    ],
    ['workflow_safe_set_transform', { nodeUuid: 'Canvas/A', position: { x: 2 } }],
    ['workflow_bind_script_to_node', { nodeUuid: 'Canvas/A', scriptPath: 'Player' }],
    ['workflow_create_or_update_prefab_instance', { prefabPath: 'assets/prefabs/item.prefab' }],
    [
      'workflow_import_and_assign_sprite',
      { sourcePath: 'art/coin.png', targetNodeUuid: 'Canvas/A' },
    ],
    ['delete_scene_node', { nodeUuid: 'Canvas/A' }],
  ] as const) {
    const { data, error } = await one(tool, args);
    expect({ tool, data, error }).toMatchObject({ tool, data: { scenePath: main }, error: null });
  }
});
