import {
  type Edit,
  type CocosBackend,
  type FakeEditor,
  openEditorBackend,
  openFakeEditor,
} from '@mcp-kit/cocos/backend';
import { createNode, updateNode } from '@mcp-kit/cocos/edit';
import { expect, it } from 'vitest';
import { newGame } from '../../support/cocos/game.ts';
import type { TestProject } from '../../support/cocos/project.ts';

interface Bench extends AsyncDisposable {
  readonly game: TestProject;
  readonly editor: FakeEditor;
  readonly backend: CocosBackend;
}

async function openBench(timeoutMs = 4000): Promise<Bench> {
  const game = newGame();
  const editor = await openFakeEditor(game.folder, { scene: 'assets/main.scene' });
  const backend = await openEditorBackend(editor, game.folder, { timeoutMs });
  return {
    game,
    editor,
    backend,
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]();
      await editor[Symbol.asyncDispose]();
      game[Symbol.dispose]();
    },
  };
}

const newId = (label: string): string => label;
const label: Edit[] = [{ op: 'create_node', element: 'Label', name: 'Title', as: 'title' }];

it('shows a plan without touching the editor, and calls what is new by its name', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  const before = editor.text;
  const plan = await backend.plan(label, { newId });
  expect(plan.results).toMatchObject([{ op: 'create_node', nodeUuid: '$title' }]);
  expect(plan.changes).toContainEqual({ type: 'create', target: 'Canvas/Title', to: '$title' });
  expect(editor.text).toBe(before);
  expect(editor.received.filter((message) => !/query|execute-scene-script/.test(message))).toEqual(
    [],
  );
});

it('leaves saving to whoever edits, and reads what is not saved', async () => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  const before = game.read('assets/main.scene');
  const plan = await backend.plan(label, { newId });
  const { results } = await plan.commit('add');
  expect(game.read('assets/main.scene')).toBe(before);
  expect(await backend.isDirty(undefined)).toBe(true);
  expect(await backend.findNodes(undefined, { name: 'Title' })).toMatchObject([
    { path: 'Canvas/Title', nodeUuid: (results[0] as { nodeUuid: string }).nodeUuid },
  ]);
  await backend.save(undefined);
  expect(await backend.isDirty(undefined)).toBe(false);
  expect(game.read('assets/main.scene')).toBe(editor.text);
});

it('sees what somebody does in the editor, and plans on that', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  editor.change((scene) => createNode(scene, { element: 'Empty', name: 'Mine' }));
  const plan = await backend.plan([{ op: 'update_node', nodeUuid: 'Mine', name: 'Ours' }], {
    newId,
  });
  expect(plan.changes).toMatchObject([{ from: 'Mine', to: 'Ours' }]);
  await plan.commit('rename');
  expect(editor.text).toContain('"Ours"');
});

it.each([
  ['E_CONFLICT', 'somebody changes the scene before the plan is carried out', 'scene'],
  ['E_CONFLICT', 'somebody changes a file that the plan stands on', 'file'],
])('fails with %s where %s', async (code, _when, what) => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  const plan = await backend.plan(label, { newId });
  if (what === 'scene') editor.change((scene) => updateNode(scene, 'Canvas', { active: false }));
  else game.write({ 'assets/main.scene': game.read('assets/main.scene').replace('"main"', '"x"') });
  await expect(plan.commit('add')).rejects.toMatchObject({ code });
  expect(editor.text).not.toContain('Title');
});

it('carries out plans that were made at the same time, one after the other', async () => {
  await using bench = await openBench();
  const { backend } = bench;
  const names = ['One', 'Two', 'Three'];
  const plans = await Promise.all(
    names.map((name) =>
      backend.plan([{ op: 'create_node', element: 'Label', name }], { newId: (id) => name + id }),
    ),
  );
  await Promise.all(plans.map((plan) => plan.commit('add')));
  const found = await backend.findNodes(undefined, { type: 'cc.Label' });
  expect(found.map(({ name }) => name).sort()).toEqual(names.toSorted());
});

it('fails with E_TIMEOUT where a dialog keeps the editor from answering, and puts the scene back', async () => {
  await using bench = await openBench(300);
  const { backend, editor, game } = bench;
  const before = editor.text;
  const plan = await backend.plan(label, { newId });
  editor.fail('scene create-component', 'hang');
  await expect(plan.commit('add')).rejects.toMatchObject({
    code: 'E_TIMEOUT',
    details: { message: 'scene create-component', restored: true },
  });
  expect(editor.text).toBe(before);
  expect(game.read('assets/main.scene')).toBe(before);
});

it('fails with E_UNAVAILABLE where the editor does not know a message', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  const before = editor.text;
  const plan = await backend.plan(label, { newId });
  editor.fail('scene set-property', 'unknown');
  await expect(plan.commit('add')).rejects.toMatchObject({ code: 'E_UNAVAILABLE' });
  expect(editor.text).toBe(before);
});

it.each(['asset-db query-ready', 'scene query-is-ready'])(
  'fails with E_PRECONDITION_FAILED where %s is not answered with yes',
  async (message) => {
    await using bench = await openBench();
    for (const answer of [false, undefined]) {
      bench.editor.fail(message, { answer });
      const planning = bench.backend.plan(label, { newId });
      await expect(planning).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
    }
  },
);

