import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type CocosBackend,
  type Edit,
  type EditContext,
  openHeadless,
} from '@mcp-kit/cocos/backend';
import { CocosError } from '@mcp-kit/cocos/document';
import { readImage } from '@mcp-kit/cocos/images';
import { cocosTools, openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { lintTools } from 'mcp-kit/tools/inspect';
import { describe, expect, test } from 'vitest';
import { connectCocos } from '../support/cocos/client.ts';
import { client, newWorldForEach, nodePaths, world } from '../support/cocos/world-client.ts';
import { identityOf } from '../support/process-identity.ts';

const scene = 'assets/scenes/main.scene';

newWorldForEach(scene);

describe('the set of tools', () => {
  test('is as the linter wants it, in everything, and has at most 40 core tools', () => {
    const manifests = cocosTools(world.backend, { governance: { lint: 'off' } }).manifests();
    expect(lintTools(manifests)).toEqual([]);
    const core = manifests.filter(({ layer }) => layer === 'core');
    expect(core.length).toBeLessThanOrEqual(40);
  });
});

describe('get_scene_tree', () => {
  test('shows a line for each node, which other tools take by its short uuid', async () => {
    const { tree } = await client.succeed('get_scene_tree');
    const lines = String(tree).split('\n');
    expect(lines.map((line) => line.replace(/\([^) ]*\)/, '()'))).toEqual([
      'main ()',
      '  Canvas () [UITransform Canvas Widget]',
      '    Camera () [Camera]',
      '    Menu () [UITransform]',
      '      Title () [UITransform Label]',
      '      Start () [UITransform Sprite Button]',
      '        Label () [UITransform Label]',
      '      Logo () [UITransform Sprite]',
      '    Item () [UITransform] <assets/prefabs/item.prefab> (+2 children)',
      '    Other () [UITransform] <assets/prefabs/other.prefab>',
      '  World ()',
    ]);
    const short = /Title \((.{8})\)/.exec(String(tree))?.[1] ?? '';
    const title = await client.succeed('get_node_info', { nodeUuid: short });
    expect(title).toMatchObject({ path: 'Canvas/Menu/Title' });
    expect(String(title['nodeUuid']).startsWith(short)).toBe(true);
    const bound = await client.succeed('workflow_bind_script_to_node', {
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'Menu',
      properties: { panel: short },
    });
    expect(bound['appliedProperties']).toEqual(['panel']);
  });

  test('shows the inside of instances on request, and long trees in parts', async () => {
    const all = await client.succeed('get_scene_tree', { expandInstances: true });
    expect(all['tree']).toContain('Icon (');
    const first = await client.succeed('get_scene_tree', { limit: 4 });
    expect(first).toMatchObject({ total: 11, nextOffset: 4 });
    const rest = await client.succeed('get_scene_tree', { offset: 4 });
    const whole = await client.succeed('get_scene_tree');
    expect(`${String(first['tree'])}\n${String(rest['tree'])}`).toBe(whole['tree']);
  });
});

describe('lists', () => {
  test('find nodes by name, path, component and state', async () => {
    expect(await nodePaths({ name: 'TITLE' })).toEqual(['Canvas/Menu/Title']);
    expect(await nodePaths({ name: '*e', parentUuid: 'Canvas/Menu' })).toEqual([
      'Canvas/Menu/Title',
    ]);
    expect(await nodePaths({ path: 'Canvas/Menu/*', type: 'Sprite' })).toEqual([
      'Canvas/Menu/Start',
      'Canvas/Menu/Logo',
    ]);
    await client.succeed('update_node_info', { nodeUuid: 'Canvas/Item/Icon', active: false });
    expect(await nodePaths({ active: false })).toEqual(['Canvas/Item/Icon']);
  });

  test('go on where they stopped', async () => {
    const pages: unknown[] = [];
    let offset: unknown = 0;
    while (offset !== undefined && pages.length < 20) {
      const page = await client.succeed('list_asset_files', { offset, limit: 5 });
      pages.push(...(page['assets'] as unknown[]));
      offset = page['nextOffset'];
      expect(page['total']).toBeGreaterThan(10);
    }
    const all = await client.succeed('list_asset_files', { limit: 500 });
    expect(pages).toEqual(all['assets']);
  });

  test('tell the names of brothers apart', async () => {
    await client.succeed('create_node_copy', { nodeUuid: 'Canvas/Menu/Title' });
    expect(await nodePaths({ name: 'Title' })).toEqual([
      'Canvas/Menu/Title',
      'Canvas/Menu/Title[1]',
    ]);
  });
});

