import { typeOf } from '@mcp-kit/cocos/document';
import {
  addComponent,
  applyOverrides,
  createEmptyPrefab,
  createNode,
  createPrefab,
  instantiatePrefab,
  listOverrides,
  openDocument,
  readComponent,
  readTransform,
  removeComponent,
  replaceReferences,
  revertOverrides,
  setProperties,
  unpackPrefab,
  updateInstance,
  updateNode,
} from '@mcp-kit/cocos/edit';
import { describe, expect, it } from 'vitest';
import {
  names,
  newSceneForEach,
  code,
  printed,
  scene,
  workspace,
} from '../../support/cocos/edit.ts';

newSceneForEach();

describe('Prefabs', () => {
  function makeDialog(): { node: string; uuid: string } {
    const { node } = createNode(scene, {
      element: 'Node',
      name: 'Dialog',
      position: { x: 7, y: 8 },
    });
    createNode(scene, { parent: node, element: 'Button', name: 'Ok' });
    addComponent(scene, node, {
      type: 'Menu',
      properties: { panel: 'Canvas/Dialog/Ok', title: 'Canvas/Dialog/Ok/Label' },
    });
    return createPrefab(scene, node, { path: 'assets/ui/dialog.prefab' });
  }

  it('are made of a node, which an instance replaces where it was', () => {
    const { node, uuid } = makeDialog();
    const item = scene.view.get(node);
    expect(item).toMatchObject({ instance: item.index, asset: uuid });
    expect(scene.view.path(item.index)).toBe('Canvas/Dialog');
    expect(readTransform(scene, item).position).toMatchObject({ x: 7, y: 8 });
    const table = printed(scene);
    expect(table.objects.filter((entry) => typeOf(entry) === 'cc.PrefabInstance')).toHaveLength(1);
    const prefab = printed(openDocument(workspace, uuid));
    expect(prefab.objects[0]).toMatchObject({ __type__: 'cc.Prefab', _name: 'dialog' });
    expect(code(() => createPrefab(scene, node, { path: 'assets/b.prefab' }))).toBe(
      'E_PRECONDITION_FAILED',
    );
    expect(code(() => createPrefab(scene, 'Canvas', { path: 'assets/ui/dialog.prefab' }))).toBe(
      'E_CONFLICT',
    );
  });

  it('keep what points into the node, and out of it', () => {
    createNode(scene, { element: 'Node', name: 'Watcher' });
    const dialog = createNode(scene, { element: 'Node', name: 'Dialog' }).node;
    createNode(scene, { parent: dialog, element: 'Label', name: 'Text' });
    addComponent(scene, 'Canvas/Watcher', {
      type: 'Menu',
      properties: { panel: dialog, title: 'Canvas/Dialog/Text' },
    });
    addComponent(scene, dialog, {
      type: 'Menu',
      properties: { panel: 'Canvas/Watcher', items: ['Canvas', dialog] },
    });
    const { node } = createPrefab(scene, dialog, { path: 'assets/dialog.prefab' });
    const watcher = readComponent(scene, 'Canvas/Watcher:Menu').properties;
    expect(watcher['panel']).toBe(node);
    expect(watcher['title']).toBe(readComponent(scene, 'Canvas/Dialog/Text:cc.Label').handle);
    const inner = readComponent(scene, 'Canvas/Dialog:Menu').properties;
    expect(inner['panel']).toBe(scene.view.get('Canvas/Watcher').handle);
    expect(inner['items']).toEqual([scene.view.get('Canvas').handle, node]);
    printed(scene);
    const again = openDocument(workspace, 'assets/dialog.prefab');
    expect(readComponent(again, ':Menu').properties['panel']).toBeNull();
  });

  it('are placed, changed, reverted and unpacked', () => {
    const { uuid } = makeDialog();
    const { node } = instantiatePrefab(scene, {
      prefab: uuid,
      parent: 'Canvas',
      name: 'Second',
      position: { x: 1 },
      scale: { x: 2, y: 2 },
    });
    expect(listOverrides(scene, node).map(({ property }) => property)).toEqual([
      'name',
      'position',
      'rotation',
      'scale',
    ]);
    setProperties(scene, 'Canvas/Second/Ok/Label:cc.Label', { string: 'Yes', color: '#ff0000' });
    setProperties(scene, 'Canvas/Second/Ok:cc.Button', {
      clickEvents: [{ target: 'Canvas/Second', component: 'Menu', handler: 'close' }],
    });
    updateNode(scene, 'Canvas/Second/Ok', { active: false });
    expect(readComponent(scene, 'Canvas/Second/Ok/Label:cc.Label').properties['string']).toBe(
      'Yes',
    );
    expect(readComponent(scene, 'Canvas/Dialog/Ok/Label:cc.Label').properties['string']).toBe(
      'button',
    );
    printed(scene);
    const { changes } = revertOverrides(scene, node, ({ property }) => property === 'string');
    expect(changes).toHaveLength(1);
    expect(readComponent(scene, 'Canvas/Second/Ok/Label:cc.Label').properties).toMatchObject({
      string: 'button',
      color: '#ff0000',
    });
    unpackPrefab(scene, node);
    expect(scene.view.get('Canvas/Second').instance).toBeUndefined();
    expect(readComponent(scene, 'Canvas/Second/Ok/Label:cc.Label').properties['color']).toBe(
      '#ff0000',
    );
    printed(scene);
  });

  it('say what an update of an instance added, changed and removed', () => {
    const { uuid, node } = makeDialog();
    const label = 'Ok/Label';
    const first = updateInstance(scene, node, {
      prefab: uuid,
      overrides: [
        { property: 'position', value: { x: 9 } },
        { target: label, property: 'name', value: 'Caption' },
      ],
    });
    expect(first.diff).toEqual({
      added: ['Canvas/Dialog/Ok/Caption.name'],
      changed: ['Canvas/Dialog.position'],
      removed: [],
    });
    const second = updateInstance(scene, node, { revert: true });
    expect(second.diff.removed).toEqual(['Canvas/Dialog/Ok/Caption.name']);
    createEmptyPrefab(workspace, { path: 'assets/other.prefab' });
    expect(code(() => updateInstance(scene, node, { prefab: 'assets/other.prefab' }))).toBe(
      'E_CONFLICT',
    );
    expect(code(() => updateInstance(scene, 'Canvas', {}))).toBe('E_PRECONDITION_FAILED');
  });

  it('take over what an instance has, for all instances', () => {
    const { uuid, node } = makeDialog();
    instantiatePrefab(scene, { prefab: uuid, parent: 'Canvas', name: 'Second' });
    setProperties(scene, 'Canvas/Dialog:cc.UITransform', { contentSize: { width: 300 } });
    setProperties(scene, 'Canvas/Dialog/Ok:cc.Button', {
      clickEvents: [{ target: 'Canvas/Dialog', handler: 'close', component: 'Menu' }],
    });
    createNode(scene, { parent: 'Canvas/Dialog/Ok', element: 'Sprite', name: 'Badge' });
    removeComponent(scene, 'Canvas/Dialog/Ok/Label:cc.Label');
    setProperties(scene, 'Canvas/Dialog:Menu', { panel: 'Canvas/Camera' });
    const { applied, kept } = applyOverrides(scene, node);
    expect(kept).toBe(1);
    expect(applied).toBeGreaterThan(2);
    const prefab = openDocument(workspace, uuid);
    printed(prefab);
    expect(readComponent(prefab, ':cc.UITransform').properties['contentSize']).toEqual({
      width: 300,
      height: 100,
    });
    expect(prefab.view.find('Ok/Badge')).toBeDefined();
    expect(scene.view.find('Canvas/Second/Ok/Badge')).toBeDefined();
    expect(scene.view.components(scene.view.get('Canvas/Second/Ok/Label').index)).toHaveLength(1);
    expect(
      readComponent(scene, 'Canvas/Second/Ok:cc.Button').properties['clickEvents'],
    ).toMatchObject([{ target: scene.view.get('Canvas/Second').handle, handler: 'close' }]);
    expect(names(scene, 'Canvas/Dialog/Ok')).toEqual(['Label', 'Badge']);
    printed(scene);
  });

  it('never contain themselves', async () => {
    const a = createEmptyPrefab(workspace, { path: 'assets/a.prefab', ui: true });
    const b = createEmptyPrefab(workspace, { path: 'assets/b.prefab', ui: true });
    const inA = openDocument(workspace, a.path);
    const inB = openDocument(workspace, b.path);
    expect(code(() => instantiatePrefab(inA, { prefab: a.uuid }))).toBe('E_CONFLICT');
    instantiatePrefab(inA, { prefab: b.uuid });
    expect(code(() => instantiatePrefab(inB, { prefab: a.uuid }))).toBe('E_CONFLICT');
    printed(inA);
    await expect(replaceReferences(workspace, { from: b.uuid, to: a.uuid })).rejects.toMatchObject({
      code: 'E_INVALID_ARGUMENT',
    });
  });
});
