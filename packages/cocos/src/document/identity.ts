import {
  compPrefabInfo,
  holderOf,
  infoOf,
  instanceOf,
  isComponent,
  isNode,
  listIn,
  ownInfoOf,
  prefabInfo,
  setField,
} from './entries.ts';
import type { NewId } from './ids.ts';
import { isList, ref, refIndices } from './json.ts';
import { append, entryAt, followOwn, ownAt, rootOf } from './table.ts';
import type { Table } from './table.ts';

/** Gives new objects of a file the ids that its kind of file needs, and lists the instances among them. */
export function adopt(table: Table, indices: readonly number[], newId: NewId): void {
  for (const index of indices) {
    const entry = entryAt(table, index);
    if (isNode(entry)) adoptNode(table, index, newId);
    else if (isComponent(entry)) adoptComponent(table, index, newId);
  }
}

function adoptNode(table: Table, index: number, newId: NewId): void {
  const node = ownAt(table, index);
  const instance = followOwn(table, infoOf(table, node)?.['instance']);
  const isPrefab = table.kind === 'prefab';
  if (instance) {
    instance['fileId'] = newId();
    instance['prefabRootNode'] = isPrefab ? ref(rootOf(table)) : null;
    const info = ownInfoOf(table, node);
    if (info) info['root'] = ref(index);
    listInstance(table, index);
    return;
  }
  setField(node, { key: '_id', value: isPrefab ? '' : newId() });
  const info = { root: ref(rootOf(table)), asset: ref(0), fileId: isPrefab ? newId() : '' };
  const value = isPrefab ? ref(append(table, prefabInfo(info))) : null;
  setField(node, { key: '_prefab', value });
}

function adoptComponent(table: Table, index: number, newId: NewId): void {
  const component = ownAt(table, index);
  const isPrefab = table.kind === 'prefab';
  setField(component, { key: '_id', value: isPrefab ? '' : newId() });
  const value = isPrefab ? ref(append(table, compPrefabInfo(newId()))) : null;
  setField(component, { key: '__prefab', value });
}

/** Names an instance where the engine looks for those that it must expand. */
function listInstance(table: Table, index: number): void {
  const holder = holderOf(table);
  const isNew = !isList(holder['nestedPrefabInstanceRoots']);
  const list = listIn(holder, 'nestedPrefabInstanceRoots');
  // Files of before 3.4 have none; once there is one, the engine expands only what it names.
  if (isNew) list.push(...instancesIn(table).map(ref));
  if (!refIndices(list).includes(index)) list.push(ref(index));
}

/** The instances in the tree, in its order. */
function instancesIn(table: Table): number[] {
  const found: number[] = [];
  const seen = new Set<number>();
  const waiting = childrenOf(table, rootOf(table)).toReversed();
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const node = table.objects[at];
    if (node === undefined || seen.has(at)) continue;
    seen.add(at);
    if (instanceOf(table, node) !== undefined) found.push(at);
    waiting.push(...childrenOf(table, at).toReversed());
  }
  return found;
}

/** The children of a node, or those that were put below the parts of an instance. */
function childrenOf(table: Table, index: number): number[] {
  const node = entryAt(table, index);
  const mounted = refIndices(instanceOf(table, node)?.['mountedChildren']).flatMap((at) =>
    refIndices(table.objects[at]?.['nodes']),
  );
  return [...refIndices(node['_children']), ...mounted];
}
