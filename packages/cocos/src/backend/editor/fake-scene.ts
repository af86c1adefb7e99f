import { CocosError, isObject, type Json, setValue } from '#cocos/document';
import {
  addComponent,
  createNode,
  deleteNode,
  instantiatePrefab,
  moveNode,
  removeComponent,
  requireNode,
  type SceneDocument,
  setComponentEnabled,
  setProperties,
  setTransform,
  updateNode,
} from '#cocos/edit';
import { fromDump } from './dump.ts';
import { nodeDump, treeDump } from './fake-dump.ts';

/** What a message to the scene is carried out on. */
type SceneMessage = (document: SceneDocument, given: Record<string, Json>) => unknown;

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Messages that read the open scene; they take a uuid. */
export const sceneQueries: Readonly<
  Record<string, (document: SceneDocument, uuid: Json) => unknown>
> = {
  'query-node-tree': (document, uuid) => {
    const item = document.view.find(text(uuid));
    return item === undefined ? null : treeDump(document, item);
  },
  'query-node': (document, uuid) => {
    const item = document.view.find(text(uuid));
    return item?.kind === 'node' ? nodeDump(document, item) : null;
  },
};

/** Messages that change the open scene; they take an object. */
export const sceneChanges: Readonly<Record<string, SceneMessage>> = {
  'create-node'(document, { parent, name, assetUuid, type }) {
    const place = { parent: text(parent), name: text(name) };
    if (assetUuid === undefined) return createNode(document, { ...place, element: 'Empty' }).node;
    if (type !== 'cc.Prefab') throw new Error('a node is made of a prefab only by its type');
    return instantiatePrefab(document, { ...place, prefab: text(assetUuid) }).node;
  },
  'remove-node'(document, { uuid }) {
    deleteNode(document, text(uuid));
  },
  'set-parent'(document, { parent, uuids, keepWorldTransform }) {
    const nodes = Array.isArray(uuids) ? uuids.map(text) : [];
    for (const node of nodes) {
      moveNode(document, node, {
        parent: text(parent),
        keepWorldTransform: keepWorldTransform === true,
      });
    }
    return nodes;
  },
  'move-array-element'(document, { uuid, path, target, offset }) {
    if (path !== 'children') return false;
    const { index } = requireNode(document, text(uuid));
    const child = document.view.children(index)[Number(target)];
    if (child === undefined) return false;
    const siblingIndex = Number(target) + Number(offset);
    moveNode(document, child.handle, { siblingIndex });
    return true;
  },
  'create-component'(document, { uuid, component }) {
    addComponent(document, text(uuid), { type: text(component) });
  },
  'remove-component'(document, { uuid }) {
    removeComponent(document, text(uuid), { force: true });
  },
  'set-property'(document, { uuid, path, dump }) {
    try {
      setProperty(document, text(uuid), { path: text(path), value: fromDump(dump ?? null) });
      return true;
    } catch (error) {
      // The editor answers false, and says why only in its console.
      if (error instanceof CocosError) return false;
      throw error;
    }
  },
};

function setProperty(
  document: SceneDocument,
  node: string,
  { path, value }: { readonly path: string; readonly value: Json },
): void {
  const [, place, name = ''] = /^__comps__\.(\d+)\.(.+)$/.exec(path) ?? [];
  if (place === undefined) return setNodeProperty(document, node, { path, value });
  const { view } = document;
  const part = view.components(requireNode(document, node).index)[Number(place)];
  if (part === undefined) throw new CocosError('E_NOT_FOUND', `There is no ${path}.`);
  if (name === 'enabled') setComponentEnabled(document, part.handle, value === true);
  else setProperties(document, part.handle, { [name]: value });
}

function setNodeProperty(
  document: SceneDocument,
  node: string,
  { path, value }: { readonly path: string; readonly value: Json },
): void {
  if (['name', 'active', 'layer', 'locked'].includes(path)) {
    updateNode(document, node, { [path]: value });
  } else if (['position', 'rotation', 'scale'].includes(path) && isObject(value)) {
    setTransform(document, node, { [path]: value });
  } else if (path === 'mobility') {
    const { index } = requireNode(document, node);
    setValue(document.view, index, { path: ['_mobility'], value });
  } else {
    throw new CocosError('E_NOT_FOUND', `Nodes have no ${path}.`);
  }
}
