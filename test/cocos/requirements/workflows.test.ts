import { cocosTools } from '@mcp-kit/cocos/tools';
import { describe, expect, test } from 'vitest';
import { client, newWorldForEach, world } from '../../support/cocos/world-client.ts';

const scenePath = 'assets/scenes/main.scene';

newWorldForEach(scenePath);

interface Workflow {
  /** The least that it takes. */
  readonly least: object;
  /** What it tells besides changes and stages. */
  readonly tells: readonly string[];
  /** A call that fails. */
  readonly failing: object;
}

const workflows: Readonly<Record<string, Workflow>> = {
  workflow_create_ui_node_with_components: {
    least: { parentUuid: 'Canvas', name: 'Banner', components: ['cc.Sprite'] },
    tells: ['nodeUuid', 'appliedComponents'],
    failing: { parentUuid: 'Canvas', name: 'Banner', components: ['cc.Nothing'] },
  },
  workflow_bind_script_to_node: {
    least: {
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'assets/scripts/player.ts',
      properties: { speed: 5 },
    },
    tells: ['componentUuid', 'appliedProperties'],
    failing: {
      nodeUuid: 'Canvas/Menu',
      scriptPath: 'assets/scripts/player.ts',
      properties: { sped: 5 },
    },
  },
  workflow_safe_set_transform: {
    least: { nodeUuid: 'Canvas/Menu', position: { x: 5, y: 5, z: 0 } },
    tells: ['before', 'after', 'warnings'],
    failing: { nodeUuid: 'Canvas/Menu', scale: { x: 0, y: 0 }, failOnWarnings: true },
  },
  workflow_import_and_assign_sprite: {
    least: { sourcePath: 'art/coin.png', targetNodeUuid: 'Canvas/Menu/Logo' },
    tells: ['assetUuid', 'spriteFrameUuid'],
    failing: { sourcePath: 'art/none.png', targetNodeUuid: 'Canvas/Menu/Logo' },
  },
  workflow_open_scene_and_validate: {
    least: { scenePath },
    tells: ['validationReport'],
    failing: { scenePath: 'assets/scenes/torn.scene', failOnErrors: true },
  },
  workflow_create_or_update_prefab_instance: {
    least: { prefabPath: 'assets/prefabs/item.prefab', parentUuid: 'Canvas' },
    tells: ['nodeUuid', 'diffSummary'],
    failing: { prefabPath: 'assets/prefabs/none.prefab', parentUuid: 'Canvas' },
  },
};

test('There are six workflows', () => {
  const names = cocosTools(world.backend)
    .manifests()
    .map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('workflow_')).toSorted()).toEqual(
    Object.keys(workflows).toSorted(),
  );
});

describe.each(Object.entries(workflows))('%s', (name, { least, tells, failing }) => {
  test('does with the least what it is for, and tells it', async () => {
    const done = await client.succeed(name, least);
    for (const told of tells) expect(done).toHaveProperty(told);
  });

  test('tells its stages: names, durations, statuses, errors', async () => {
    const { stages } = await client.succeed(name, least);
    expect(stages).not.toEqual([]);
    for (const stage of stages as object[]) {
      expect(stage).toMatchObject({
        stage: expect.stringMatching(/^[a-z_]+$/),
        durationMs: expect.any(Number),
        status: expect.stringMatching(/^[a-z]+$/),
      });
      expect(Object(stage)['error'] ?? null).toBeNull();
    }
  });

  test('fails with a code and the stage, and writes nothing', async () => {
    const before = world.snapshot();
    const error = await client.fail(name, failing);
    expect(error.code).toMatch(/^E_(?!INTERNAL)/);
    expect(error.stage).toMatch(/^[a-z_]+$/);
    expect(world.snapshot()).toEqual(before);
  });

  test('can be tried', async () => {
    const before = world.snapshot();
    expect(await client.succeed(name, { ...least, dryRun: true })).toMatchObject({ dryRun: true });
    expect(world.snapshot()).toEqual(before);
  });

  test('has two examples that succeed and one that fails', () => {
    const [manifest] = cocosTools(world.backend)
      .manifests()
      .filter((each) => each.name === name);
    const { examples = [] } = manifest ?? {};
    expect(examples.filter(({ fails }) => fails === undefined).length).toBeGreaterThanOrEqual(2);
    expect(examples.filter(({ fails }) => fails !== undefined).length).toBeGreaterThanOrEqual(1);
  });
});