describe('writes', () => {
  test('that come at the same time all land', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `Slot${index}`);
    const made = await Promise.all(
      names.map((name) =>
        client.succeed('create_scene_node', { parentUuid: 'Canvas/Menu', name, element: 'Sprite' }),
      ),
    );
    expect((await nodePaths({ name: 'Slot*' })).toSorted()).toEqual(
      names.map((name) => `Canvas/Menu/${name}`),
    );
    expect(new Set(made.map(({ nodeUuid }) => nodeUuid)).size).toBe(8);
  });

  test('are done as they were tried, down to the ids, unless the scene changed since', async () => {
    const args = { parentUuid: 'Canvas', name: 'Panel', element: 'Button' };
    const tried = await client.succeed('create_scene_node', { ...args, dryRun: true });
    const other = await client.succeed('create_scene_node', { ...args, dryRun: true });
    const [change] = tried['changes'] as { target: string; to: string }[];
    expect(change?.target).toBe('Canvas/Panel');
    const made = await client.succeed('create_scene_node', {
      ...args,
      planToken: tried['planToken'],
    });
    expect(made['nodeUuid']).toBe(change?.to);
    const late = await client.fail('create_scene_node', { ...args, planToken: other['planToken'] });
    expect(late).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'stale' } });
  });

  test('that were tried are stale once anything they were made from is another', async () => {
    const args = { nodeUuid: 'Canvas/Menu/Title', active: false };
    const { planToken } = await client.succeed('update_node_info', { ...args, dryRun: true });
    await client.succeed('update_node_info', { nodeUuid: 'World', name: 'Room' });
    const late = await client.fail('update_node_info', { ...args, planToken });
    expect(late).toMatchObject({ code: 'E_CONFLICT', details: { reason: 'stale' } });
  });

  test('are undone one after the other, the last first', async () => {
    const before = world.snapshot();
    const first = await client.succeed('create_scene_node', { name: 'A' });
    const between = world.snapshot();
    const second = await client.succeed('create_scene_node', { name: 'B' });
    const early = { transactionId: first['transactionId'] };
    expect(await client.fail('execute_project_undo', early)).toMatchObject({
      code: 'E_PRECONDITION_FAILED',
    });
    expect(await client.succeed('execute_project_undo', { dryRun: true })).toMatchObject({
      undone: second['transactionId'],
      label: 'create_scene_node',
      changes: [{ type: 'update', target: scene }],
    });
    await client.succeed('execute_project_undo', { transactionId: second['transactionId'] });
    expect(world.snapshot()).toEqual(between);
    await client.succeed('execute_project_undo', early);
    expect(world.snapshot()).toEqual(before);
  });

  test('that change nothing write nothing', async () => {
    const before = world.snapshot();
    const same = await client.succeed('update_node_info', {
      nodeUuid: 'Canvas/Menu',
      active: true,
    });
    expect(same).toMatchObject({ changes: [] });
    expect(same).not.toHaveProperty('transactionId');
    expect(world.snapshot()).toEqual(before);
  });

  test('to a prefab are seen in the scenes that use it', async () => {
    await client.succeed('get_scene_tree', { expandInstances: true });
    await client.succeed('create_scene_node', {
      scenePath: 'assets/prefabs/item.prefab',
      name: 'Glow',
      element: 'Sprite',
    });
    expect(await nodePaths({ name: 'Glow' })).toEqual(['Canvas/Item/Glow']);
  });

  test('are refused while an editor has the project open', async () => {
    const folder = path.join(world.folder, 'local/mcp-kit');
    mkdirSync(folder, { recursive: true });
    const editor = { ...identityOf(process.ppid), url: 'http://127.0.0.1:1/mcp' };
    writeFileSync(path.join(folder, 'editor.json'), JSON.stringify(editor));
    const error = await client.fail('create_scene_node', { name: 'A' });
    expect(error).toMatchObject({ code: 'E_CONFLICT' });
    expect(error.suggestion).toContain(editor.url);
    expect(await client.succeed('get_project_info')).toMatchObject({ editorRunning: 'yes' });
  });
});

describe('references and events', () => {
  test('are set by path, and read back by uuid', async () => {
    await client.succeed('create_node_component', { nodeUuid: 'Canvas/Menu', type: 'Menu' });
    await client.succeed('set_component_properties', {
      componentUuid: 'Canvas/Menu/Start:cc.Button',
      properties: {
        clickEvents: [{ target: 'Canvas/Menu', component: 'Menu', handler: 'onStart' }],
        transition: 'SCALE',
      },
    });
    await client.succeed('set_component_properties', {
      componentUuid: 'Canvas/Menu/Start:cc.Button',
      properties: { 'clickEvents.0.customEventData': 'x' },
    });
    const menu = await client.succeed('get_node_info', { nodeUuid: 'Canvas/Menu' });
    const { components } = await client.succeed('list_node_components', {
      nodeUuid: 'Canvas/Menu/Start',
      type: 'cc.Button',
    });
    expect(components).toMatchObject([
      {
        properties: {
          transition: 'SCALE',
          clickEvents: [{ target: menu['nodeUuid'], handler: 'onStart', customEventData: 'x' }],
        },
      },
    ]);
    expect(await client.succeed('validate_scene_document')).toMatchObject({
      counts: { error: 0, warning: 0 },
    });
  });
});

