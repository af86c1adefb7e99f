import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import {
  checkTable,
  type Json,
  newUuid,
  parseTable,
  printTable,
  scriptTypeOf,
  typeOf,
} from '#cocos/document';
import { openProject, type Project } from '#cocos/project';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addComponent,
  applyOverrides,
  assignSprite,
  createEmptyPrefab,
  createFolder,
  createNode,
  createPrefab,
  createScene,
  deleteAsset,
  deleteNode,
  duplicateNode,
  importImage,
  instantiatePrefab,
  listOverrides,
  moveAsset,
  moveNode,
  nodeElements,
  openDocument,
  openWorkspace,
  readComponent,
  readTransform,
  removeComponent,
  replaceReferences,
  revertOverrides,
  type SceneDocument,
  setComponentEnabled,
  setProperties,
  setTransform,
  unpackPrefab,
  updateInstance,
  updateNode,
  type Workspace,
} from './index.ts';

const menuSource = `
import { _decorator, Component, Node, Label, SpriteFrame } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('Menu')
export class Menu extends Component {
  @property(Node) panel: Node = null;
  @property(Label) title: Label = null;
  @property([Node]) items: Node[] = [];
  @property(SpriteFrame) icon: SpriteFrame = null;
  @property speed = 3;
  @property hint = 'go';
  onPlay() {}
  onStop() {}
  close() {}
}
`;

let folder: string;
let project: Project;
let workspace: Workspace;
let scene: SceneDocument;
const menuUuid = newUuid();

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'cocos-edit-'));
  const creator = { version: '3.8.6' };
  write('package.json', JSON.stringify({ name: 'game', uuid: newUuid(), creator }));
  write('assets/scripts.meta', meta('directory', newUuid()));
  write('assets/scripts/menu.ts', menuSource);
  write('assets/scripts/menu.ts.meta', meta('typescript', menuUuid));
  project = await openProject(folder);
  workspace = await openWorkspace(project);
  createScene(workspace, { path: 'assets/main.scene' });
  scene = openDocument(workspace, 'assets/main.scene');
});

