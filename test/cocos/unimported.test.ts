import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CocosBackend, openHeadless } from '@mcp-kit/cocos/backend';
import { scriptTypeOf } from '@mcp-kit/cocos/document';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CocosClient, connectCocos } from '../support/cocos/client.ts';
import { borderedPng } from '../support/cocos/game.ts';
import { ProjectCopy } from '../support/cocos/sample-project.ts';

const scenePath = 'assets/scenes/menu.scene';
const spinner = 'assets/scripts/spinner.ts';
const spinnerSource = `import { _decorator, Component, SpriteFrame } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('Spinner')
export class Spinner extends Component {
  @property speed = 90;
  @property(SpriteFrame) icon: SpriteFrame | null = null;
}
`;

let copy: ProjectCopy;
let backend: CocosBackend;
let client: CocosClient;

beforeEach(async () => {
  copy = new ProjectCopy();
  backend = await openHeadless(copy.folder);
  client = await connectCocos(backend);
  await client.succeed('execute_scene_open', { scenePath });
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
  copy[Symbol.dispose]();
});

function put(file: string, content: string | Uint8Array): void {
  const place = path.join(copy.folder, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
}

/** All files but what is kept for undoing, by path. */
function snapshot(): Record<string, string> {
  const entries = readdirSync(copy.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(copy.folder, file), readFileSync(file, 'base64')] as const;
  });
  return Object.fromEntries(found.filter(([name]) => !name.startsWith('local')));
}

const metaOf = (file: string): { uuid: string } & Record<string, unknown> =>
  JSON.parse(copy.read(`${file}.meta`)) as { uuid: string };

const add = { nodeUuid: 'Canvas/Title', type: 'Spinner', properties: { speed: 12 } };

