import {
  assignSprite,
  createEmptyPrefab,
  createFolder,
  createNode,
  createScene,
  deleteAsset,
  importImage,
  instantiatePrefab,
  moveAsset,
  openDocument,
  readComponent,
  replaceReferences,
} from '@mcp-kit/cocos/edit';
import { describe, expect, it } from 'vitest';
import {
  newSceneForEach,
  code,
  printed,
  project,
  scene,
  workspace,
} from '../../support/cocos/edit.ts';
import { borderedPng } from '../../support/cocos/game.ts';

newSceneForEach();

describe('Assets', () => {
  it('of pictures are imported once, shown by sprites, and sized', async () => {
    const made = await importImage(workspace, {
      bytes: borderedPng(12, 8),
      path: 'assets/art/hero.png',
      type: 'sprite-frame',
    });
    expect(made).toMatchObject({ reused: false, spriteFrameUuid: `${made.uuid}@f9941` });
    await expect(
      importImage(workspace, { bytes: borderedPng(12, 8), path: 'assets/art/hero.png' }),
    ).resolves.toMatchObject({ uuid: made.uuid, reused: true, changes: [] });
    const { node } = createNode(scene, { element: 'Node', name: 'Hero' });
    const { component } = assignSprite(scene, node, { spriteFrame: 'assets/art/hero.png' });
    expect(readComponent(scene, component).properties['spriteFrame']).toBe(
      'db://assets/art/hero.png/spriteFrame',
    );
    expect(readComponent(scene, 'Canvas/Hero:cc.UITransform').properties['contentSize']).toEqual({
      width: 10,
      height: 6,
    });
    assignSprite(scene, node, { spriteFrame: made.spriteFrameUuid ?? '', sizeMode: 'RAW' });
    expect(readComponent(scene, 'Canvas/Hero:cc.UITransform').properties['contentSize']).toEqual({
      width: 12,
      height: 8,
    });
    const update = await importImage(workspace, {
      bytes: borderedPng(20, 20),
      path: 'assets/art/hero.png',
    });
    expect(update).toMatchObject({ uuid: made.uuid, reused: false });
    await expect(
      importImage(workspace, {
        bytes: borderedPng(9, 9),
        path: 'assets/art/hero.png',
        onConflict: 'fail',
      }),
    ).rejects.toMatchObject({ code: 'E_CONFLICT' });
    await expect(
      importImage(workspace, { bytes: borderedPng(9, 9), path: 'assets/art/hero.jpg' }),
    ).rejects.toMatchObject({ code: 'E_INVALID_ARGUMENT' });
    createNode(scene, { element: 'Label', name: 'Text' });
    expect(code(() => assignSprite(scene, 'Canvas/Text', { spriteFrame: made.uuid }))).toBe(
      'E_CONFLICT',
    );
    printed(scene);
  });

  it('move with their metas, and are found again', () => {
    createFolder(workspace, 'assets/old/inner');
    createScene(workspace, { path: 'assets/old/inner/level.scene' });
    const { uuid } = createEmptyPrefab(workspace, { path: 'assets/old/thing.prefab' });
    instantiatePrefab(scene, { prefab: uuid, name: 'T' });
    moveAsset(workspace, { from: 'assets/old', to: 'assets/new/place' });
    moveAsset(workspace, { from: 'assets/new/place/thing.prefab', to: 'assets/gadget.prefab' });
    expect(workspace.draft.asset(uuid)?.path).toBe('assets/gadget.prefab');
    expect(workspace.draft.meta('assets/gadget.prefab')?.value['userData']).toEqual({
      syncNodeName: 'gadget',
    });
    expect(printed(openDocument(workspace, uuid)).objects[1]).toMatchObject({ _name: 'gadget' });
    expect(workspace.draft.exists('assets/old')).toBe(false);
    expect(workspace.draft.exists('assets/new/place/inner/level.scene.meta')).toBe(true);
    expect(code(() => moveAsset(workspace, { from: uuid, to: 'assets/x.scene' }))).toBe(
      'E_INVALID_ARGUMENT',
    );
  });

  it('are refused in hundreds of folders, and made in sixty at little cost', () => {
    const deep = (folders: number): string => `assets${'/a'.repeat(folders)}`;
    expect(code(() => createFolder(workspace, deep(400)))).toBe('E_INVALID_ARGUMENT');
    expect(code(() => createFolder(workspace, `assets/${'a'.repeat(2000)}`))).toBe(
      'E_INVALID_ARGUMENT',
    );
    const before = process.cpuUsage();
    expect(createFolder(workspace, deep(60)).changes).toHaveLength(60);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  it('in use are deleted only by force, and references can be replaced before', async () => {
    const first = await importImage(workspace, {
      bytes: borderedPng(4, 4),
      path: 'assets/a.png',
      type: 'sprite-frame',
    });
    const second = await importImage(workspace, {
      bytes: borderedPng(5, 5),
      path: 'assets/b.png',
      type: 'sprite-frame',
    });
    createNode(scene, { element: 'Sprite', name: 'S' });
    assignSprite(scene, 'Canvas/S', { spriteFrame: first.uuid });
    await expect(deleteAsset(workspace, { path: 'assets/a.png' })).rejects.toMatchObject({
      code: 'E_PRECONDITION_FAILED',
      details: { users: ['assets/main.scene'] },
    });
    const replaced = await replaceReferences(workspace, {
      from: first.spriteFrameUuid ?? '',
      to: second.spriteFrameUuid ?? '',
    });
    expect(replaced).toMatchObject({ count: 1, files: [{ path: 'assets/main.scene', count: 1 }] });
    expect(readComponent(scene, 'Canvas/S:cc.Sprite').properties['spriteFrame']).toBe(
      'db://assets/b.png/spriteFrame',
    );
    await deleteAsset(workspace, { path: 'assets/a.png' });
    expect(workspace.draft.asset(first.uuid)).toBeUndefined();
    const forced = await deleteAsset(workspace, { path: second.uuid, force: true });
    expect(forced.users).toEqual(['assets/main.scene']);
    const done = await project.commit(workspace.draft, 'all');
    expect(done?.files.map(({ path: file }) => file)).not.toContain('assets/a.png');
  });
});