afterEach(() => {
  project[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function meta(importer: string, uuid: string): string {
  const value = {
    ver: '4.0.24',
    importer,
    imported: true,
    uuid,
    files: [],
    subMetas: {},
    userData: {},
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What a document would be on the disk, sound and in the order of the editor. */
function printed(document: SceneDocument): ReturnType<typeof parseTable> {
  const table = parseTable(printTable(document.view.table), document.path);
  expect(checkTable(table)).toEqual([]);
  expect(table.canonical).toBe(true);
  return table;
}

function valueOf(document: SceneDocument, handle: string, field: string): Json | undefined {
  return document.view.at(document.view.get(handle).index)[field];
}

function code(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
}

/** A picture of one colour with an empty border of a pixel. */
function png(width: number, height: number): Uint8Array {
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++)
      rows.fill(255, y * (width * 4 + 1) + 1 + x * 4, y * (width * 4 + 1) + 5 + x * 4);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

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

function names({ view }: SceneDocument, reference: string): string[] {
  return view.children(view.get(reference).index).map(({ index }) => view.name(index));
}

describe('Components', () => {
  it('bring what they require, and refuse what they do not go with', () => {
    const { node } = createNode(scene, { element: 'Empty', name: 'N' });
    const { added } = addComponent(scene, node, { type: 'SafeArea' });
    expect(added.map(({ type }) => type)).toEqual(['cc.UITransform', 'cc.Widget', 'cc.SafeArea']);
    addComponent(scene, node, { type: 'cc.Label', properties: { string: 'Hi', fontSize: 30 } });
    expect(code(() => addComponent(scene, node, { type: 'cc.Sprite' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'cc.UITransform' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'cc.Mask' }))).toBe('E_CONFLICT');
    expect(code(() => addComponent(scene, node, { type: 'Spite' }))).toBe('E_NOT_FOUND');
    expect(code(() => removeComponent(scene, 'N:cc.Widget'))).toBe('E_PRECONDITION_FAILED');
    removeComponent(scene, 'N:cc.SafeArea');
    removeComponent(scene, 'N:cc.Widget');
    setComponentEnabled(scene, 'N:cc.Label', false);
    expect(readComponent(scene, 'N:cc.Label')).toMatchObject({
      enabled: false,
      properties: { string: 'Hi' },
    });
    printed(scene);
  });

  it('of masks cut by graphics of their own, or by the sprite of their node', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'M' });
    expect(addComponent(scene, node, { type: 'cc.Mask' }).added.map(({ type }) => type)).toEqual([
      'cc.Mask',
      'cc.Graphics',
    ]);
    const { node: other } = createNode(scene, { element: 'Sprite', name: 'S' });
    const { added, component } = addComponent(scene, other, { type: 'cc.Mask' });
    expect(added).toHaveLength(1);
    expect(readComponent(scene, component).properties['type']).toBe('SPRITE_STENCIL');
  });

  it('are set by the names of the editor, by paths, and all or none', () => {
    createNode(scene, { element: 'Button', name: 'B' });
    const before = printTable(scene.view.table);
    expect(
      code(() => setProperties(scene, 'Canvas/B:cc.Button', { zoomScale: 2, duration: 'long' })),
    ).toBe('E_INVALID_ARGUMENT');
    expect(printTable(scene.view.table)).toBe(before);
    const { changes } = setProperties(scene, 'Canvas/B:cc.Button', {
      transition: 'SCALE',
      normalColor: '#102030',
      'hoverColor.r': 1,
      target: 'Canvas',
    });
    expect(changes.map(({ field }) => field)).toEqual([
      '_transition',
      '_normalColor',
      '_hoverColor.r',
      '_target',
    ]);
    expect(readComponent(scene, 'Canvas/B:cc.Button').properties).toMatchObject({
      transition: 'SCALE',
      normalColor: '#102030',
      hoverColor: '#01d3d3',
      target: scene.view.get('Canvas').handle,
    });
    expect(code(() => setProperties(scene, 'Canvas/B:cc.Button', { nothing: 1 }))).toBe(
      'E_INVALID_ARGUMENT',
    );
    expect(code(() => setProperties(scene, 'Canvas/B', { zoomScale: 1 }))).toBe(
      'E_INVALID_ARGUMENT',
    );
    expect(code(() => setProperties(scene, 'Canvas/B:cc.Label', { string: '' }))).toBe(
      'E_NOT_FOUND',
    );
    printed(scene);
  });

  it('of one value change one line', () => {
    createNode(scene, { element: 'Label', name: 'L' });
    const before = printTable(scene.view.table).split('\n');
    setProperties(scene, 'Canvas/L:cc.Label', { string: 'other' });
    const after = printTable(scene.view.table).split('\n');
    expect(after.filter((line, index) => line !== before[index])).toEqual([
      '    "_string": "other",',
    ]);
  });

  it('of scripts have the properties of the source, checked', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'Root' });
    createNode(scene, { element: 'Label', name: 'Title' });
    const { component } = addComponent(scene, node, {
      type: 'Menu',
      properties: {
        panel: 'Canvas/Title',
        title: 'Canvas/Title',
        items: ['Canvas', 'Canvas/Root'],
        speed: 5,
      },
    });
    const entry = scene.view.at(scene.view.get(component).index);
    expect(typeOf(entry)).toBe(scriptTypeOf(menuUuid));
    expect(Object.keys(entry).slice(7)).toEqual([
      'panel',
      'title',
      'items',
      'icon',
      'speed',
      'hint',
      '_id',
    ]);
    expect(readComponent(scene, component)).toMatchObject({
      type: 'Menu',
      properties: { speed: 5, hint: 'go' },
    });
    for (const properties of [{ speed: 'fast' }, { colour: 1 }, { title: 'Canvas' }])
      expect(code(() => setProperties(scene, component, properties))).not.toBe('none');
    expect(code(() => addComponent(scene, node, { type: 'assets/scripts/menu.ts' }))).toBe('none');
    printed(scene);
  });

  it('call methods of scripts by events', () => {
    const { node } = createNode(scene, { element: 'Node', name: 'Root' });
    addComponent(scene, node, { type: 'Menu' });
    createNode(scene, { element: 'Button', name: 'B' });
    const event = {
      target: 'Canvas/Root',
      component: 'Menu',
      handler: 'onPlay',
      customEventData: '1',
    };
    setProperties(scene, 'Canvas/B:cc.Button', { clickEvents: [event] });
    const stored = printed(scene).objects.filter((entry) => typeOf(entry) === 'cc.ClickEvent');
    expect(stored).toHaveLength(1);
    expect(stored[0]).toMatchObject({
      component: '',
      _componentId: scriptTypeOf(menuUuid),
      handler: 'onPlay',
    });
    setProperties(scene, 'Canvas/B:cc.Button', { 'clickEvents.0.handler': 'onStop' });
    expect(readComponent(scene, 'Canvas/B:cc.Button').properties['clickEvents']).toEqual([
      {
        target: scene.view.get('Canvas/Root').handle,
        component: '',
        componentId: scriptTypeOf(menuUuid),
        handler: 'onStop',
        customEventData: '1',
      },
    ]);
    expect(
      code(() => setProperties(scene, 'Canvas/B:cc.Button', { 'clickEvents.1.handler': 'x' })),
    ).toBe('E_INVALID_ARGUMENT');
  });
});

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
      '_name',
      '_lpos',
      '_lrot',
      '_euler',
      '_lscale',
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
    const { changes } = revertOverrides(scene, node, ({ property }) => property === '_string');
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
      added: ['Canvas/Dialog/Ok/Caption._name'],
      changed: ['Canvas/Dialog._lpos'],
      removed: [],
    });
    const second = updateInstance(scene, node, { revert: true });
    expect(second.diff.removed).toEqual(['Canvas/Dialog/Ok/Caption._name']);
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

  it('never contain themselves', () => {
    const a = createEmptyPrefab(workspace, { path: 'assets/a.prefab', ui: true });
    const b = createEmptyPrefab(workspace, { path: 'assets/b.prefab', ui: true });
    const inA = openDocument(workspace, a.path);
    const inB = openDocument(workspace, b.path);
    expect(code(() => instantiatePrefab(inA, { prefab: a.uuid }))).toBe('E_CONFLICT');
    instantiatePrefab(inA, { prefab: b.uuid });
    expect(code(() => instantiatePrefab(inB, { prefab: a.uuid }))).toBe('E_CONFLICT');
    printed(inA);
  });
});

describe('Assets', () => {
  it('of pictures are imported once, shown by sprites, and sized', async () => {
    const made = await importImage(workspace, {
      bytes: png(12, 8),
      path: 'assets/art/hero.png',
      type: 'sprite-frame',
    });
    expect(made).toMatchObject({ reused: false, spriteFrameUuid: `${made.uuid}@f9941` });
    await expect(
      importImage(workspace, { bytes: png(12, 8), path: 'assets/art/hero.png' }),
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
      bytes: png(20, 20),
      path: 'assets/art/hero.png',
    });
    expect(update).toMatchObject({ uuid: made.uuid, reused: false });
    await expect(
      importImage(workspace, {
        bytes: png(9, 9),
        path: 'assets/art/hero.png',
        onConflict: 'fail',
      }),
    ).rejects.toMatchObject({ code: 'E_CONFLICT' });
    await expect(
      importImage(workspace, { bytes: png(9, 9), path: 'assets/art/hero.jpg' }),
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
      bytes: png(4, 4),
      path: 'assets/a.png',
      type: 'sprite-frame',
    });
    const second = await importImage(workspace, {
      bytes: png(5, 5),
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
