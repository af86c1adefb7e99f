import {
  type CocosBackend,
  type Edit,
  type EditResult,
  openEditorBackend,
  openFakeEditor,
  openHeadless,
} from '@mcp-kit/cocos/backend';
import { describe, expect, it } from 'vitest';
import { comparable, newGame } from '../../support/cocos/game.ts';

/** What is done, one plan after the other. */
type Scenario = readonly (readonly Edit[])[];

const scenarios: Readonly<Record<string, Scenario>> = {
  'a menu with two buttons': [
    [
      { op: 'create_node', element: 'Layout', name: 'Menu', as: 'menu' },
      { op: 'create_node', parentUuid: '$menu', element: 'Button', name: 'Play', as: 'play' },
      { op: 'create_node', parentUuid: '$menu', element: 'Button', name: 'Quit' },
      {
        op: 'set_properties',
        componentUuid: '$play/Label:cc.Label',
        properties: { string: 'Play', fontSize: 31, color: '#ff8800' },
      },
      {
        op: 'set_transform',
        nodeUuid: '$menu',
        position: { x: 10, y: -20, z: 0 },
        scale: { x: 2, y: 2, z: 1 },
      },
    ],
    [{ op: 'move_node', nodeUuid: 'Canvas/Menu/Quit', siblingIndex: 0 }],
  ],
  'nodes renamed, hidden, turned, moved, copied and deleted': [
    [
      { op: 'create_node', element: 'Empty', name: 'A', as: 'a' },
      { op: 'create_node', element: 'Empty', name: 'B', as: 'b', rotation: { x: 0, y: 0, z: 30 } },
      { op: 'create_node', element: 'Empty', name: 'C', parentUuid: '$a' },
    ],
    [
      {
        op: 'update_node',
        nodeUuid: 'A',
        name: 'First',
        active: false,
        layer: 'UI_2D',
        locked: true,
      },
      { op: 'move_node', nodeUuid: 'First/C', parentUuid: 'B', keepWorldTransform: true },
      { op: 'duplicate_node', nodeUuid: 'Canvas', name: 'Other' },
    ],
    [
      { op: 'delete_node', nodeUuid: 'B' },
      { op: 'move_node', nodeUuid: 'Other', siblingIndex: 0 },
      { op: 'set_transform', nodeUuid: 'First', rotation: { x: 10, y: 20, z: 30 } },
    ],
  ],
  'a script with references, lists and events': [
    [
      { op: 'create_node', element: 'Label', name: 'Title', as: 'title' },
      { op: 'create_node', element: 'Button', name: 'Go', as: 'go' },
      {
        op: 'add_component',
        nodeUuid: 'Canvas',
        type: 'Menu',
        as: 'script',
        properties: {
          panel: '$title',
          title: '$title',
          items: ['$title', '$go'],
          icon: 'assets/icon.png',
          speed: 7,
          hint: 'up',
        },
      },
      {
        op: 'set_properties',
        componentUuid: '$go:cc.Button',
        properties: {
          clickEvents: [
            { target: 'Canvas', component: 'Menu', handler: 'onGo', customEventData: '1' },
          ],
          transition: 'SCALE',
        },
      },
    ],
    [
      {
        op: 'set_properties',
        componentUuid: 'Canvas:Menu',
        properties: { items: ['Canvas/Go'], icon: null },
      },
      { op: 'set_properties', componentUuid: 'Canvas/Go:cc.Button', enabled: false },
      { op: 'remove_component', componentUuid: 'Canvas/Title:cc.Label' },
    ],
    [{ op: 'delete_node', nodeUuid: 'Canvas/Go' }],
  ],
  'an image imported and shown': [
    [
      {
        op: 'import_image',
        sourcePath: 'icon-source.png',
        assetPath: 'assets/art/hero.png',
        type: 'sprite-frame',
        as: 'hero',
      },
      { op: 'create_node', element: 'Node', name: 'Hero', as: 'node' },
      { op: 'assign_sprite', nodeUuid: '$node', spriteFrame: '$hero', sizeMode: 'RAW' },
    ],
  ],
  'a prefab made, placed, changed in place, applied and unpacked': [
    [{ op: 'create_node', element: 'Button', name: 'Card', as: 'card' }],
    [{ op: 'create_prefab', nodeUuid: 'Canvas/Card', assetPath: 'assets/card.prefab' }],
    [
      {
        op: 'instantiate_prefab',
        assetPath: 'assets/card.prefab',
        parentUuid: 'Canvas',
        name: 'Second',
        position: { x: 5, y: 6, z: 0 },
      },
      {
        op: 'set_properties',
        componentUuid: 'Canvas/Second/Label:cc.Label',
        properties: { string: 'Two' },
      },
      { op: 'create_node', parentUuid: 'Canvas/Second', element: 'Sprite', name: 'Mounted' },
      {
        op: 'add_component',
        nodeUuid: 'Canvas/Second/Label',
        type: 'cc.UIOpacity',
        properties: { opacity: 99 },
      },
    ],
    [
      {
        op: 'instantiate_prefab',
        assetPath: 'assets/card.prefab',
        parentUuid: 'Canvas',
        name: 'Third',
      },
    ],
    [
      {
        op: 'set_properties',
        componentUuid: 'Canvas/Third/Label:cc.Label',
        properties: { string: '3' },
      },
    ],
    [{ op: 'revert_overrides', nodeUuid: 'Canvas/Third' }],
    [{ op: 'apply_overrides', nodeUuid: 'Canvas/Second' }],
    [{ op: 'unpack_prefab', nodeUuid: 'Canvas/Card' }],
  ],
  'an instance given other values at once': [
    [{ op: 'create_node', element: 'Label', name: 'Tag' }],
    [{ op: 'create_prefab', nodeUuid: 'Canvas/Tag', assetPath: 'assets/tag.prefab' }],
    [
      {
        op: 'update_instance',
        nodeUuid: 'Canvas/Tag',
        overrides: [
          { property: 'active', value: false },
          { property: 'position', value: { x: 1, y: 2, z: 0 } },
        ],
      },
    ],
  ],
  'a prefab edited while the scene shows it': [
    [{ op: 'create_node', element: 'Label', name: 'Tag' }],
    [{ op: 'create_prefab', nodeUuid: 'Canvas/Tag', assetPath: 'assets/ui/tag.prefab' }],
    [
      {
        op: 'set_properties',
        scenePath: 'assets/ui/tag.prefab',
        componentUuid: ':cc.Label',
        properties: { string: 'New' },
      },
      {
        op: 'create_node',
        scenePath: 'assets/ui/tag.prefab',
        element: 'Sprite',
        name: 'Back',
        parentUuid: '',
      },
    ],
    [{ op: 'update_node', nodeUuid: 'Canvas/Tag/Back', active: false }],
  ],
  'assets moved, deleted and exchanged': [
    [
      { op: 'create_folder', assetPath: 'assets/deep/er' },
      { op: 'create_scene', assetPath: 'assets/deep/second.scene' },
      {
        op: 'import_image',
        sourcePath: 'icon-source.png',
        assetPath: 'assets/deep/new.png',
        type: 'sprite-frame',
      },
    ],
    [
      { op: 'create_node', element: 'Node', name: 'Icon', as: 'icon' },
      { op: 'assign_sprite', nodeUuid: '$icon', spriteFrame: 'assets/icon.png' },
    ],
    [
      {
        op: 'replace_references',
        assetPath: 'db://assets/icon.png/spriteFrame',
        targetPath: 'db://assets/deep/new.png/spriteFrame',
      },
    ],
    [{ op: 'move_asset', assetPath: 'assets/deep', targetPath: 'assets/deeper' }],
    [{ op: 'delete_asset', assetPath: 'assets/icon.png' }],
  ],
  'stored values set as they are': [
    [{ op: 'set_raw_value', targetUuid: 'Canvas', property: '_lpos.x', value: 4 }],
    [{ op: 'update_node', nodeUuid: 'Canvas', name: 'Screen' }],
    [{ op: 'repair_document' }],
  ],
  'every element': [
    (
      [
        'Node',
        'Sprite',
        'Label',
        'Button',
        'EditBox',
        'Graphics',
        'Layout',
        'Mask',
        'PageView',
        'ProgressBar',
        'RichText',
        'ScrollView',
        'Slider',
        'Toggle',
        'ToggleContainer',
        'Widget',
        'Camera',
        'Empty',
      ] as const
    ).map((element) => ({ op: 'create_node', element, parentUuid: 'Canvas' })),
  ],
};

