import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, nodePaths, world } from '../support/cocos/world-client.ts';

const scene = 'assets/scenes/main.scene';

newWorldForEach(scene);

describe('execute_scene_edits', () => {
  const panel = [
    {
      tool: 'create_scene_node',
      arguments: { parentUuid: 'Canvas', name: 'Panel', element: 'Button' },
      as: 'panel',
    },
    {
      tool: 'set_component_properties',
      arguments: { componentUuid: '$panel/Label:cc.Label', properties: { string: 'Go' } },
    },
    { tool: 'create_node_component', arguments: { nodeUuid: '$panel', type: 'cc.Widget' } },
  ];
  const broken = { tool: 'delete_scene_node', arguments: { nodeUuid: 'Canvas/Nowhere' } };

  test('does many edits as one write, by names that earlier ones gave', async () => {
    const before = world.snapshot();
    const done = await client.succeed('execute_scene_edits', { edits: panel });
    expect(done).toMatchObject({ failed: [], skipped: [] });
    expect(done['succeeded']).toHaveLength(3);
    expect(await nodePaths({ type: 'cc.Widget', name: 'Panel' })).toEqual(['Canvas/Panel']);
    await client.succeed('execute_project_undo');
    expect(world.snapshot()).toEqual(before);
  });

  test('does nothing, those before, or all others, where one cannot be done', async () => {
    const before = world.snapshot();
    const [create, ...rest] = panel;
    const edits = [create, broken, ...rest];
    const refused = await client.fail('execute_scene_edits', { edits });
    expect(refused).toMatchObject({
      code: 'E_NOT_FOUND',
      details: {
        item: '1 delete_scene_node',
        succeeded: [],
        failed: [{ item: '1 delete_scene_node', error: { code: 'E_NOT_FOUND' } }],
        skipped: [
          { item: '0 create_scene_node' },
          { item: '2 set_component_properties' },
          { item: '3 create_node_component' },
        ],
      },
    });
    const tried = await client.succeed('execute_scene_edits', {
      edits,
      onError: 'continue',
      dryRun: true,
    });
    expect(tried).toMatchObject({ failed: [{ item: '1 delete_scene_node' }], skipped: [] });
    expect(tried['succeeded']).toHaveLength(3);
    expect(world.snapshot()).toEqual(before);
    const stopped = await client.succeed('execute_scene_edits', { edits, onError: 'stop' });
    expect(stopped).toMatchObject({
      succeeded: [{ item: '0 create_scene_node' }],
      failed: [{ item: '1 delete_scene_node', error: { code: 'E_NOT_FOUND' } }],
      skipped: [{ item: '2 set_component_properties' }, { item: '3 create_node_component' }],
    });
    await client.succeed('execute_project_undo');
    const others = await client.succeed('execute_scene_edits', { edits, onError: 'continue' });
    expect(others).toMatchObject({ failed: [{ item: '1 delete_scene_node' }], skipped: [] });
    expect(others['succeeded']).toHaveLength(3);
  });

  test('has the risk of the worst of them, and says first that some failed', async () => {
    const riskOf = async (...edits: readonly object[]): Promise<unknown> =>
      (await client.succeed('execute_scene_edits', { edits, dryRun: true }))['riskLevel'];
    const cautious = { tool: 'execute_prefab_revert', arguments: { nodeUuid: 'Canvas/Item' } };
    const worst = { tool: 'delete_scene_node', arguments: { nodeUuid: 'Canvas/Menu' } };
    expect(await riskOf(...panel)).toBe('low');
    expect(await riskOf(...panel, cautious)).toBe('medium');
    expect(await riskOf(worst, cautious)).toBe('high');
    const part = { edits: [panel[0], broken], onError: 'continue' };
    expect(await client.read('execute_scene_edits', { ...part, dryRun: true })).toMatch(
      /^Dry run, nothing was changed\. Not all can be done, 1 of 2 would fail\. It would create/,
    );
    expect(await client.read('execute_scene_edits', part)).toMatch(
      /^Not all was done, 1 of 2 failed\. Done: create Canvas\/Panel/,
    );
  });

  test('checks the arguments of each as its tool would', async () => {
    const edits = [{ tool: 'delete_scene_node', arguments: { node: 'Canvas' } }];
    const error = await client.fail('execute_scene_edits', { edits });
    expect(error.code).toBe('E_INVALID_ARGUMENT');
    expect(error.message).toContain('nodeUuid');
  });
});

/** The same backend but for what a test has it do. */