describe('a script that was just written', () => {
  beforeEach(() => put(spinner, spinnerSource));

  test('is shown as what it is, and nothing is written', async () => {
    const before = snapshot();
    const { classes } = await client.succeed('list_component_classes');
    const shown = { name: 'Spinner', scriptPath: spinner, imported: false };
    expect(classes).toContainEqual({ ...shown, propertyNames: ['speed', 'icon'] });
    const one = await client.succeed('list_component_classes', { type: spinner });
    expect(one).toMatchObject({ classes: [{ ...shown, isComponent: true }] });
    expect(await client.read('list_component_classes')).toContain(
      `Spinner ${spinner}: speed, icon\n  not imported yet`,
    );
    const asset = { assetPath: spinner, type: 'cc.Script', imported: false };
    const { assets } = await client.succeed('list_asset_files', {
      type: 'script',
      name: 'spinner',
    });
    expect(assets).toMatchObject([asset]);
    const info = await client.succeed('get_asset_info', { assetPath: `db://${spinner}` });
    expect(info).toMatchObject({ ...asset, usedBy: [], uses: [] });
    expect(info).not.toHaveProperty('assetUuid');
    expect(snapshot()).toEqual(before);
  });

  test('counts among the assets, and is known to a call of the same moment', async () => {
    const { counts } = await client.succeed('get_project_info');
    await client.succeed('create_asset_meta', { assetPath: spinner });
    expect(await client.succeed('get_project_info')).toMatchObject({ counts });
    await backend.classOf('Spinner');
    put('assets/scripts/orbit.ts', spinnerSource.replaceAll('Spinner', 'Orbit'));
    expect(await backend.classOf('Orbit')).toMatchObject({ name: 'Orbit' });
    put('assets/scripts/orbit.ts', spinnerSource.replaceAll('Spinner', 'Circle'));
    expect(await backend.classOf('Circle')).toMatchObject({ name: 'Circle' });
  });

  test.each([
    ['its class', 'Spinner'],
    ['its path', spinner],
    ['its URL', `db://${spinner}`],
  ])('is added to a node by %s, and taken back', async (_, type) => {
    const before = snapshot();
    const dry = await client.succeed('create_node_component', { ...add, type, dryRun: true });
    const change = { type: 'create', target: `${spinner}.meta` };
    expect(dry['changes']).toContainEqual(change);
    expect(snapshot()).toEqual(before);
    const { planToken } = dry;
    const done = await client.succeed('create_node_component', { ...add, type, planToken });
    expect(done).toMatchObject({ type: 'Spinner', changes: dry['changes'] });
    const { uuid, ...meta } = metaOf(spinner);
    expect(meta).toEqual({
      ver: '4.0.24',
      importer: 'typescript',
      imported: true,
      files: [],
      subMetas: {},
      userData: {},
    });
    expect(copy.read(scenePath)).toContain(`"__type__": "${scriptTypeOf(uuid)}"`);
    const { components } = await client.succeed('list_node_components', {
      nodeUuid: 'Canvas/Title',
      type: 'Spinner',
    });
    expect(components).toMatchObject([{ properties: { speed: 12, icon: null } }]);
    const report = await client.succeed('validate_scene_document');
    expect(report).toMatchObject({ counts: { error: 0, warning: 0 } });
    const { classes } = await client.succeed('list_component_classes', { type: 'Spinner' });
    expect(classes).toMatchObject([{ assetUuid: uuid }]);
    await client.succeed('execute_project_undo');
    expect(snapshot()).toEqual(before);
    const again = await client.succeed('list_component_classes', { type: 'Spinner' });
    expect(again).toMatchObject({ classes: [{ imported: false }] });
  });

  test('is bound by the workflow, with the folder that it is in', async () => {
    put('assets/game/parts/orbit.ts', spinnerSource.replaceAll('Spinner', 'Orbit'));
    const bound = await client.succeed('workflow_bind_script_to_node', {
      nodeUuid: 'Canvas/Title',
      scriptPath: 'assets/game/parts/orbit.ts',
      properties: { icon: 'assets/textures/star.png' },
    });
    expect(bound).toMatchObject({ type: 'Orbit', attached: true, appliedProperties: ['icon'] });
    expect(bound['changes']).toMatchObject([
      { type: 'create', target: 'assets/game' },
      { type: 'create', target: 'assets/game/parts' },
      { type: 'create', target: 'assets/game/parts/orbit.ts.meta' },
      { type: 'create' },
      { type: 'update', field: 'icon' },
    ]);
    expect(metaOf('assets/game/parts')).toMatchObject({ importer: 'directory', userData: {} });
    const { counts } = await client.succeed('validate_project_assets');
    expect(counts).toMatchObject({ error: 0 });
  });

  test('is imported once by edits that are done together', async () => {
    const edits = ['Canvas/Title', 'Canvas'].map((nodeUuid) => ({
      tool: 'create_node_component',
      arguments: { nodeUuid, type: 'Spinner' },
    }));
    const { changes } = await client.succeed('execute_scene_edits', { edits });
    const made = (changes as { target: string }[]).filter(({ target }) => target.endsWith('meta'));
    expect(made).toEqual([{ type: 'create', target: `${spinner}.meta` }]);
  });

  test('brings another along that it requires, and inherits from one that it does not need', async () => {
    put('assets/scripts/base.ts', spinnerSource.replaceAll('Spinner', 'Base'));
    put('assets/scripts/motor.ts', spinnerSource.replaceAll('Spinner', 'Motor'));
    put(
      'assets/scripts/wheel.ts',
      `import { _decorator } from 'cc';
import { Base } from './base';
import { Motor } from './motor';
const { ccclass, property, requireComponent } = _decorator;
@ccclass('Wheel')
@requireComponent(Motor)
export class Wheel extends Base {
  @property teeth = 8;
}
`,
    );
    const { added } = await client.succeed('create_node_component', {
      nodeUuid: 'Canvas/Title',
      type: 'Wheel',
      properties: { speed: 3, teeth: 9 },
    });
    expect(added).toMatchObject([{ type: 'Motor' }, { type: 'Wheel' }]);
    const present = Object.keys(snapshot()).filter((name) =>
      /(base|motor|wheel)\.ts\.meta/.test(name),
    );
    expect(present).toEqual(['assets/scripts/motor.ts.meta', 'assets/scripts/wheel.ts.meta']);
  });

  test('does not make the name of one that is known unclear', async () => {
    put('assets/scripts/menu-copy.ts', copy.read('assets/scripts/menu-view.ts'));
    const { classes } = await client.succeed('list_component_classes', { type: 'MenuView' });
    expect(classes).toMatchObject([{ scriptPath: 'assets/scripts/menu-view.ts' }]);
  });

  test('is refused where it cannot be read, and stays as it is', async () => {
    put(spinner, 'export class Spinner extends {');
    const before = snapshot();
    for (const type of [spinner, 'Spinner']) {
      const error = await client.fail('create_node_component', { ...add, type });
      expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', details: { script: spinner } });
      expect(error.message).toContain('cannot be read');
    }
    expect(snapshot()).toEqual(before);
  });

  test('is refused where it has no component', async () => {
    put(spinner, 'export const a = 1;');
    const before = snapshot();
    const error = await client.fail('create_node_component', { ...add, type: spinner });
    expect(error).toMatchObject({ code: 'E_INVALID_ARGUMENT' });
    expect(error.message).toContain('is not a component');
    expect(snapshot()).toEqual(before);
  });

  test('is moved, and deleted, like any other', async () => {
    const before = snapshot();
    const moved = await client.succeed('move_asset_file', {
      assetPath: spinner,
      targetPath: 'assets/scripts/turner.ts',
    });
    expect(moved).toMatchObject({ assetPath: 'assets/scripts/turner.ts' });
    expect(metaOf('assets/scripts/turner.ts')).toMatchObject({ importer: 'typescript' });
    await client.succeed('execute_project_undo');
    expect(snapshot()).toEqual(before);
    const gone = await client.succeed('delete_asset_file', { assetPath: spinner });
    expect(gone).toMatchObject({ changes: [{ type: 'delete', target: spinner }] });
    expect(Object.keys(snapshot())).not.toContain(spinner);
    await client.succeed('execute_project_undo');
    expect(snapshot()).toEqual(before);
  });
});

