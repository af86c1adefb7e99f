import {
  type FakeEditor,
  type FakeEditorOptions,
  openEditorBackend,
  openFakeEditor,
} from '@mcp-kit/cocos/backend';
import { cocosToolList } from '@mcp-kit/cocos/tools';
import { type ToolWorld, toolContract } from 'mcp-kit/testing';
import { describe, expect } from 'vitest';
import { forwarding } from '../../support/cocos/forwarding.ts';
import { CocosWorld, prepareExample } from '../../support/cocos/world.ts';
import { oneIn } from '../../support/scale.ts';

let current: CocosWorld;
const tools = cocosToolList(forwarding('editor', () => current.backend));

/** A fresh copy of the sample, which the examples are about, in an editor that shows the scene of the example. */
function open(): ToolWorld {
  let editor: FakeEditor | undefined;
  let shown: FakeEditorOptions = {};
  const world = CocosWorld.ofSample(async (folder) => {
    editor = await openFakeEditor(folder, shown);
    return openEditorBackend(editor, folder, { timeoutMs: 5000 });
  });
  current = world;
  return {
    tools,
    // What is not saved yet counts as well.
    snapshot: () => ({ ...world.snapshot(), editor: editor?.isDirty === true ? editor.text : '' }),
    async prepare(_tool, example) {
      const { scenePath } = example.input;
      const isGame = scenePath === 'assets/scenes/game.scene';
      const scene = isGame ? scenePath : 'assets/scenes/menu.scene';
      if (example.title !== 'Before a scene is opened') shown = { scene };
      await prepareExample(world, example);
    },
    async close() {
      expect(editor?.dialogs ?? []).toEqual([]);
      await world[Symbol.asyncDispose]();
      await editor?.[Symbol.asyncDispose]();
    },
  };
}

describe('every tool of the Cocos pack keeps its contract in the editor', () => {
  oneIn(4)(toolContract(open))('$name', ({ run }) => run());
});
