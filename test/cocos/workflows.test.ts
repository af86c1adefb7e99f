import { parseTable } from '@mcp-kit/cocos/document';
import type { Envelope } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, world } from '../support/cocos/world-client.ts';

const scene = 'assets/scenes/main.scene';

newWorldForEach();

const succeed = (name: string, args: object): Promise<Record<string, unknown>> =>
  client.succeed(name, args);

/** The failure of a call that must leave everything as it is. */
async function refused(name: string, args: object): Promise<NonNullable<Envelope['error']>> {
  const before = world.snapshot();
  const error = await client.fail(name, args);
  expect(world.snapshot()).toEqual(before);
  return error;
}

/** Tries a workflow: no byte changes, and the plan is then done as told. */
async function tryThenDo(name: string, args: object): Promise<Record<string, unknown>> {
  const before = world.snapshot();
  const tried = await succeed(name, { ...args, dryRun: true });
  expect(world.snapshot()).toEqual(before);
  const done = await succeed(name, { ...args, planToken: tried['planToken'] });
  expect(done['changes']).toEqual(tried['changes']);
  return done;
}

const statusesOf = (data: Record<string, unknown>): unknown =>
  (data['stages'] as { stage: string; status: string }[]).map(({ stage, status }) => [
    stage,
    status,
  ]);

async function undoRestores(before: Record<string, string>): Promise<void> {
  await succeed('execute_project_undo', {});
  expect(world.snapshot()).toEqual(before);
}

describe('workflow_create_ui_node_with_components', () => {
  const name = 'workflow_create_ui_node_with_components';

  test('creates a node with components, and undo takes all of it back at once', async () => {
    const before = world.snapshot();
    const done = await tryThenDo(name, {
      scenePath: scene,
      parentUuid: 'Canvas',
      name: 'Banner',
      components: ['cc.UITransform', 'cc.Sprite', { type: 'cc.Widget', properties: { top: 20 } }],
      size: { width: 300, height: 80 },
    });
    expect(statusesOf(done)).toEqual([
      ['create_node', 'applied'],
      ['add_components', 'applied'],
      ['save', 'applied'],
    ]);
    expect(done['appliedComponents']).toMatchObject([
      { type: 'cc.UITransform' },
      { type: 'cc.Sprite' },
      { type: 'cc.Widget' },
    ]);
    const node = await succeed('get_node_info', { scenePath: scene, nodeUuid: done['nodeUuid'] });
    expect(node).toMatchObject({
      path: 'Canvas/Banner',
      components: ['cc.UITransform', 'cc.Sprite', 'cc.Widget'],
      size: { width: 300, height: 80 },
    });
    await undoRestores(before);
  });

  test('makes the Canvas that is missing, where it may', async () => {
    await succeed('create_scene_asset', { assetPath: 'assets/scenes/bare.scene', empty: true });
    const done = await succeed(name, {
      scenePath: 'assets/scenes/bare.scene',
      parentUuid: '/',
      name: 'Score',
      components: [{ type: 'cc.Label', properties: { string: '0', color: '#ff0000' } }, 'Player'],
      createCanvas: true,
    });
    const found = await succeed('find_scene_nodes', {
      scenePath: 'assets/scenes/bare.scene',
      type: 'Player',
    });
    expect(found['nodes']).toMatchObject([{ nodeUuid: done['nodeUuid'], path: 'Canvas/Score' }]);
    expect(done['canvasUuid']).toEqual(expect.any(String));
  });

  test('fails in the stage that cannot be done, and writes nothing', async () => {
    const args = { scenePath: scene, parentUuid: 'Canvas', name: 'A' };
    const clash = await refused(name, { ...args, components: ['cc.Sprite', 'cc.Label'] });
    expect(clash).toMatchObject({ code: 'E_CONFLICT', stage: 'add_components' });
    const lost = await refused(name, { ...args, parentUuid: 'Canvas/Nowhere', components: [] });
    expect(lost).toMatchObject({ code: 'E_NOT_FOUND', stage: 'create_node' });
    expect(statusesOf(Object(lost.details))).toEqual([
      ['create_node', 'failed'],
      ['add_components', 'skipped'],
      ['save', 'skipped'],
    ]);
    const wrong = await refused(name, { parentUuid: 'Canvas' });
    expect(wrong).toMatchObject({ code: 'E_INVALID_ARGUMENT', stage: 'prepare' });
    expect(statusesOf(Object(wrong.details))).toEqual([
      ['create_node', 'skipped'],
      ['add_components', 'skipped'],
      ['save', 'skipped'],
    ]);
  });
});

