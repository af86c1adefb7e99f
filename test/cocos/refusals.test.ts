import { openHeadless } from '@mcp-kit/cocos/backend';
import { openProject } from '@mcp-kit/cocos/project';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HeadlessBackend } from '../../packages/cocos/src/backend/headless-backend.ts';
import { connectCocos, type CocosClient } from '../support/cocos/client.ts';
import { client, newWorldForEach, world } from '../support/cocos/world-client.ts';

const scenePath = 'assets/scenes/main.scene';

newWorldForEach(scenePath);

describe('a new asset is refused', () => {
  test.each([
    ['without a name', 'assets/.scene'],
    ['that the editor overlooks', 'assets/.hidden.scene'],
    ['in a folder that the editor overlooks', 'assets/.drafts/a.scene'],
    ['that some systems cannot hold', 'assets/a:b.scene'],
    ['with a line break', 'assets/a\nb.scene'],
    ['in a folder that ends in a dot', 'assets/a./b.scene'],
    ['with a name that is too long', `assets/${'n'.repeat(300)}.scene`],
    ['with a name of too many bytes', `assets/${'名'.repeat(90)}.scene`],
    ['at a path that is too long', `assets/${'long/'.repeat(2000)}a.scene`],
  ])('%s', async (_, assetPath) => {
    const before = world.snapshot();
    const error = await client.fail('create_scene_asset', { assetPath });
    expect(error.code).toBe('E_INVALID_ARGUMENT');
    expect(error.suggestion).toMatch(/^(?:Choose a|Use a path)/);
    expect(world.snapshot()).toEqual(before);
  });

  test.each([
    ['create_scene_asset', { assetPath: 'assets/scenes/Main.scene' }],
    ['create_scene_asset', { assetPath: 'assets/SCENES/other.scene' }],
    ['create_asset_folder', { assetPath: 'assets/Scenes' }],
    ['create_asset_image', { sourcePath: 'art/coin.png', assetPath: 'assets/images/LOGO.png' }],
    [
      'move_asset_file',
      { assetPath: 'assets/scripts/player.ts', targetPath: 'assets/scripts/MENU.ts' },
    ],
  ])('that others see as one that is there: %s %j', async (tool, args) => {
    const before = world.snapshot();
    expect((await client.fail(tool, args)).code).toBe('E_CONFLICT');
    expect(world.snapshot()).toEqual(before);
  });

  test('also where it is an image', async () => {
    const image = { sourcePath: 'art/coin.png', assetPath: 'assets/.coin.png' };
    expect(await client.fail('create_asset_image', image)).toMatchObject({
      code: 'E_INVALID_ARGUMENT',
      message: 'An asset cannot be called ".coin.png".',
    });
  });
});

describe('a raw value is refused', () => {
  test.each<[string, string, unknown]>([
    ['a number as a name', '_name', 5],
    ['a text as a number', '_lpos.x', '5'],
    ['a number as a vector', '_lpos', 5],
    ['nothing as a vector', '_lpos', null],
    ['a size as a vector', '_lpos', { __type__: 'cc.Size', width: 1, height: 1 }],
    ['a vector without its class', '_lpos', { x: 1, y: 1, z: 1 }],
  ])('where it would be %s', async (_, property, value) => {
    const before = world.snapshot();
    const args = { targetUuid: 'Canvas/Menu', property, value };
    const error = await client.fail('set_scene_value', args);
    expect(error.code).toBe('E_INVALID_ARGUMENT');
    expect(error.suggestion).toMatch(/^Give a value like the one that is there: /);
    expect(world.snapshot()).toEqual(before);
  });

  test('but not where it is of the kind that is there, or nothing is', async () => {
    const vector = { __type__: 'cc.Vec3', x: 1, y: 2, z: 3 };
    for (const [property, value] of [
      ['_lpos', vector],
      ['_lpos.x', 7],
      ['note', 'new'],
    ] as const) {
      await client.succeed('set_scene_value', { targetUuid: 'Canvas/Menu', property, value });
    }
    const { components } = await client.succeed('list_node_components', {
      nodeUuid: 'Canvas/Menu/Logo',
      type: 'cc.Sprite',
    });
    const [{ componentUuid: targetUuid }] = components as [{ componentUuid: string }];
    await client.succeed('set_scene_value', { targetUuid, property: '_spriteFrame', value: null });
  });
});

