import { Ajv2020 } from 'ajv/dist/2020.js';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import type { Tool } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, world } from '../support/cocos/world-client.ts';

const scenePath = 'assets/scenes/main.scene';

newWorldForEach(scenePath);

const changesOf = async (name: string, args: object): Promise<Record<string, unknown>[]> => {
  const { changes } = await client.succeed(name, args);
  return changes as Record<string, unknown>[];
};

describe('the list of tools', () => {
  test('is short, describes every argument, and says of answers what is true', async () => {
    await using cocos = await openCocosServer({ project: world.backend });
    const session = await openSession(memoryTarget(cocos.server));
    try {
      const tools = new Map<string, Tool>();
      for await (const tool of session.tools()) tools.set(tool.name, tool);
      expect(JSON.stringify([...tools.values()]).length).toBeLessThan(45_000);
      expect(tools.size).toBeLessThanOrEqual(40);
      for (const { name, inputSchema } of tools.values()) {
        for (const [argument, schema] of Object.entries(Object(inputSchema['properties']))) {
          const isTold =
            session.instructions?.includes(argument) || 'description' in Object(schema);
          expect(isTold, `${name}.${argument}`).toBe(true);
        }
      }
      const dry = { nodeUuid: 'Canvas/Menu', position: { x: 5 }, dryRun: true };
      for (const [name, args] of [
        ['get_node_info', { nodeUuid: 'Canvas/Menu' }],
        ['get_node_info', { nodeUuid: 'Canvas/None' }],
        ['workflow_safe_set_transform', dry],
        ['workflow_safe_set_transform', { ...dry, dryRun: false }],
      ] as const) {
        const { structuredContent } = await session.callTool(name, args);
        const ajv = new Ajv2020({ strictTypes: false });
        ajv.validate(tools.get(name)?.outputSchema ?? false, structuredContent);
        expect(ajv.errors).toBeNull();
      }
    } finally {
      await session.close();
    }
  });
});

describe('a dry run', () => {
  test('of a transform tells the warnings, and where the node is and would be', async () => {
    const args = { nodeUuid: 'Canvas/Menu', position: { x: 5, z: 3 }, scale: { y: 0 } };
    const tried = await client.succeed('workflow_safe_set_transform', { ...args, dryRun: true });
    expect(tried).toMatchObject({
      dryRun: true,
      before: { position: { x: 0, y: 0, z: 0 }, scale: { x: 1, y: 1, z: 1 } },
      after: { position: { x: 5, y: 0, z: 3 }, scale: { x: 1, y: 0, z: 1 } },
    });
    expect(tried['warnings']).toHaveLength(2);
    const { planToken } = tried;
    const done = await client.succeed('workflow_safe_set_transform', { ...args, planToken });
    const { before, after, warnings } = tried;
    expect(done).toMatchObject({ before, after, warnings });
  });

  test('tells what the call would answer', async () => {
    const args = { parentUuid: 'Canvas', name: 'New', components: ['cc.Sprite'] };
    const name = 'workflow_create_ui_node_with_components';
    const tried = await client.succeed(name, { ...args, dryRun: true });
    expect(tried['appliedComponents']).toMatchObject([{ type: 'cc.Sprite' }]);
    const { planToken, nodeUuid } = tried;
    const done = await client.succeed(name, { ...args, planToken });
    expect(done).toMatchObject({ nodeUuid });
    const moved = { nodeUuid: 'Canvas/Menu', position: { z: 1 }, dryRun: true };
    expect((await client.succeed('set_node_transform', moved))['warnings']).toHaveLength(1);
  });
});

describe('an event', () => {
  const button = 'Canvas/Menu/Start:cc.Button';
  const set = (properties: object): object => ({ componentUuid: button, properties });
  const event = { target: 'Canvas/Menu', component: 'Menu', handler: 'onStart' };

  test.each([
    ['a class that there is not', { component: 'Meny' }, /Menu/],
    ['a method that the script has not', { handler: 'onStrat' }, /onStart/],
    ['no class', { component: '' }, /component/],
  ])('with %s is refused, and what is near is told', async (_, part, near) => {
    const properties = { clickEvents: [{ ...event, ...part }] };
    const error = await client.fail('set_component_properties', set(properties));
    expect(error.code).toMatch(/^E_(NOT_FOUND|INVALID_ARGUMENT)$/);
    expect(error.suggestion).toMatch(near);
  });

  test('is checked as a whole where only a part of it is set', async () => {
    await client.succeed('workflow_bind_script_to_node', {
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'Menu',
    });
    await client.succeed('set_component_properties', set({ clickEvents: [event] }));
    const wrong = set({ 'clickEvents.0.handler': 'onStop' });
    const error = await client.fail('set_component_properties', wrong);
    expect(error.message).toBe('Menu has no method "onStop".');
    const other = set({ 'clickEvents.0.component': 'Player' });
    expect((await client.fail('set_component_properties', other)).message).toBe(
      'Player has no method "onStart".',
    );
    const both = set({ 'clickEvents.0.component': 'Menu', 'clickEvents.0.handler': 'onStart' });
    expect(await client.succeed('set_component_properties', both)).not.toHaveProperty('warnings');
  });

  test('of a component that its target has not is set with a warning', async () => {
    const done = await client.succeed('set_component_properties', set({ clickEvents: [event] }));
    expect(done['warnings']).toEqual([
      'The event calls Menu.onStart, but "Canvas/Menu" has no Menu yet: add it there.',
    ]);
  });
});

