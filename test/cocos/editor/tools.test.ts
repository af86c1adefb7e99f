import {
  type FakeEditor,
  type FakeEditorOptions,
  openEditorBackend,
  openFakeEditor,
} from '@mcp-kit/cocos/backend';
import { cocosToolList } from '@mcp-kit/cocos/tools';
import { type ToolWorld, toolContract } from 'mcp-kit/testing';
import { describe, expect, test } from 'vitest';
import { CocosWorld } from '../../support/cocos-world.ts';

/** A fresh copy of the project that the examples are about, in an editor. */
function open(): ToolWorld {
  let editor: FakeEditor | undefined;
  let scene: FakeEditorOptions = { scene: 'assets/scenes/main.scene' };
  const world = new CocosWorld(async (folder) => {
    editor = await openFakeEditor(folder, scene);
    return openEditorBackend(editor, folder, { timeoutMs: 5000 });
  });
  return {
    tools: cocosToolList(world.backend),
    // What is not saved yet counts as well.
    snapshot: () => ({ ...world.snapshot(), editor: editor?.isDirty === true ? editor.text : '' }),
    async prepare(tool, { title }) {
      if (tool === 'execute_project_undo' && title !== 'Nothing was written yet') {
        const edit = { op: 'create_folder', assetPath: 'assets/levels' } as const;
        const planned = await world.backend.plan([edit], { newId: (label) => label });
        await planned.commit('a folder');
      }
      if (title === 'Before a scene is opened') scene = {};
    },
    async close() {
      expect(editor?.dialogs ?? []).toEqual([]);
      await world[Symbol.asyncDispose]();
      await editor?.[Symbol.asyncDispose]();
    },
  };
}

describe('every tool of the Cocos pack keeps its contract in the editor', () => {
  test.each(toolContract(open))('$name', ({ run }) => run());
});