describe('a failure says', () => {
  test('which file is not JSON, and what to do about it', async () => {
    world.write(scenePath, `<<<<<<< HEAD\n${world.read(scenePath)}`);
    const error = await client.fail('get_scene_tree', { scenePath });
    expect(error.code).toBe('E_INVALID_ARGUMENT');
    expect(error.message).toMatch(/^assets\/scenes\/main\.scene is not JSON: /);
    expect(error.suggestion).toContain('merge conflict');
  });

  test('for whose sake a component was to be added that does not go with the node', async () => {
    const source = `
import { _decorator, Component, Sprite } from 'cc';
const { ccclass, requireComponent } = _decorator;
@ccclass('Badge') @requireComponent(Sprite)
export class Badge extends Component {}
`;
    const meta = JSON.parse(world.read('assets/scripts/player.ts.meta')) as object;
    const uuid = 'b4d9e000-0000-4000-8000-00000000b4d9';
    world.write('assets/scripts/badge.ts', source);
    world.write('assets/scripts/badge.ts.meta', JSON.stringify({ ...meta, uuid }, null, 2));
    const args = { nodeUuid: 'Canvas/Menu/Title', type: 'Badge' };
    expect(await client.fail('create_node_component', args)).toMatchObject({
      code: 'E_CONFLICT',
      message:
        'Badge needs a cc.Sprite. The node is drawn by cc.Label; it cannot have a cc.Sprite, too.',
      suggestion: 'Add the Badge to a node that has a cc.Sprite, or to a new one.',
    });
  });

  test('the name of a class of the project, not its id', async () => {
    await client.succeed('create_node_component', { nodeUuid: 'Canvas/Menu', type: 'Player' });
    const args = { componentUuid: 'Canvas/Menu:Player', properties: { nope: 1 } };
    const error = await client.fail('set_component_properties', args);
    expect(error.message).toBe('Player has no property "nope".');
  });

  test('that flags may be several', async () => {
    const args = { componentUuid: 'Canvas:cc.Widget', properties: { alignFlags: 'TOP|LEFT' } };
    const error = await client.fail('set_component_properties', args);
    expect(error.message).toContain('TOP, MID, BOT, LEFT, CENTER, RIGHT, or an array of these');
  });
});

describe('writes of two servers on one project', () => {
  const create = (one: CocosClient, name: string): Promise<unknown> =>
    one.succeed('create_scene_node', {
      scenePath,
      parentUuid: 'Canvas/Menu',
      name,
      element: 'Empty',
    });

  test('all land', async () => {
    await using backend = await openHeadless(world.folder);
    await using other = await connectCocos(backend);
    const names = Array.from({ length: 16 }, (_, index) => `Slot${index}`);
    await Promise.all(names.map((name, index) => create(index % 2 === 0 ? client : other, name)));
    const { total } = await client.succeed('find_scene_nodes', { scenePath, name: 'Slot*' });
    expect(total).toBe(16);
  });

  test('land also when the other is always faster', async () => {
    const project = await openProject(world.folder);
    const commit = project.commit.bind(project);
    let overtaken = 0;
    vi.spyOn(project, 'commit').mockImplementation(async (...given) => {
      overtaken += 1;
      await create(client, `Slot${overtaken}`);
      return commit(...given);
    });
    await using backend = new HeadlessBackend(project);
    await using other = await connectCocos(backend);
    await create(other, 'Slot');
    const { total } = await client.succeed('find_scene_nodes', { scenePath, name: 'Slot*' });
    expect([overtaken, total]).toEqual([1, 2]);
  });
});

