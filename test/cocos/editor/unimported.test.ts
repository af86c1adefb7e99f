import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FakeEditor, openEditorBackend, openFakeEditor } from '@mcp-kit/cocos/backend';
import { scriptTypeOf } from '@mcp-kit/cocos/document';
import { expect, test } from 'vitest';
import { CocosWorld } from '../../support/cocos/world.ts';

const script = 'assets/scripts/spinner.ts';
const source = `import { _decorator, Component } from 'cc';
@_decorator.ccclass('Spinner')
export class Spinner extends Component {}
`;

test('A script that was just written is attached once the editor has compiled it', async () => {
  let editor: FakeEditor | undefined;
  await using world = new CocosWorld(async (folder) => {
    editor = await openFakeEditor(folder, { scene: 'assets/scenes/main.scene' });
    return openEditorBackend(editor, folder, { timeoutMs: 5000 });
  });
  const { backend } = world;
  world.write(script, source);
  const edit = { op: 'add_component', nodeUuid: 'Canvas/Menu', type: 'Spinner' } as const;
  const plan = await backend.plan([edit], { newId: (label) => label });
  expect(plan.changes).toContainEqual({ type: 'create', target: `${script}.meta` });
  const meta = path.join(world.folder, `${script}.meta`);
  expect(existsSync(meta)).toBe(false);
  editor?.fail('scene query-components', { answer: [] });
  await plan.commit('a script');
  const asked = editor?.received.filter((message) => message === 'scene query-components');
  expect(asked?.length).toBe(2);
  const { uuid } = JSON.parse(world.read(`${script}.meta`)) as { uuid: string };
  expect(editor?.text).toContain(`"__type__": "${scriptTypeOf(uuid)}"`);
  expect(editor?.dialogs).toEqual([]);
  await backend.undo();
  expect(existsSync(meta)).toBe(false);
  expect(editor?.text).not.toContain(scriptTypeOf(uuid));
  await editor?.[Symbol.asyncDispose]();
});