describe('an image without a meta', () => {
  const icon = 'assets/textures/icon.png';
  beforeEach(() => put(icon, borderedPng(12, 10)));

  /** What importing the same image from elsewhere makes. */
  async function imported(): Promise<unknown> {
    put('art/icon.png', borderedPng(12, 10));
    const other = 'assets/other/icon.png';
    await client.succeed('create_asset_image', { sourcePath: 'art/icon.png', assetPath: other });
    return JSON.parse(copy.read(`${other}.meta`).replaceAll(metaOf(other).uuid, metaOf(icon).uuid));
  }

  test.each([
    ['its path', icon],
    ['its URL', `db://${icon}`],
    ['its sprite frame', `db://${icon}/spriteFrame`],
  ])('is shown by a sprite that names it by %s', async (_, spriteFrame) => {
    const { changes } = await client.succeed('create_node_component', {
      nodeUuid: 'Canvas',
      type: 'cc.Sprite',
      properties: { spriteFrame },
    });
    expect(changes).toContainEqual({ type: 'create', target: `${icon}.meta` });
    expect(copy.read(scenePath)).toContain(`"${metaOf(icon).uuid}@f9941"`);
    expect(metaOf(icon)).toEqual(await imported());
  });

  test.each([
    ['only its path', { assetPath: icon }],
    ['only where it is', { sourcePath: icon }],
    ['both, which are one', { sourcePath: `./${icon}`, assetPath: `db://${icon}` }],
  ])('is imported in place by %s', async (_, args) => {
    const before = snapshot();
    const made = await client.succeed('create_asset_image', args);
    expect(made).toMatchObject({
      assetPath: icon,
      reused: false,
      changes: [{ type: 'create', target: `${icon}.meta` }],
    });
    expect(Object.keys(snapshot()).length).toBe(Object.keys(before).length + 1);
    expect(await client.succeed('create_asset_image', args)).toMatchObject({ reused: true });
    await client.succeed('execute_project_undo');
    expect(snapshot()).toEqual(before);
  });

  test('is shown where it is by the workflow, also by its absolute path', async () => {
    const shown = await client.succeed('workflow_import_and_assign_sprite', {
      sourcePath: path.join(copy.folder, icon),
      targetNodeUuid: 'Canvas',
    });
    expect(shown).toMatchObject({ assetPath: icon, spriteFrameUuid: `${metaOf(icon).uuid}@f9941` });
  });

  test('that is broken is refused with the reason', async () => {
    put(icon, 'no image');
    const before = snapshot();
    const error = await client.fail('create_node_component', {
      nodeUuid: 'Canvas',
      type: 'cc.Sprite',
      properties: { spriteFrame: icon },
    });
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    expect(error.message).toContain('neither a PNG nor a JPEG');
    expect(snapshot()).toEqual(before);
  });

  test('that is only a text of a label stays as it is', async () => {
    const before = Object.keys(snapshot());
    await client.succeed('set_component_properties', {
      componentUuid: 'Canvas/Title:cc.Label',
      properties: { string: icon },
    });
    expect(Object.keys(snapshot())).toEqual(before);
  });

  test('needs a name', async () => {
    const error = await client.fail('create_asset_image', {});
    expect(error).toMatchObject({ code: 'E_INVALID_ARGUMENT', message: 'No image is named.' });
  });
});

