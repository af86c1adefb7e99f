import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createNode,
  createScene,
  deleteNode,
  duplicateNode,
  moveNode,
  nodeElements,
  openDocument,
  openWorkspace,
  readComponent,
  readTransform,
  setTransform,
  updateNode,
} from '@mcp-kit/cocos/edit';
import { describe, expect, it } from 'vitest';
import {
  names,
  newSceneForEach,
  code,
  folder,
  printed,
  project,
  scene,
  valueOf,
  workspace,
} from '../../support/cocos/edit.ts';

newSceneForEach();

describe('Scenes', () => {
  it('are created with a Canvas of the size of the project, a meta, and the folders above', () => {
    const made = createScene(workspace, { path: 'db://assets/levels/one.scene' });
    expect(made.changes).toEqual([
      { type: 'create', target: 'assets/levels' },
      { type: 'create', target: 'assets/levels/one.scene' },
    ]);
    const document = openDocument(workspace, made.uuid);
    const canvas = readComponent(document, 'Canvas:cc.UITransform');
    expect(canvas.properties['contentSize']).toEqual({ width: 1280, height: 720 });
    expect(workspace.draft.meta('assets/levels')?.importer).toBe('directory');
    expect(code(() => createScene(workspace, { path: made.path }))).toBe('E_CONFLICT');
    expect(code(() => createScene(workspace, { path: 'assets/a.txt' }))).toBe('E_INVALID_ARGUMENT');
    expect(code(() => createScene(workspace, { path: '../out.scene' }))).not.toBe('none');
  });

  it('change nothing on the disk before the commit, and are what they were after an undo', async () => {
    expect(project.assetAt('assets/main.scene')).toBeUndefined();
    await project.commit(workspace.draft, 'create');
    const file = path.join(folder, 'assets/main.scene');
    const before = readFileSync(file, 'utf8');
    const next = await openWorkspace(project);
    const document = openDocument(next, 'assets/main.scene');
    createNode(document, { element: 'Button', name: 'Play' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    await project.commit(next.draft, 'button');
    expect(readFileSync(file, 'utf8')).not.toBe(before);
    await project.undo();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('Nodes', () => {
  it.each(nodeElements)('are created as %s', (element) => {
    const { node } = createNode(scene, { element, name: 'Thing', position: { x: 5, y: -5 } });
    printed(scene);
    const item = scene.view.get(node);
    expect(scene.view.name(item.index)).toBe('Thing');
    expect(readTransform(scene, item).position).toMatchObject({ x: 5, y: -5 });
  });

  it('of the UI need a Canvas, which can be made on the way', () => {
    createScene(workspace, { path: 'assets/empty.scene', empty: true });
    const empty = openDocument(workspace, 'assets/empty.scene');
    expect(code(() => createNode(empty, { element: 'Label' }))).toBe('E_PRECONDITION_FAILED');
    const { canvas, node } = createNode(empty, { element: 'Label', createCanvas: true });
    expect(scene.view.find(canvas ?? '')).toBeUndefined();
    expect(empty.view.path(empty.view.get(node).index)).toBe('Canvas/Label');
    printed(empty);
  });

  it('are renamed, hidden, locked and put in layers', () => {
    const { node } = createNode(scene, { element: 'Label' });
    const { changes } = updateNode(scene, node, {
      name: 'Score',
      active: false,
      layer: 'DEFAULT',
      locked: true,
    });
    expect(changes).toHaveLength(4);
    expect(scene.view.at(scene.view.get(node).index)).toMatchObject({
      _name: 'Score',
      _active: false,
      _layer: 1_073_741_824,
      _objFlags: 512,
    });
    expect(code(() => updateNode(scene, node, { name: 'a/b' }))).toBe('E_INVALID_ARGUMENT');
    expect(code(() => updateNode(scene, node, { layer: 'NOWHERE' }))).toBe('E_INVALID_ARGUMENT');
  });

  it('move among their siblings and to other parents, and may stay where they are in the world', () => {
    const a = createNode(scene, {
      name: 'A',
      position: { x: 100, y: 0 },
      rotation: { z: 90 },
      scale: { x: 2, y: 2 },
    }).node;
    const b = createNode(scene, { name: 'B', position: { x: 100, y: 50 } }).node;
    moveNode(scene, b, { siblingIndex: 0 });
    expect(names(scene, '')[0]).toBe('B');
    moveNode(scene, b, { parent: a, keepWorldTransform: true });
    const { position, rotation, scale } = readTransform(scene, scene.view.get(b));
    expect(position.x).toBeCloseTo(25);
    expect(position.y).toBeCloseTo(0);
    expect(rotation.z).toBeCloseTo(-90);
    expect(scale.x).toBeCloseTo(0.5);
    expect(code(() => moveNode(scene, a, { parent: b }))).toBe('E_CONFLICT');
    printed(scene);
  });

  it('are deleted with what is below, and references to them become null', () => {
    const { node } = createNode(scene, { element: 'ScrollView' });
    const content = scene.view.get('Canvas/ScrollView/view/content').handle;
    const { changes } = deleteNode(scene, content);
    expect(changes).toContainEqual(
      expect.objectContaining({ type: 'update', field: '_content', to: null }),
    );
    expect(
      readComponent(scene, `Canvas/ScrollView:cc.ScrollView`).properties['content'],
    ).toBeNull();
    deleteNode(scene, node);
    expect(names(scene, 'Canvas')).toEqual(['Camera']);
    expect(printed(scene).objects).toHaveLength(17);
    expect(code(() => deleteNode(scene, ''))).toBe('E_PRECONDITION_FAILED');
  });

  it('are copied with new ids, and what points inside the original points inside the copy', () => {
    const { node } = createNode(scene, { element: 'ProgressBar' });
    const copy = duplicateNode(scene, node, { name: 'Energy' });
    expect(names(scene, 'Canvas')).toEqual(['Camera', 'ProgressBar', 'Energy']);
    const bar = readComponent(scene, 'Canvas/Energy:cc.ProgressBar').properties['barSprite'];
    expect(bar).toBe(readComponent(scene, 'Canvas/Energy/Bar:cc.Sprite').handle);
    expect(copy.node).not.toBe(node);
    printed(scene);
  });

  it('are turned by degrees or by a quaternion, and say what will overrule them', () => {
    const { node } = createNode(scene, { element: 'Widget' });
    const turned = setTransform(scene, node, { position: { x: 3 }, rotation: { z: 30 } });
    expect(turned.after).toEqual({
      position: { x: 3, y: 0, z: 0 },
      rotation: { x: 0, y: 0, z: 30 },
      scale: { x: 1, y: 1, z: 1 },
    });
    expect(turned.warnings.join()).toContain('cc.Widget');
    expect(valueOf(scene, node, '_lrot')).toMatchObject({ z: Math.sin(Math.PI / 12) });
    const back = setTransform(scene, node, {
      quaternion: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 },
    });
    expect(back.after.rotation.z).toBeCloseTo(90);
    expect(setTransform(scene, node, { scale: { x: 0 } }).warnings.join()).toContain('hides');
    expect(code(() => setTransform(scene, node, { position: { x: Number.NaN } }))).toBe(
      'E_INVALID_ARGUMENT',
    );
    expect(code(() => setTransform(scene, '', { position: { x: 1 } }))).toBe(
      'E_PRECONDITION_FAILED',
    );
  });
});