/** What a result names can be looked at. */
async function lookAt(backend: CocosBackend, edit: Edit, result: EditResult): Promise<void> {
  const document = 'scenePath' in edit ? edit.scenePath : undefined;
  if ('nodeUuid' in result && result.op !== 'delete_node') {
    await backend.node(document, result.nodeUuid);
  }
}

async function run(backend: CocosBackend, scenario: Scenario): Promise<void> {
  await backend.openDocument('assets/main.scene');
  for (const [place, edits] of scenario.entries()) {
    const plan = await backend.plan(edits, { newId: (label) => `${place} ${label}` });
    expect(plan.changes).toEqual(plan.steps.flat());
    const { results } = await plan.commit(`step ${place}`);
    expect(results).toHaveLength(edits.length);
    for (const [at, edit] of edits.entries()) {
      await lookAt(backend, edit, results[at] as EditResult);
    }
  }
  await backend.save('assets/main.scene');
}

describe.each(Object.entries(scenarios))('%s', (_name, scenario) => {
  it('is the same by files and by the editor', async () => {
    using byFiles = newGame();
    using byEditor = newGame();
    {
      await using backend = await openHeadless(byFiles.folder);
      await run(backend, scenario);
    }
    await using editor = await openFakeEditor(byEditor.folder, { scene: 'assets/main.scene' });
    {
      await using backend = await openEditorBackend(editor, byEditor.folder, { timeoutMs: 4000 });
      await run(backend, scenario);
    }
    expect(editor.dialogs).toEqual([]);
    expect(comparable(byEditor)).toEqual(comparable(byFiles));
  });

  it('is taken back by undoing in the editor', async () => {
    using game = newGame();
    const before = game.snapshot();
    await using editor = await openFakeEditor(game.folder, { scene: 'assets/main.scene' });
    await using backend = await openEditorBackend(editor, game.folder, { timeoutMs: 4000 });
    await run(backend, scenario);
    for (let left = (await backend.history()).length; left > 0; left--) await backend.undo();
    expect(await backend.history()).toEqual([]);
    expect(editor.dialogs).toEqual([]);
    expect(game.snapshot()).toEqual(before);
    expect(editor.text).toBe(game.read('assets/main.scene'));
  });
});

it('works by files alone where the script of the extension does not run', async () => {
  using game = newGame();
  await using editor = await openFakeEditor(game.folder, {
    scene: 'assets/main.scene',
    hasSceneScript: false,
  });
  await using backend = await openEditorBackend(editor, game.folder);
  await run(backend, scenarios['a menu with two buttons'] ?? []);
  expect(game.read('assets/main.scene')).toContain('"Play"');
  expect(editor.text).toBe(game.read('assets/main.scene'));
});