describe('workflow_bind_script_to_node', () => {
  const name = 'workflow_bind_script_to_node';

  test('attaches a script and sets properties of all kinds', async () => {
    const before = world.snapshot();
    const done = await tryThenDo(name, {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'db://assets/scripts/menu.ts',
      properties: {
        panel: 'Canvas/Menu/Start',
        heading: 'Canvas/Menu/Title',
        icon: 'assets/images/logo.png',
      },
    });
    expect(done).toMatchObject({
      type: 'Menu',
      attached: true,
      appliedProperties: ['panel', 'heading', 'icon'],
    });
    const { components } = await succeed('list_node_components', {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu',
      type: 'Menu',
    });
    const start = await succeed('get_node_info', {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu/Start',
    });
    expect(components).toMatchObject([
      {
        componentUuid: done['componentUuid'],
        properties: {
          panel: start['nodeUuid'],
          icon: 'db://assets/images/logo.png/spriteFrame',
        },
      },
    ]);
    await undoRestores(before);
  });

  test('takes the script that is there, and changes nothing the second time', async () => {
    const args = {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'Player',
      properties: { speed: 7 },
    };
    const first = await succeed(name, args);
    const before = world.snapshot();
    const second = await succeed(name, args);
    expect(second).toMatchObject({
      componentUuid: first['componentUuid'],
      attached: false,
      changes: [],
    });
    expect(world.snapshot()).toEqual(before);
  });

  test('refuses properties that the source does not have', async () => {
    const error = await refused(name, {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'assets/scripts/player.ts',
      properties: { speed: 1, sped: 2 },
    });
    expect(error).toMatchObject({ code: 'E_INVALID_ARGUMENT', stage: 'set_properties' });
    expect(error.suggestion).toContain('speed');
  });
});

describe('workflow_safe_set_transform', () => {
  const name = 'workflow_safe_set_transform';

  test('sets what is given and tells what was and what is', async () => {
    const before = world.snapshot();
    const done = await tryThenDo(name, {
      scenePath: scene,
      nodeUuid: 'Canvas/Menu',
      position: { x: 12.5 },
      rotation: { z: 30 },
    });
    expect(done).toMatchObject({
      before: { position: { x: 0, y: 0, z: 0 }, rotation: { z: 0 } },
      after: { position: { x: 12.5, y: 0, z: 0 }, rotation: { z: 30 }, scale: { x: 1 } },
      warnings: [],
    });
    expect(statusesOf(done)).toEqual([
      ['read_before', 'applied'],
      ['set_transform', 'applied'],
      ['read_after', 'applied'],
    ]);
    await undoRestores(before);
  });

  test('warns of what a 2D node does not heed; inside an instance it writes overrides', async () => {
    const done = await succeed(name, {
      scenePath: scene,
      nodeUuid: 'Canvas/Item/Icon',
      position: { x: 1, z: 5 },
      scale: { x: 0 },
    });
    expect(done['warnings']).toHaveLength(2);
    const { overrides } = await succeed('list_prefab_overrides', {
      scenePath: scene,
      nodeUuid: 'Canvas/Item',
    });
    expect(overrides).toEqual(
      expect.arrayContaining([expect.objectContaining({ property: 'scale' })]),
    );
  });

  test('refuses warnings where they must not be, the scene itself, and nothing at all', async () => {
    const args = { scenePath: scene, nodeUuid: 'Canvas/Menu' };
    const warned = await refused(name, { ...args, scale: { x: 0 }, failOnWarnings: true });
    expect(warned).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'set_transform' });
    const root = await refused(name, { ...args, nodeUuid: '/', scale: { x: 2 } });
    expect(root).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'set_transform' });
    expect(await refused(name, args)).toMatchObject({ code: 'E_INVALID_ARGUMENT' });
  });
});

describe('workflow_import_and_assign_sprite', () => {
  const name = 'workflow_import_and_assign_sprite';

  test('imports an image with its folder and shows it', async () => {
    const before = world.snapshot();
    const done = await tryThenDo(name, {
      scenePath: scene,
      sourcePath: 'art/coin.png',
      targetNodeUuid: 'Canvas/Menu',
      targetFolder: 'db://assets/ui/coins',
      sizeMode: 'RAW',
    });
    expect(done).toMatchObject({ assetPath: 'assets/ui/coins/coin.png', reused: false });
    expect(done['spriteFrameUuid']).toBe(`${String(done['assetUuid'])}@f9941`);
    const node = await succeed('get_node_info', { scenePath: scene, nodeUuid: 'Canvas/Menu' });
    expect(node).toMatchObject({ size: { width: 12, height: 10 } });
    const { usedBy } = await succeed('get_asset_info', { assetPath: 'assets/ui/coins/coin.png' });
    expect(usedBy).toEqual([scene]);
    await undoRestores(before);
  });

  test('takes the same image again, and keeps the uuid of one that changed', async () => {
    const args = {
      scenePath: scene,
      sourcePath: 'art/logo.png',
      targetNodeUuid: 'Canvas/Menu/Logo',
    };
    const same = await succeed(name, args);
    expect(same).toMatchObject({ assetPath: 'assets/images/logo.png', reused: true });
    world.write('art/logo.png', Buffer.from(world.snapshot()['art/coin.png'] ?? '', 'base64'));
    const changed = await succeed(name, args);
    expect(changed).toMatchObject({ assetUuid: same['assetUuid'], reused: false });
  });

  test('leaves no image behind where the node cannot show it', async () => {
    const error = await refused(name, {
      scenePath: scene,
      sourcePath: 'art/coin.png',
      targetNodeUuid: 'Canvas/Menu/Title',
    });
    expect(error).toMatchObject({ code: 'E_CONFLICT', stage: 'assign_sprite' });
    const missing = { scenePath: scene, sourcePath: 'art/no.png', targetNodeUuid: 'Canvas/Menu' };
    expect(await refused(name, missing)).toMatchObject({
      code: 'E_NOT_FOUND',
      stage: 'import_image',
    });
  });
});