describe('scenes and prefabs without a meta', () => {
  test('are placed and edited, with names and ids of their own', async () => {
    put('assets/prefabs/knob.prefab', copy.read('assets/prefabs/button.prefab'));
    const placed = await client.succeed('create_prefab_instance', {
      assetPath: 'assets/prefabs/knob.prefab',
      parentUuid: 'Canvas',
    });
    expect(placed['changes']).toMatchObject([
      { type: 'create', target: 'assets/prefabs/knob.prefab.meta' },
      { type: 'update', target: 'assets/prefabs/knob.prefab' },
      { type: 'create', target: 'Canvas/knob' },
    ]);
    expect(metaOf('assets/prefabs/knob.prefab')).toMatchObject({
      importer: 'prefab',
      userData: { syncNodeName: 'knob' },
    });
    put('assets/scenes/second.scene', copy.read(scenePath));
    await client.succeed('execute_scene_open', { scenePath: 'assets/scenes/second.scene' });
    await client.succeed('update_node_info', { nodeUuid: 'Canvas/Title', name: 'Heading' });
    const { uuid } = metaOf('assets/scenes/second.scene');
    expect(copy.read('assets/scenes/second.scene')).toContain(`"_id": "${uuid}"`);
    expect(await client.succeed('validate_project_assets')).toMatchObject({
      counts: { error: 0, warning: 0 },
    });
  });
});