/** The same backend but for what a test has it do. */
function altered(backend: CocosBackend, own: Partial<CocosBackend>): CocosBackend {
  return new Proxy(backend, {
    get: (target, name) => Reflect.get(own, name) ?? Reflect.get(target, name),
  });
}

describe('a workflow', () => {
  const args = { nodeUuid: 'Canvas/Menu', position: { x: 5 }, scenePath: scene };

  test('takes back its write when what is read afterwards is not what was written', async () => {
    const before = world.snapshot();
    const lying = altered(world.backend, {
      async node(document, node) {
        const reading = await world.backend.node(document, node);
        return { ...reading, position: { x: 0, y: 0, z: 0 } };
      },
    });
    await using other = await connectCocos(lying);
    const error = await other.fail('workflow_safe_set_transform', args);
    expect(error).toMatchObject({ code: 'E_INTERNAL', stage: 'read_after' });
    expect(error.details).toMatchObject({ notUndone: [] });
    expect(world.snapshot()).toEqual(before);
  });

  test('takes back a write that broke off after it was done', async () => {
    const before = world.snapshot();
    const breaking = altered(world.backend, {
      async plan(edits: readonly Edit[], context: EditContext) {
        const planned = await world.backend.plan(edits, context);
        const commit = async (label: string): Promise<never> => {
          await planned.commit(label);
          throw new CocosError('E_UNAVAILABLE', 'The connection was lost.');
        };
        return { ...planned, commit };
      },
    } as Partial<CocosBackend>);
    await using other = await connectCocos(breaking);
    const error = await other.fail('workflow_safe_set_transform', args);
    expect(error).toMatchObject({ code: 'E_UNAVAILABLE', stage: 'set_transform' });
    expect(world.snapshot()).toEqual(before);
    expect(await world.backend.history()).toEqual([]);
  });
});

describe('a scene that cannot be opened', () => {
  test('is told as a finding, and its asset is described all the same', async () => {
    world.write(scene, '[');
    const report = await client.succeed('validate_scene_document');
    expect(report).toMatchObject({ scenePath: scene, findings: [{ code: 'parse' }], total: 1 });
    const info = await client.succeed('get_asset_info', { assetPath: scene });
    expect(info).toMatchObject({ assetPath: scene, type: 'cc.SceneAsset' });
    expect(info).not.toHaveProperty('nodes');
    expect(await client.fail('get_scene_tree')).toMatchObject({ code: 'E_INVALID_ARGUMENT' });
  });
});

describe('get_scene_picture', () => {
  test('is an image to look at', async () => {
    await using cocos = await openCocosServer({ project: world.backend });
    await using session = await openSession(memoryTarget(cocos.server));
    const args = { scenePath: 'assets/scenes/main.scene', pixels: 300 };
    const { content, structuredContent } = await session.callTool('get_scene_picture', args);
    const [told, image] = content;
    expect(told).toMatchObject({ type: 'text', text: expect.stringContaining('main.scene') });
    if (image?.type !== 'image') throw new Error('there is no image');
    expect(image.mimeType).toBe('image/png');
    expect(readImage(Buffer.from(image.data, 'base64')).width).toBe(300);
    expect(JSON.stringify(structuredContent).length).toBeLessThan(1000);
  });

  test('is markup where that is wanted, with images only on request', async () => {
    const { svg } = await client.succeed('get_scene_picture', { format: 'svg' });
    expect(svg).toMatch(/^<svg/);
    expect(svg).not.toContain('data:image');
    const whole = await client.succeed('get_scene_picture', { format: 'svg', includeImages: true });
    expect(whole['svg']).toContain('data:image/png');
  });
});

describe('images', () => {
  test('are imported from the project and from folders that are named, and from nowhere else', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'cocos-images-'));
    try {
      const coin = path.join(elsewhere, 'coin.png');
      copyFileSync(path.join(world.folder, 'art/coin.png'), coin);
      symlinkSync(elsewhere, path.join(world.folder, 'linked'));
      for (const sourcePath of [coin, 'linked/coin.png', 'linked/none.png', '../coin.png']) {
        const image = { sourcePath, assetPath: 'assets/images/coin.png' };
        const error = await client.fail('create_asset_image', image);
        expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
        expect(error.suggestion).toContain('--image-folder');
      }
      await using backend = await openHeadless(world.folder, { imageFolders: [elsewhere] });
      await using other = await connectCocos(backend);
      const image = { sourcePath: coin, assetPath: 'assets/images/coin.png' };
      expect(await other.succeed('create_asset_image', image)).toMatchObject({ reused: false });
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});