describe('workflow_open_scene_and_validate', () => {
  const name = 'workflow_open_scene_and_validate';

  test('opens a sound scene, which tools then mean', async () => {
    const before = world.snapshot();
    const tried = await succeed(name, { scenePath: scene, dryRun: true });
    expect(tried['changes']).toMatchObject([{ target: 'open scene', from: null, to: scene }]);
    expect(tried['validationReport']).toMatchObject({ isValid: true, counts: { error: 0 } });
    expect(statusesOf(tried)).toEqual([
      ['open_scene', 'planned'],
      ['validate_scene', 'planned'],
    ]);
    expect(await client.fail('get_scene_tree')).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    const done = await succeed(name, { scenePath: scene });
    expect(done['validationReport']).toMatchObject({ isValid: true, counts: { error: 0 } });
    expect(await succeed('get_scene_tree', {})).toMatchObject({ scenePath: scene });
    expect(world.snapshot()).toEqual(before);
  });

  test('tells what is wrong, and leaves out what was not asked for', async () => {
    const torn = { scenePath: 'assets/scenes/torn.scene' };
    const { validationReport } = await succeed(name, torn);
    expect(validationReport).toMatchObject({ isValid: false });
    expect((validationReport as { findings: object[] }).findings).toContainEqual(
      expect.objectContaining({ code: 'missingAsset', severity: 'error' }),
    );
    const lenient = await succeed(name, { ...torn, checkMissingAssets: false });
    expect(lenient['validationReport']).toMatchObject({ isValid: true });
  });

  test('leaves open what was open where there are errors that must not be', async () => {
    await succeed(name, { scenePath: scene });
    const error = await refused(name, {
      scenePath: 'assets/scenes/torn.scene',
      failOnErrors: true,
    });
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'validate_scene' });
    expect(await succeed('get_project_info', {})).toMatchObject({ currentScene: scene });
    const missing = await refused(name, { scenePath: 'assets/none.scene' });
    expect(missing).toMatchObject({ code: 'E_NOT_FOUND', stage: 'open_scene' });
  });
});

describe('workflow_create_or_update_prefab_instance', () => {
  const name = 'workflow_create_or_update_prefab_instance';
  const prefabPath = 'assets/prefabs/item.prefab';

  test('puts a linked instance into the scene, with what it has of its own', async () => {
    const before = world.snapshot();
    const done = await tryThenDo(name, {
      scenePath: scene,
      prefabPath,
      parentUuid: 'Canvas/Menu',
      name: 'Shield',
      position: { x: 50, y: 5 },
      overrides: [
        { targetUuid: 'Text:cc.Label', property: 'string', value: 'Shield' },
        { targetUuid: 'Icon', property: 'active', value: false },
      ],
    });
    expect(done).toMatchObject({ action: 'created', diffSummary: { changed: [], removed: [] } });
    expect((done['diffSummary'] as { added: string[] }).added).toHaveLength(2);
    const node = await succeed('get_node_info', { scenePath: scene, nodeUuid: done['nodeUuid'] });
    expect(node).toMatchObject({ path: 'Canvas/Menu/Shield', prefab: prefabPath });
    const table = parseTable(world.read(scene), scene);
    const root = table.objects.find(
      (entry) => entry?.['__type__'] === 'cc.PrefabInfo' && entry['asset'] === null,
    );
    expect(root?.['nestedPrefabInstanceRoots']).toHaveLength(3);
    await undoRestores(before);
  });

  test('updates one that is there, and tells the difference', async () => {
    const done = await tryThenDo(name, {
      scenePath: scene,
      prefabPath: 'db://assets/prefabs/item.prefab',
      nodeUuid: 'Canvas/Item',
      revert: true,
      position: { x: 5 },
      overrides: [{ property: 'active', value: false }],
    });
    expect(done).toMatchObject({ action: 'updated' });
    const { added, changed, removed } = done['diffSummary'] as Record<string, string[]>;
    expect([added?.length, changed?.length, removed?.length]).toEqual([1, 1, 1]);
  });

  test('refuses what is no instance, or one of another prefab', async () => {
    const plain = await refused(name, { scenePath: scene, prefabPath, nodeUuid: 'Canvas/Menu' });
    expect(plain).toMatchObject({ code: 'E_PRECONDITION_FAILED', stage: 'set_overrides' });
    const other = {
      scenePath: scene,
      prefabPath: 'assets/prefabs/other.prefab',
      nodeUuid: 'Canvas/Item',
    };
    expect(await refused(name, other)).toMatchObject({ code: 'E_CONFLICT' });
  });
});