it('fails with E_INTERNAL where the editor does not say what it made, and takes the files back', async () => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  const before = game.snapshot();
  const image = {
    op: 'import_image',
    sourcePath: 'icon-source.png',
    assetPath: 'assets/new.png',
  } as const;
  const plan = await backend.plan([image, ...label], { newId });
  editor.fail('scene create-node', 'undefined');
  await expect(plan.commit('add')).rejects.toMatchObject({ code: 'E_INTERNAL' });
  expect(game.snapshot()).toEqual(before);
  expect(await backend.history()).toEqual([]);
});

it('fails with E_INTERNAL, and says what, where the editor does not keep a value', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  const before = editor.text;
  const edit = { op: 'update_node', nodeUuid: 'Canvas', active: false } as const;
  const plan = await backend.plan([edit], { newId });
  editor.fail('scene set-property', { answer: true });
  editor.fail('scene set-property', { answer: true });
  await expect(plan.commit('hide')).rejects.toMatchObject({
    code: 'E_INTERNAL',
    details: { differences: [{ name: 'active', wanted: false, found: true }], restored: true },
  });
  expect(editor.text).toBe(before);
});

it('sets a value again where setting another one changed it', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  const edit = { op: 'update_node', nodeUuid: 'Canvas', active: false } as const;
  const plan = await backend.plan([edit], { newId });
  editor.fail('scene set-property', { answer: true });
  await plan.commit('hide');
  expect(await backend.node(undefined, 'Canvas')).toMatchObject({ active: false });
});

it('opens another scene only when nothing is lost, without a dialog', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  const second = { op: 'create_scene', assetPath: 'assets/second.scene' } as const;
  await (await backend.plan([second], { newId })).commit('second');
  editor.change((scene) => updateNode(scene, 'Canvas', { name: 'Changed' }));
  await expect(backend.openDocument('assets/second.scene')).rejects.toMatchObject({
    code: 'E_PRECONDITION_FAILED',
  });
  expect(await backend.currentDocument()).toBe('assets/main.scene');
  await backend.save(undefined);
  expect(await backend.openDocument('assets/second.scene')).toMatchObject({
    path: 'assets/second.scene',
  });
  expect(await backend.currentDocument()).toBe('assets/second.scene');
  expect(editor.dialogs).toEqual([]);
});

it('edits a scene that is not open, in its file', async () => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  const second = { op: 'create_scene', assetPath: 'assets/second.scene' } as const;
  await (await backend.plan([second], { newId })).commit('second');
  const before = editor.text;
  const edit = { ...label[0], scenePath: 'assets/second.scene' } as Edit;
  await (await backend.plan([edit], { newId })).commit('there');
  expect(game.read('assets/second.scene')).toContain('"Title"');
  expect(editor.text).toBe(before);
});

it('never saves for somebody else: what loads the scene anew is refused before', async () => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  const before = game.snapshot();
  editor.change((scene) => updateNode(scene, 'Canvas', { name: 'Changed' }));
  const edit = { op: 'create_prefab', nodeUuid: 'Changed', assetPath: 'assets/c.prefab' } as const;
  const plan = await backend.plan([edit], { newId });
  await expect(plan.commit('prefab')).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
  expect(game.snapshot()).toEqual(before);
});

it('refuses to move or delete the scene that is open', async () => {
  await using bench = await openBench();
  const edits: Edit[] = [
    { op: 'delete_asset', assetPath: 'assets/main.scene', force: true },
    { op: 'move_asset', assetPath: 'assets/main.scene', targetPath: 'assets/other.scene' },
  ];
  for (const edit of edits) {
    await expect(bench.backend.plan([edit], { newId })).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
    });
  }
});

it('does not undo what somebody has changed since', async () => {
  await using bench = await openBench();
  const { backend, editor } = bench;
  await (await backend.plan(label, { newId })).commit('add');
  editor.change((scene) => updateNode(scene, 'Canvas', { name: 'Changed' }));
  await expect(backend.undo()).rejects.toMatchObject({ code: 'E_CONFLICT' });
  expect(editor.text).toContain('"Changed"');
});

it('says that the project is in the editor', async () => {
  await using bench = await openBench();
  expect(await bench.backend.project()).toMatchObject({
    backend: 'editor',
    editor: { running: 'yes' },
    currentDocument: 'assets/main.scene',
  });
  expect(await bench.backend.diagnostics()).toMatchObject({ backend: 'editor', sceneScript: true });
});

it('edits no scene behind a prefab that is open, and not that prefab while it is unsaved', async () => {
  await using bench = await openBench();
  const { backend, editor, game } = bench;
  await (await backend.plan(label, { newId })).commit('add');
  const make = {
    op: 'create_prefab',
    nodeUuid: 'Canvas/Title',
    assetPath: 'assets/t.prefab',
  } as const;
  const { results } = await (await backend.plan([make], { newId })).commit('prefab');
  await backend.save(undefined);
  editor.shows = { mode: 'prefab', uuid: results[0].assetUuid };
  const before = game.snapshot();
  const inScene = await backend.plan([{ ...label[0], scenePath: 'assets/main.scene' } as Edit], {
    newId,
  });
  await expect(inScene.commit('no')).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
  const change = {
    op: 'update_node',
    scenePath: 'assets/t.prefab',
    nodeUuid: '',
    active: false,
  } as const;
  const inPrefab = await backend.plan([change], { newId });
  editor.change(() => undefined);
  await expect(inPrefab.commit('no')).rejects.toMatchObject({ code: 'E_PRECONDITION_FAILED' });
  expect(game.snapshot()).toEqual(before);
  editor.shows = { mode: 'animation', uuid: '' };
  await expect(backend.tree('assets/main.scene')).rejects.toMatchObject({
    code: 'E_PRECONDITION_FAILED',
  });
});
