import { cocosToolList, cocosTools, openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import type { Tool as ListedTool } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import type { Manifest } from 'mcp-kit/tools';
import { lintTools } from 'mcp-kit/tools/inspect';
import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, world } from '../../support/cocos/world-client.ts';
import { tasks } from '../../../scripts/cocos-tasks/tasks.mjs';

const scenePath = 'assets/scenes/main.scene';
const reading = ['get', 'list', 'find', 'validate'];
const writing = ['create', 'set', 'update', 'delete', 'move', 'execute', 'workflow'];

newWorldForEach(scenePath);

const manifests = (): readonly Manifest[] =>
  cocosTools(world.backend, { governance: { lint: 'off' } }).manifests();
const inLayer = (layer: string): Manifest[] => manifests().filter((each) => each.layer === layer);
const writes = (): Manifest[] => manifests().filter(({ safety }) => safety !== 'readonly');
const verbOf = ({ name }: { readonly name: string }): string => name.split('_', 1)[0] ?? '';
const argumentsOf = ({ inputSchema }: Manifest): Record<string, Record<string, unknown>> =>
  Object(Object(inputSchema)['properties']);

/** What a client sees that asks for nothing special. */
async function listed(): Promise<ListedTool[]> {
  await using cocos = await openCocosServer({ project: world.backend });
  await using session = await openSession(memoryTarget(cocos.server), { era: 'legacy' });
  const tools: ListedTool[] = [];
  for await (const each of session.tools()) tools.push(each);
  return tools;
}

describe('layers of the Cocos tools', () => {
  test('core: each has an output schema and examples', () => {
    for (const { name, outputSchema, examples } of inLayer('core')) {
      expect(Object(outputSchema), `of ${name}`).toHaveProperty('properties.data');
      expect(examples?.length, `of ${name}`).toBeGreaterThan(0);
    }
  });

  test('advanced: each tells its risk and what must be so before', () => {
    expect(inLayer('advanced').length).toBeGreaterThan(0);
    for (const { name, riskLevel, prerequisites } of inLayer('advanced')) {
      expect(['low', 'medium', 'high'], `of ${name}`).toContain(riskLevel);
      expect(prerequisites?.length, `of ${name}`).toBeGreaterThan(0);
    }
  });

  test('internal: they are there, and no client sees them that does not ask', async () => {
    const hidden = inLayer('internal').map(({ name }) => name);
    expect(hidden).not.toEqual([]);
    const seen = (await listed()).map(({ name }) => name);
    expect(seen.filter((name) => hidden.includes(name))).toEqual([]);
  });

  test('by default only core is listed, at most 40 tools', async () => {
    const seen = await listed();
    expect(new Set(seen.map(({ _meta }) => _meta?.['layer']))).toEqual(new Set(['core']));
    expect(seen.length).toBeLessThanOrEqual(40);
  });

  test('usual tasks are done with core tools alone', async () => {
    const core = new Set((await listed()).map(({ name }) => name));
    const inCore = tasks.filter(({ steps }) => steps.every(([tool]) => core.has(tool)));
    expect(tasks.length).toBeGreaterThanOrEqual(5);
    expect(inCore.length / tasks.length).toBeGreaterThanOrEqual(0.8);
  });

  test('every manifest names the layer', () => {
    for (const { name, layer } of manifests()) {
      expect(['core', 'advanced', 'internal'], `of ${name}`).toContain(layer);
    }
  });
});

