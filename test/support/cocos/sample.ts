import {
  createTable,
  entryAt,
  infoOf,
  insertComponent,
  insertNode,
  instanceFragment,
  prefabFrom,
  ref,
  refIndex,
  rootOf,
  SceneView,
  setValue,
  textOf,
} from '@mcp-kit/cocos/document';
import type { Entry, OwnEntry, Fragment, Json, Resolve, Table } from '@mcp-kit/cocos/document';

/** Ids that are the same in every run. */
export function countingIds(prefix = 'a0'): () => string {
  let count = 0;
  return () => prefix + (count++).toString(36).padStart(20, 'A');
}

const vec3 = (value: number): OwnEntry => ({ __type__: 'cc.Vec3', x: value, y: value, z: value });

/** A node as the editor writes one. */
export function node(name: string): OwnEntry {
  return {
    __type__: 'cc.Node',
    _name: name,
    _objFlags: 0,
    __editorExtras__: {},
    _parent: null,
    _children: [],
    _active: true,
    _components: [],
    _prefab: null,
    _lpos: vec3(0),
    _lrot: { __type__: 'cc.Quat', x: 0, y: 0, z: 0, w: 1 },
    _lscale: vec3(1),
    _mobility: 0,
    _layer: 33554432,
    _euler: vec3(0),
    _id: '',
  };
}

/** A component of a made-up script: a text, a list, something to refer to and a list of such. */
export function component(fields: Readonly<Record<string, Json>> = {}): Entry {
  return {
    __type__: 'fc9913XADNLgJ1ByKhqcC5Z',
    _name: '',
    _objFlags: 0,
    __editorExtras__: {},
    node: null,
    _enabled: true,
    __prefab: null,
    text: '',
    list: [1, 2],
    target: null,
    targets: [],
    ...fields,
    _id: '',
  };
}

/** A node with one component, to be inserted. */
export function nodeWithComponent(name: string): Fragment {
  const root = { ...node(name), _components: [ref(1)] };
  return { objects: [root, { ...component(), node: ref(0) }] };
}

/** An empty scene. */
export function emptyScene(): Table {
  const head = {
    __type__: 'cc.SceneAsset',
    _name: 'sample',
    _objFlags: 0,
    __editorExtras__: {},
    _native: '',
    scene: ref(1),
  };
  const { _id, ...fields } = node('sample');
  const scene = {
    ...fields,
    __type__: 'cc.Scene',
    autoReleaseAssets: false,
    _globals: ref(2),
    _id: '5298bb0b-166e-4978-af98-0047d43757de',
  };
  return createTable([head, scene, { __type__: 'cc.SceneGlobals', bakedWithHighpLightmap: false }]);
}

/** An instance of a prefab, to be inserted. */
export function instance(prefab: Table, uuid: string, name: string): Fragment {
  const info = infoOf(prefab, entryAt(prefab, rootOf(prefab)));
  return instanceFragment({ uuid, rootFileId: textOf(info?.['fileId']), name });
}

/** The number of the first component of a node. */
export function firstComponent(view: SceneView, index: number): number {
  const found = view.components(index)[0]?.index;
  if (found === undefined) throw new Error(`no component on ${view.path(index)}`);
  return found;
}

export const leafUuid = '11111111-1111-4111-8111-111111111111';
export const branchUuid = '22222222-2222-4222-8222-222222222222';

export interface Sample {
  readonly leaf: Table;
  readonly branch: Table;
  readonly scene: Table;
  readonly resolve: Resolve;
}

/**
 * Leaf: a node with a component and a child with another. Branch: a node with a component that refers into an instance of Leaf
 * below it. Scene: Canvas with a plain node that has a component, and two Branches.
 */