test('when the open scene is gone, edits do not go to another', async () => {
  const { scenes } = await client.succeed('get_project_info');
  const [, ...others] = (scenes as string[]).filter((scene) => scene !== scenePath);
  for (const assetPath of [...others, scenePath]) {
    await client.succeed('delete_asset_file', { assetPath, force: true });
  }
  expect(await client.succeed('get_project_info')).toMatchObject({ counts: { scenes: 1 } });
  const before = world.snapshot();
  const node = { parentUuid: '/', name: 'Ghost', element: 'Empty' };
  expect(await client.fail('create_scene_node', node)).toMatchObject({
    code: 'E_PRECONDITION_FAILED',
    message: 'No scene is open.',
  });
  expect(world.snapshot()).toEqual(before);
  await client.succeed('execute_project_undo');
  await client.succeed('create_scene_node', node);
});

describe('repairing', () => {
  test('and validating call what is wrong as people do, not by numbers', async () => {
    const objects = JSON.parse(world.read(scenePath)) as Record<string, unknown>[];
    const named = (name: string): Record<string, unknown> =>
      objects.find((entry) => entry['__type__'] === 'cc.Node' && entry['_name'] === name) ?? {};
    (named('Canvas')['_children'] as unknown[]).unshift(null);
    const menu = named('Menu');
    menu['_id'] = named('Canvas')['_id'];
    const [part] = menu['_components'] as { __id__: number }[];
    const type = String(objects[part?.__id__ ?? 0]?.['__type__']).replace(/^cc\./, '');
    menu['_components'] = (menu['_components'] as unknown[]).slice(1);
    world.write(scenePath, JSON.stringify(objects, null, 2));
    const { findings } = await client.succeed('validate_scene_document', { scenePath });
    const messages = (findings as { message: string }[]).map(({ message }) => message);
    expect(messages).toContain(
      `${type} of "Menu" names Node "Menu" as its node, which does not list it.`,
    );
    expect(messages.join()).not.toMatch(/#\d/);
    const { changes } = await client.succeed('execute_scene_repair', { scenePath, dryRun: true });
    expect((changes as { target: string }[]).map(({ target }) => target)).toEqual([
      'Canvas',
      'Canvas/Menu',
    ]);
  });

  test.each([
    ['is no JSON', '[{'],
    ['is no list of objects', '{}'],
    ['begins with something else', '[{"__type__":"cc.Node"}]'],
  ])('a file that %s fails, also when it is only tried', async (_, text) => {
    world.write(scenePath, text);
    for (const dryRun of [true, false]) {
      const error = await client.fail('execute_scene_repair', { scenePath, dryRun });
      expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
      expect(error.message).toContain('cannot be read');
    }
    expect(world.read(scenePath)).toBe(text);
  });
});

describe('a file whose meta is none', () => {
  test('is told from one that is not there', async () => {
    world.write('assets/images/bare.png', 'an image');
    world.write('assets/images/bare.png.meta', '{}');
    const bare = await client.fail('get_asset_info', { assetPath: 'assets/images/bare.png' });
    expect(bare).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(bare.message).toBe('The meta of "assets/images/bare.png" is none: it has no uuid.');
    const none = await client.fail('get_asset_info', { assetPath: 'assets/images/none.png' });
    expect(none.message).toBe('There is no asset "assets/images/none.png".');
    expect(none.suggestion).toMatch(/^Near it are .*assets\/images\/logo\.png/);
  });
});

describe('a Widget', () => {
  const widget = 'Canvas/Menu:cc.Widget';
  const set = (properties: object): object => ({ componentUuid: widget, properties });
  const flags = async (): Promise<unknown> => {
    const { components } = await client.succeed('list_node_components', {
      nodeUuid: 'Canvas/Menu',
    });
    return (components as { type: string; properties: Record<string, unknown> }[]).find(
      ({ type }) => type === 'cc.Widget',
    )?.properties['alignFlags'];
  };

  beforeEach(async () => {
    await client.succeed('create_node_component', {
      nodeUuid: 'Canvas/Menu',
      type: 'cc.Widget',
      properties: { isAlignTop: true, isAlignLeft: true, top: 5 },
    });
  });

  test('takes the names that scripts have for its sides', async () => {
    expect(await flags()).toEqual(['TOP', 'LEFT']);
    await client.succeed('set_component_properties', set({ isAlignHorizontalCenter: true }));
    expect(await flags()).toEqual(['TOP', 'CENTER']);
    const stretched = { isStretchWidth: true, isAlignTop: false };
    await client.succeed('set_component_properties', set(stretched));
    expect(await flags()).toEqual(['LEFT', 'RIGHT']);
  });

  test('has its sides by name in changes, too; as a number, only what has no name', async () => {
    const tell = async (properties: object): Promise<unknown> =>
      (await client.succeed('set_component_properties', set(properties)))['changes'];
    const change = { type: 'update', target: widget, field: 'alignFlags' };
    expect(await tell({ alignFlags: ['BOT', 'RIGHT'] })).toEqual([
      { ...change, from: ['TOP', 'LEFT'], to: ['BOT', 'RIGHT'] },
    ]);
    expect(await tell({ alignFlags: 0 })).toEqual([{ ...change, from: ['BOT', 'RIGHT'], to: [] }]);
    expect(await tell({ alignFlags: 65 })).toEqual([{ ...change, from: [], to: 65 }]);
  });

  test('refuses both names at once, other values, and tells of near names', async () => {
    const both = set({ alignFlags: ['TOP'], isAlignTop: true });
    expect((await client.fail('set_component_properties', both)).suggestion).toContain('one of');
    const number = set({ isAlignTop: 1 });
    expect((await client.fail('set_component_properties', number)).message).toContain('true');
    const wrong = set({ alignFlag: ['TOP'] });
    expect((await client.fail('set_component_properties', wrong)).suggestion).toMatch(
      /^Did you mean alignFlags\?/,
    );
  });
});

describe('an image that is renamed', () => {
  test('has parts that are called so, too, and is otherwise as it was', async () => {
    const before = world.read('assets/images/logo.png.meta');
    const move = { assetPath: 'assets/images/logo.png', targetPath: 'assets/images/badge.png' };
    await client.succeed('move_asset_file', move);
    const after = world.read('assets/images/badge.png.meta');
    expect(before).toContain('"displayName": "logo"');
    expect(after).toBe(before.replaceAll('"displayName": "logo"', '"displayName": "badge"'));
  });
});

describe('a tree of 6,000 levels', () => {
  test('is shown, looked at, drawn and edited', async () => {
    const objects = JSON.parse(world.read(scenePath)) as Record<string, unknown>[];
    const plain = objects.find((each) => each['_name'] === 'World') ?? {};
    const start = objects.length;
    for (let level = 0; level < 6000; level++) {
      const _parent = { __id__: level === 0 ? objects.indexOf(plain) : start + level - 1 };
      const _children = level === 5999 ? [] : [{ __id__: start + level + 1 }];
      const _id = `aa${String(level).padStart(20, '0')}`;
      objects.push({ ...plain, _name: 'N', _parent, _children, _id });
    }
    plain['_children'] = [{ __id__: start }];
    world.write(scenePath, JSON.stringify(objects, null, 2));
    const deep = `aa${String(5900).padStart(20, '0')}`;
    const tree = await client.succeed('get_scene_tree', { offset: 5900, limit: 10 });
    expect(String(tree['tree'])).toMatch(/\(level 58\d\d\) N \(/);
    await client.succeed('get_scene_tree', { nodeUuid: 'World', depth: 5 });
    await client.succeed('validate_scene_document');
    await client.succeed('get_scene_picture');
    await client.succeed('find_scene_nodes', { name: 'N', limit: 2 });
    await client.succeed('get_node_info', { nodeUuid: deep });
    await client.succeed('create_scene_node', { parentUuid: deep, name: 'Leaf' });
    await client.succeed('create_node_copy', { nodeUuid: deep, name: 'Copy' });
    const prefab = {
      nodeUuid: `aa${String(10).padStart(20, '0')}`,
      assetPath: 'assets/deep.prefab',
    };
    const { nodeUuid } = await client.succeed('create_prefab_asset', prefab);
    await client.succeed('execute_scene_repair', { dryRun: true });
    await client.succeed('execute_prefab_unpack', { nodeUuid });
    await client.succeed('delete_scene_node', { nodeUuid: 'World/N' });
  });
});