describe('create_asset_meta', () => {
  const json = '{"levels":[1,2]}';
  test.each<[string, string | Uint8Array, object]>([
    ['data/levels.json', json, { importer: 'json', ver: '2.0.1', files: ['.json'] }],
    ['data/notes.txt', 'hello', { importer: 'text', files: ['.json'] }],
    ['data/types.d.ts', 'declare const a: 1;', { importer: 'text', files: ['.json'] }],
    ['lib/tool.js', 'export {};', { importer: 'javascript', files: [] }],
    [
      'audio/ding.mp3',
      'x',
      { importer: 'audio-clip', files: ['.json', '.mp3'], userData: { downloadMode: 0 } },
    ],
    ['audio/boom.AAC', 'x', { importer: 'audio-clip', files: ['.aac', '.json'] }],
    ['fonts/Open Sans.ttf', 'x', { importer: 'ttf-font', files: ['.json', 'Open Sans.ttf'] }],
    [
      'clips/run.anim',
      '[]',
      { importer: 'animation-clip', files: ['.cconb'], userData: { name: 'run' } },
    ],
    ['maps/level.tmx', '<map/>', { importer: 'tiled-map', files: ['.json', '.tmx'] }],
    ['fx/wave.effect', 'CCEffect %{ }%', { importer: 'effect', files: ['.json'] }],
    ['fx/lib.chunk', '', { importer: 'effect-header', files: [] }],
    ['fx/wave.mtl', '{}', { importer: 'material', ver: '1.0.21' }],
    ['ui/all.pac', '{}', { importer: 'auto-atlas', userData: { maxWidth: 1024 } }],
    ['video/intro.mp4', 'x', { importer: 'video-clip', files: ['.json', '.mp4'] }],
  ])('makes the meta of %s', async (name, content, meta) => {
    const assetPath = `assets/${name}`;
    put(assetPath, content);
    const made = await client.succeed('create_asset_meta', { assetPath });
    const folder = path.posix.dirname(assetPath);
    expect(made).toMatchObject({
      assetPath,
      reused: false,
      changes: [
        { type: 'create', target: folder },
        { type: 'create', target: `${assetPath}.meta` },
      ],
    });
    expect(metaOf(assetPath)).toMatchObject({ uuid: made['assetUuid'], imported: true, ...meta });
    expect(copy.read(`${assetPath}.meta`)).toMatch(/^\{\n {2}"ver".*\n\}\n$/s);
    const again = await client.succeed('create_asset_meta', { assetPath });
    expect(again).toMatchObject({ reused: true, changes: [] });
  });

  test('knows the folder that is a bundle by its name', async () => {
    put('assets/resources/a.txt', 'a');
    await client.succeed('create_asset_meta', { assetPath: 'assets/resources' });
    expect(metaOf('assets/resources')['userData']).toEqual({
      isBundle: true,
      bundleConfigID: 'default',
      bundleName: 'resources',
      priority: 8,
    });
    expect(Object.keys(snapshot())).not.toContain('assets/resources/a.txt.meta');
  });

  test.each([
    ['models/tank.fbx', 'x', /several assets/],
    ['fonts/digits.fnt', 'x', /together with its image/],
    ['spine/hero.json', '{"skeleton":{},"bones":[]}', /together with its image/],
    ['images/photo.webp', 'x', /only PNG and JPEG/],
    ['data/broken.json', '{', /not JSON/],
    ['data/some.xyz', 'x', /no importer is known/],
  ])('says why it cannot make that of %s', async (name, content, reason) => {
    const assetPath = `assets/${name}`;
    put(assetPath, content);
    const before = snapshot();
    const error = await client.fail('create_asset_meta', { assetPath });
    expect(error).toMatchObject({ code: 'E_PRECONDITION_FAILED', details: { path: assetPath } });
    expect(error.message).toMatch(reason);
    expect(error.suggestion).toMatch(/editor once|Mend the file/);
    expect(snapshot()).toEqual(before);
    // It is there all the same, and can go.
    await client.succeed('get_asset_info', { assetPath });
    await client.succeed('delete_asset_file', { assetPath });
  });

  test('does not take a meta that is broken for none', async () => {
    put('assets/data.json', json);
    put('assets/data.json.meta', '{}');
    const error = await client.fail('create_asset_meta', { assetPath: 'assets/data.json' });
    expect(error).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(copy.read('assets/data.json.meta')).toBe('{}');
  });
});

describe('an argument by another word', () => {
  test('is told with the one that is missing', async () => {
    const error = await client.fail('create_node_component', {
      nodeUuid: 'Canvas/Title',
      component: 'cc.Widget',
    });
    expect(error.message).toContain(
      'type: required but missing; is it what you named "component"?',
    );
  });
});