describe('names of the Cocos tools', () => {
  test('are verb, domain, object and perhaps more', () => {
    for (const { name } of manifests()) expect(name).toMatch(/^[a-z]+(_[a-z]+){2,}$/);
  });

  test('begin with a verb of the list', () => {
    for (const each of manifests()) expect([...reading, ...writing]).toContain(verbOf(each));
  });

  test('have one verb for one thing', () => {
    const synonyms = [
      'query',
      'fetch',
      'read',
      'search',
      'add',
      'remove',
      'modify',
      'run',
      'check',
    ];
    expect(manifests().filter((each) => synonyms.includes(verbOf(each)))).toEqual([]);
    const objects = (verb: string): string[] =>
      manifests()
        .filter((each) => verbOf(each) === verb)
        .map(({ name }) => name.slice(verb.length));
    expect(objects('get').filter((object) => objects('find').includes(object))).toEqual([]);
    expect(objects('set').filter((object) => objects('update').includes(object))).toEqual([]);
  });

  test('of what reads begin with get, list, find or validate', () => {
    const all = manifests().filter(({ safety }) => safety === 'readonly');
    for (const each of all) expect(reading, `of ${each.name}`).toContain(verbOf(each));
  });

  test('of what writes begin with create, set, update, delete, move, execute or workflow', () => {
    for (const each of writes()) expect(writing, `of ${each.name}`).toContain(verbOf(each));
  });

  test.each([
    'node_lifecycle',
    'component_manage',
    'scene_management',
    'query_node',
    'create_node',
  ])('of earlier servers are not answered to: %s', async (name) => {
    await expect(client.ask(name)).rejects.toMatchObject({ code: -32602 });
    const names = cocosToolList(world.backend).map((each) => each.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain(name);
  });
});

describe('arguments of the Cocos tools', () => {
  test.each([
    ['dryRun', 'boolean'],
    ['idempotencyKey', 'string'],
    ['timeoutMs', 'integer'],
    ['clientTag', 'string'],
  ])('%s, %s, is taken by every write and needed by none', (name, type) => {
    for (const each of writes()) {
      const given = argumentsOf(each)[name];
      expect(given, `of ${each.name}`).toMatchObject({ type });
      expect(Object(each.inputSchema)['required'] ?? [], `of ${each.name}`).not.toContain(name);
    }
  });

  test('dryRun is false where it is not given', async () => {
    await client.succeed('create_asset_folder', { assetPath: 'assets/levels' });
    expect(Object.keys(world.snapshot())).toContain('assets/levels.meta');
  });

  test.each([
    ['a node', 'nodeUuid', /^(uuid|node|nodeId|nodeName|nodePath|id)$/i],
    ['a parent', 'parentUuid', /^(parent|parentId|parentNode|parentPath)$/i],
    ['a scene', 'scenePath', /^(scene|sceneUuid|sceneName|document|file)$/i],
    ['an asset by path', 'assetPath', /^(asset|assetUrl|url|assetName)$/i],
  ])('%s is called %s everywhere', (_what, name, others) => {
    const names = manifests().map((each) => Object.keys(argumentsOf(each)));
    expect(names.filter((each) => each.includes(name)).length).toBeGreaterThan(2);
    expect(names.flat().filter((each) => others.test(each))).toEqual([]);
  });

  test('a node by path is called path in every answer, and a file of a list file', () => {
    const others = /"(nodePath|targetPath|nodeName|filePath)":/;
    const told = manifests().filter(({ outputSchema }) =>
      others.test(JSON.stringify(outputSchema)),
    );
    expect(told.map(({ name }) => name)).toEqual([]);
    const named = (word: string): number =>
      manifests().filter((each) => JSON.stringify(each.outputSchema).includes(`"${word}":`)).length;
    expect([named('path') > 3, named('file') > 2]).toEqual([true, true]);
  });

  test('an asset by uuid is called assetUuid, in answers, and is taken where a path is', async () => {
    const assetPath = 'assets/images/logo.png';
    const { assetUuid } = await client.succeed('get_asset_info', { assetPath });
    const again = await client.succeed('get_asset_info', { assetPath: assetUuid });
    expect(again).toMatchObject({ assetPath, assetUuid });
  });

  test('the linter finds no thing of two names', () => {
    const findings = lintTools(manifests()).filter(({ rule }) => rule === 'parameter-name');
    expect(findings).toEqual([]);
  });

  test('a boolean is no text', async () => {
    const args = { nodeUuid: 'Canvas/Menu', active: 'false' };
    expect(await client.fail('update_node_info', args)).toMatchObject({
      code: 'E_INVALID_ARGUMENT',
    });
  });

  test('a point is an object of x, y and z, and no text', async () => {
    for (const name of ['position', 'rotation', 'scale']) {
      const args = { nodeUuid: 'Canvas/Menu', [name]: '1,2,3' };
      expect(await client.fail('set_node_transform', args)).toMatchObject({
        code: 'E_INVALID_ARGUMENT',
      });
    }
    const given = {
      position: { x: 1, y: 2, z: 3 },
      rotation: { x: 0, y: 0, z: 90 },
      scale: { x: 2, y: 2, z: 1 },
    };
    await client.succeed('set_node_transform', { nodeUuid: 'Canvas/Menu', ...given });
    expect(await client.succeed('get_node_info', { nodeUuid: 'Canvas/Menu' })).toMatchObject(given);
  });

  test('requestId is none of them: what makes a call the same is idempotencyKey', async () => {
    const args = { parentUuid: 'Canvas', name: 'Once' };
    expect(await client.fail('create_scene_node', { ...args, requestId: '1' })).toMatchObject({
      code: 'E_INVALID_ARGUMENT',
    });
    const keyed = { ...args, idempotencyKey: 'once' };
    const { nodeUuid } = await client.succeed('create_scene_node', keyed);
    expect(await client.succeed('create_scene_node', keyed)).toMatchObject({ nodeUuid });
    const { total } = await client.succeed('find_scene_nodes', { name: 'Once' });
    expect(total).toBe(1);
  });
});

describe('manifests of the Cocos tools', () => {
  const least = ['layer', 'category', 'safety', 'idempotent', 'supportsDryRun'];
  const fields = ['name', ...least, 'prerequisites', 'inputSchema', 'outputSchema', 'examples'];

  test('are in _meta of tools/list, the least of them', async () => {
    for (const { name, _meta } of await listed()) {
      for (const field of least) expect(_meta, `of ${name}`).toHaveProperty(field);
    }
  });

  test('are whole in the answer of get_tool_manifest', async () => {
    const answer = await client.succeed('get_tool_manifest', { name: 'set_node_transform' });
    expect(JSON.stringify(answer)).toContain('"inputSchema"');
    expect(JSON.stringify(answer)).toContain('"examples"');
  });

  test.each(fields)('have %s, for every tool', (field) => {
    for (const each of manifests()) expect(each, `of ${each.name}`).toHaveProperty(field);
  });

  test('say of every write whether it can be tried, and of the pack that all can', () => {
    for (const each of writes()) {
      expect(each.supportsDryRun, `of ${each.name}`).toBe(true);
      expect(argumentsOf(each), `of ${each.name}`).toHaveProperty('dryRun');
    }
  });
});