export function sample(): Sample {
  const newId = countingIds('a0');
  const leaf = prefabFrom(nodeWithComponent('Leaf'), 'Leaf', countingIds('1e'));
  const tables = new Map([[leafUuid, leaf]]);
  const resolve: Resolve = (uuid) => tables.get(uuid);
  const leafView = new SceneView(leaf, resolve);
  insertNode(leafView, nodeWithComponent('Tip'), {
    parent: rootOf(leaf),
    newId: countingIds('1f'),
  });

  const branch = prefabFrom(nodeWithComponent('Branch'), 'Branch', countingIds('b0'));
  const branchView = new SceneView(branch, resolve);
  insertNode(branchView, instance(leaf, leafUuid, 'MyLeaf'), {
    parent: rootOf(branch),
    newId: countingIds('b1'),
  });
  const tip = firstComponent(branchView, branchView.get('MyLeaf/Tip').index);
  const value = ref(tip);
  setValue(branchView, firstComponent(branchView, rootOf(branch)), { path: ['target'], value });
  tables.set(branchUuid, branch);

  const scene = emptyScene();
  const view = new SceneView(scene, resolve);
  const canvas = insertNode(view, { objects: [node('Canvas')] }, { parent: view.root, newId });
  for (const fragment of [
    nodeWithComponent('Plain'),
    instance(branch, branchUuid, 'One'),
    instance(branch, branchUuid, 'Two'),
  ]) {
    insertNode(view, fragment, { parent: canvas.index, newId });
  }
  insertComponent(view, { objects: [component()] }, { node: canvas.index, newId });
  return { leaf, branch, scene, resolve };
}

const structural = new Set(['_parent', '_children', '_components', 'node', '_prefab', '__prefab']);

/** What can be seen of a node or component. */
interface Seen {
  readonly handle: string;
  readonly kind: string;
  readonly inside: boolean;
  readonly owner: string;
  readonly path: string;
  readonly values: [string, Json][];
}

/** Everything that can be seen of a tree, without numbers: equal for two views of the same file. */
export function seen(view: SceneView): Seen[] {
  const describe = (value: Json, depth: number): Json => {
    const index = refIndex(value);
    if (index !== undefined) {
      const item = view.item(index);
      if (item) return `-> ${item.handle}`;
      return depth > 8 ? '...' : describe(view.at(index), depth + 1);
    }
    if (Array.isArray(value)) return value.map((element) => describe(element, depth + 1));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([key, part]) => [key, describe(part, depth + 1)]);
    return Object.fromEntries(fields) as Json;
  };
  return [...view.items()].map((item) => {
    const fields = Object.entries(view.at(item.index)).filter(([key]) => !structural.has(key));
    const up = refIndex(view.at(item.index)[item.kind === 'node' ? '_parent' : 'node']);
    if (up !== item.owner) throw new Error(`${item.handle} says that it belongs to ${up}`);
    const owner = item.owner === undefined ? '' : (view.item(item.owner)?.handle ?? '');
    const { handle, kind, inside } = item;
    // What mounts a node is not a field that anybody sees.
    const values = fields.filter(([key]) => key !== '__editorExtras__');
    return {
      handle,
      kind,
      inside,
      owner,
      path: view.path(item.index),
      values: values.map(([key, value]) => [key, describe(value, 0)]),
    };
  });
}

const naming = new Set(['_id', '__prefab', '_prefab']);

/** The same, but for how things are called: what stays as it is when an instance becomes nodes of the file. */
export function looksOf(view: SceneView): object[] {
  const places = new Map([...view.items()].map(({ handle }, at) => [handle, `#${at}`]));
  const placed = (value: Json): Json => {
    if (typeof value === 'string' && value.startsWith('-> ')) return placeOf(value.slice(3));
    if (Array.isArray(value)) return value.map(placed);
    if (typeof value !== 'object' || value === null) return value;
    // What was removed may still be referred to.
    if ('node' in value || '_parent' in value) return null;
    const fields = Object.entries(value).filter(([key]) => !naming.has(key));
    return Object.fromEntries(fields.map(([key, part]) => [key, placed(part)]));
  };
  const placeOf = (handle: string): string => places.get(handle) ?? handle;
  return seen(view).map(({ kind, owner, path, values }) => {
    const kept = values.filter(([key]) => !naming.has(key));
    return { kind, owner: placeOf(owner), path, values: placed(kept) };
  });
}
