import { cocosToolList } from '@mcp-kit/cocos/tools';
import { type ToolWorld, toolContract } from 'mcp-kit/testing';
import type { ToolExample } from 'mcp-kit/tools';
import { describe, test } from 'vitest';
import { CocosWorld } from '../support/cocos-world.ts';

/** A fresh copy of the project that the examples are about. */
function open(): ToolWorld {
  const world = new CocosWorld();
  return {
    tools: cocosToolList(world.backend),
    snapshot: () => world.snapshot(),
    prepare: (tool, example) => prepare(world, tool, example),
    close: () => world[Symbol.asyncDispose](),
  };
}

async function prepare({ backend }: CocosWorld, tool: string, example: ToolExample): Promise<void> {
  if (example.title === 'Before a scene is opened') return;
  if (tool === 'execute_project_undo' && example.title !== 'Nothing was written yet') {
    const edit = { op: 'create_folder', assetPath: 'assets/levels' } as const;
    const planned = await backend.plan([edit], { newId: (label) => label });
    await planned.commit('a folder');
  }
  if (!/^(execute_scene_open|workflow_open_scene_and_validate)$/.test(tool)) {
    await backend.openDocument('assets/scenes/main.scene');
  }
}

describe('every tool of the Cocos pack keeps its contract', () => {
  test.each(toolContract(open))('$name', ({ run }) => run());
});