describe('changes', () => {
  test('name nodes, components, scripts and assets as people do', async () => {
    const script = { nodeUuid: 'Canvas/Menu', type: 'Menu' };
    const [made] = await changesOf('create_node_component', script);
    expect(made).toMatchObject({ type: 'create', target: 'Canvas/Menu:Menu' });
    const linked = await changesOf('set_component_properties', {
      componentUuid: 'Canvas/Menu:Menu',
      properties: {
        panel: 'Canvas/Item',
        heading: 'Canvas/Menu/Title',
        icon: 'assets/images/logo.png',
      },
    });
    expect(linked).toMatchObject([
      { target: 'Canvas/Menu:Menu', field: 'panel', from: null, to: 'Canvas/Item' },
      { field: 'heading', from: null, to: 'Canvas/Menu/Title:cc.Label' },
      { field: 'icon', from: null, to: 'db://assets/images/logo.png/spriteFrame' },
    ]);
    const [events] = await changesOf('set_component_properties', {
      componentUuid: 'Canvas/Menu/Start:cc.Button',
      properties: {
        clickEvents: [{ target: 'Canvas/Menu', component: 'Menu', handler: 'onStart' }],
      },
    });
    expect(events).toMatchObject({
      field: 'clickEvents',
      from: [],
      to: [{ target: 'Canvas/Menu', component: 'Menu', handler: 'onStart' }],
    });
    const cut = await changesOf('delete_scene_node', { nodeUuid: 'Canvas/Menu/Title' });
    expect(cut).toMatchObject([
      { type: 'delete', target: 'Canvas/Menu/Title' },
      { field: 'heading', from: 'Canvas/Menu/Title:cc.Label', to: null },
    ]);
    expect(JSON.stringify([made, linked, events, cut])).not.toMatch(/handle"|#\d/);
  });

  test('have the names and units of whoever asked', async () => {
    const turned = await changesOf('set_node_transform', {
      nodeUuid: 'Canvas/Menu',
      rotation: { z: 30 },
      scale: { x: 2 },
    });
    const target = 'Canvas/Menu';
    expect(turned).toMatchObject([
      { target, field: 'rotation', from: { x: 0, y: 0, z: 0 }, to: { x: 0, y: 0, z: 30 } },
      { target, field: 'scale', to: { x: 2, y: 1, z: 1 } },
    ]);
    const [chosen] = await changesOf('set_component_properties', {
      componentUuid: 'Canvas/Menu/Title:cc.Label',
      properties: { overflow: 'SHRINK' },
    });
    expect(chosen).toMatchObject({
      target: 'Canvas/Menu/Title:cc.Label',
      field: 'overflow',
      from: 'NONE',
      to: 'SHRINK',
    });
    const told = await changesOf('update_node_info', {
      nodeUuid: 'Canvas/Menu/Title',
      name: 'Heading',
      layer: 'UI_3D',
    });
    expect(told).toMatchObject([
      { target: 'Canvas/Menu/Heading', field: 'name', from: 'Title', to: 'Heading' },
      { field: 'layer', from: 'UI_2D', to: 'UI_3D' },
    ]);
  });

  test('have the names and values of the file where that is asked for', async () => {
    const target = 'Canvas/Menu';
    const turn = { nodeUuid: target, rotation: { z: 180 }, storedNames: true };
    const tried = await client.succeed('set_node_transform', { ...turn, dryRun: true });
    const turned = [
      { target, field: '_lrot', to: { __type__: 'cc.Quat', z: 1 } },
      { target, field: '_euler', to: { __type__: 'cc.Vec3', z: 180 } },
    ];
    expect(tried['changes']).toMatchObject(turned);
    const { planToken } = tried;
    expect(await changesOf('set_node_transform', { ...turn, planToken })).toMatchObject(turned);

    const label = {
      componentUuid: 'Canvas/Menu/Title:cc.Label',
      properties: { overflow: 'SHRINK' },
    };
    const shrunk = { target: label.componentUuid, field: '_overflow', from: 0, to: 2 };
    const edits = [{ tool: 'set_component_properties', arguments: label }];
    const many = { edits, storedNames: true, dryRun: true };
    expect(await changesOf('execute_scene_edits', many)).toMatchObject([shrunk]);

    const flow = { nodeUuid: target, position: { x: 7 }, storedNames: true };
    expect(await changesOf('workflow_safe_set_transform', flow)).toMatchObject([
      { target, field: '_lpos', to: { __type__: 'cc.Vec3', x: 7 } },
    ]);
    const raw = { targetUuid: target, property: '_lpos.y', value: 5 };
    expect(await changesOf('set_scene_value', raw)).toMatchObject([
      { target, field: '_lpos.y', to: 5 },
    ]);
    expect(
      await changesOf('set_scene_value', { ...raw, value: 6, storedNames: false }),
    ).toMatchObject([{ target, field: 'position.y', from: 5, to: 6 }]);
  });

  test('are none where a node stays where it is', async () => {
    const before = world.snapshot();
    for (const place of [{ parentUuid: 'Canvas' }, {}]) {
      const done = await client.succeed('move_scene_node', { nodeUuid: 'Canvas/Menu', ...place });
      expect(done['changes']).toEqual([]);
      expect(done).not.toHaveProperty('transactionId');
    }
    expect(world.snapshot()).toEqual(before);
    const last = { nodeUuid: 'Canvas/Menu/Title', siblingIndex: 99 };
    const [moved] = await changesOf('move_scene_node', last);
    expect(moved).toMatchObject({
      type: 'move',
      target: 'Canvas/Menu/Title',
      field: 'siblingIndex',
      from: 0,
    });
    expect(await changesOf('move_scene_node', last)).toEqual([]);
  });

  test('of vectors and colours are without their classes', async () => {
    const [moved] = await changesOf('set_node_transform', {
      nodeUuid: 'Canvas/Menu',
      position: { x: 7 },
    });
    expect(moved).toMatchObject({ from: { x: 0, y: 0, z: 0 }, to: { x: 7, y: 0, z: 0 } });
    expect(moved?.['to']).not.toHaveProperty('__type__');
    const [coloured] = await changesOf('set_component_properties', {
      componentUuid: 'Canvas/Menu/Title:cc.Label',
      properties: { color: '#ff8800' },
    });
    expect(coloured).toMatchObject({ from: '#ffffff', to: '#ff8800' });
  });
});

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const lineOf = (code: string, message: string): RegExp =>
  new RegExp(`\\n\\w+ ${code}.*: ${quoted(message)}`);

describe('what is read of a scene that was opened and checked', () => {
  test('is a line for each finding, and not the report again', async () => {
    const name = 'workflow_open_scene_and_validate';
    const torn = 'assets/scenes/torn.scene';
    const { validationReport } = await client.succeed(name, { scenePath: torn });
    const { findings } = validationReport as { findings: { code: string; message: string }[] };
    expect(findings).not.toEqual([]);
    const text = await client.read(name, { scenePath: torn });
    for (const { code, message } of findings) expect(text).toMatch(lineOf(code, message));
    expect(text).toMatch(/^Nothing had to be changed\.\nassets\/scenes\/torn\.scene \(.*error/);
    expect(text).toMatch(/\nopen_scene \d+ ms, validate_scene \d+ ms$/);
  });
});

describe('what an instance has of its own', () => {
  const nodeUuid = 'Canvas/Item';
  const componentUuid = 'Canvas/Item/Text:cc.Label';
  const overrides = async (): Promise<unknown> =>
    (await client.succeed('list_prefab_overrides', { nodeUuid }))['overrides'];

  test('is listed as it is set, and goes by the same names', async () => {
    const properties = { color: '#ff8800', overflow: 'SHRINK' };
    await client.succeed('set_component_properties', { componentUuid, properties });
    const text = { path: componentUuid, property: 'string', value: 'Sword' };
    const colour = { path: componentUuid, property: 'color', value: '#ff8800' };
    const overflow = { path: componentUuid, property: 'overflow', value: 'SHRINK' };
    expect(await overrides()).toMatchObject([text, colour, overflow]);
    for (const [targetUuid, property, left] of [
      [componentUuid, 'color', [text, overflow]],
      ['Text:cc.Label', '_overflow', [text]],
      ['Canvas/Item', 'string', [text]],
      ['Text:Label', 'string', []],
    ] as const) {
      await client.succeed('execute_prefab_revert', { nodeUuid, targetUuid, property });
      expect(await overrides()).toMatchObject(left);
    }
    const wrong = { nodeUuid, targetUuid: 'Text:cc.Sprite' };
    expect(await client.fail('execute_prefab_revert', wrong)).toMatchObject({
      code: 'E_NOT_FOUND',
      suggestion: expect.stringContaining('cc.Label'),
    });
  });

  test('is turned back with the angle that people see', async () => {
    await client.succeed('set_node_transform', {
      nodeUuid: 'Canvas/Item/Text',
      rotation: { z: 30 },
    });
    const turn = { nodeUuid, targetUuid: 'Text', property: 'rotation' };
    expect(await client.succeed('execute_prefab_revert', turn)).toMatchObject({ reverted: 2 });
    const { rotation } = await client.succeed('get_node_info', { nodeUuid: 'Canvas/Item/Text' });
    expect(rotation).toMatchObject({ z: 0 });
  });
});

describe('findings are looked for again', () => {
  const counts = async (): Promise<unknown> =>
    (await client.succeed('validate_scene_document', { scenePath }))['counts'];

  test('when the scene, or something that it uses, has changed', async () => {
    const clean = { error: 0, warning: 0, info: 0 };
    expect(await counts()).toEqual(clean);
    expect(await counts()).toEqual(clean);
    await client.succeed('create_node_component', { nodeUuid: 'Canvas/Menu', type: 'Menu' });
    expect(await counts()).toEqual(clean);
    const script = world.read('assets/scripts/menu.ts');
    const needy = script
      .replace('_decorator,', '_decorator, UIOpacity,')
      .replace('@ccclass', '@_decorator.requireComponent(UIOpacity)\n@ccclass');
    world.write('assets/scripts/menu.ts', needy);
    expect(await counts()).toEqual({ ...clean, warning: 1 });
    world.write('assets/scripts/menu.ts', script);
    expect(await counts()).toEqual(clean);
    rmSync(path.join(world.folder, 'assets/images/logo.png.meta'));
    await expect.poll(counts).toEqual({ ...clean, error: 1 });
  });
});

describe('what is refused says what is wrong', () => {
  test.each([
    ['a script', 'assets/scripts/main.ts', /^Near names: assets\/scripts\/menu\.ts/],
    ['a class of the engine', 'cc.Sprit', /^Near names: cc\.Sprite, (?:cc\.\w+(?:, |\.$))+$/],
    ['any class', 'Sprit', /^Near names: cc\.Sprite,.* Scripts: .*Menu/],
  ])('and what is most like %s that is not there', async (_, type, said) => {
    const error = await client.fail('create_node_component', { nodeUuid: 'Canvas', type });
    expect(error).toMatchObject({ code: 'E_NOT_FOUND' });
    expect(error.suggestion).toMatch(said);
  });

  test('and which nodes and types of assets are meant by a slip', async () => {
    const node = await client.fail('get_node_info', { nodeUuid: 'Canvas/Meun' });
    expect(node.suggestion).toMatch('"Canvas/Menu"');
    const type = await client.fail('list_asset_files', { type: 'imag' });
    expect(type.code).toBe('E_INVALID_ARGUMENT');
    expect(type.suggestion).toMatch(/^Near types: image,/);
  });

  test('and which files use what is to be deleted', async () => {
    const image = { assetPath: 'assets/images/logo.png' };
    const { message } = await client.fail('delete_asset_file', image);
    const { usedBy } = await client.succeed('get_asset_info', image);
    expect(usedBy).not.toEqual([]);
    expect(message).toBe(`"assets/images/logo.png" is used by ${(usedBy as string[]).join(', ')}.`);
  });

  test.each([
    ['set_node_transform', { nodeUuid: 'Canvas/Menu' }, /position, rotation or scale/],
    ['workflow_safe_set_transform', { nodeUuid: 'Canvas/Menu' }, /position or rotation or scale/],
    ['create_scene_node', { parentUuid: 'Canvas', name: 'x'.repeat(257) }, /1 to 256 characters/],
    ['create_scene_node', { parentUuid: 'Canvas', name: 'a\0b' }, /"a\\0b".* NUL bytes/],
    ['create_scene_asset', { assetPath: 'assets/a\0.scene' }, /NUL byte/],
  ])('%s %j', async (name, args, said) => {
    const { code, message, suggestion = '' } = await client.fail(name, args);
    expect(code).toBe('E_INVALID_ARGUMENT');
    expect(`${message} ${suggestion}`).toMatch(said);
  });
});
