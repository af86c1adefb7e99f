import {
  assetOf,
  type Change,
  cloneJson,
  CocosError,
  type Entry,
  infoOf,
  insertNode,
  instanceFragment,
  linksOf,
  prefabFrom,
  printTable,
  ref,
  removeNode,
  rootOf,
  setValue,
  type Table,
  takeFragment,
  textOf,
  typeOf,
  unpackInstance,
  type ViewItem,
} from '#cocos/document';
import { baseName, newFilePath } from './asset-files.ts';
import { findAsset } from './find-asset.ts';
import { newMeta } from './import/importers.ts';
import { checkIndex, checkName } from './nodes.ts';
import { requireInnerNode, requireNode } from './references.ts';
import { writeAsset } from './scenes.ts';
import { checkChange, type TransformChange, writeTransform } from './transform.ts';
import type { SceneDocument, Workspace } from './workspace.ts';

/** The root of an instance that the document itself has; any part of the instance may be named. */
export function requireInstance(document: SceneDocument, reference: string): ViewItem {
  const item = document.view.get(reference);
  const root = item.instance === undefined ? undefined : document.view.item(item.instance);
  if (root !== undefined) return root;
  throw new CocosError('E_PRECONDITION_FAILED', `"${reference}" is not an instance of a prefab.`, {
    suggestion: 'Name the root of an instance, or a node inside one.',
  });
}

/** A prefab to put into a document. */
export interface PrefabPlacement extends TransformChange {
  readonly prefab: string;
  readonly parent?: string | undefined;
  readonly name?: string | undefined;
  readonly siblingIndex?: number | undefined;
}

/** Puts an instance of a prefab into a document. */
export function instantiatePrefab(
  document: SceneDocument,
  placement: PrefabPlacement,
): { node: string; changes: Change[] } {
  const { workspace, view } = document;
  const { name, siblingIndex } = placement;
  checkChange(placement);
  if (name !== undefined) checkName(name);
  const prefab = requirePrefab(workspace, placement.prefab);
  checkNesting(document, prefab);
  const parent =
    placement.parent === undefined ? view.get('') : requireNode(document, placement.parent);
  const at = checkIndex(siblingIndex);
  const asset = describePrefab(prefab);
  const fragment = instanceFragment({ ...asset, name: name ?? asset.name });
  const made = insertNode(view, fragment, { parent: parent.index, at });
  const item = requireItem(document, made.index);
  const changes = [...made.changes, ...writeTransform(document, item, placement)];
  return { node: item.handle, changes };
}

function requireItem({ view }: SceneDocument, index: number): ViewItem {
  const item = view.item(index);
  if (item !== undefined) return item;
  throw new CocosError('E_INTERNAL', 'The new instance is not part of the tree.');
}

interface OpenPrefab {
  readonly uuid: string;
  readonly url: string;
  readonly table: Table;
}

function requirePrefab(workspace: Workspace, reference: string): OpenPrefab {
  const { uuid, url, path } = findAsset(workspace, reference, 'cc.Prefab');
  const table = workspace.draft.prefab(uuid);
  if (table !== undefined) return { uuid, url, table };
  throw new CocosError('E_PRECONDITION_FAILED', `The prefab "${url}" cannot be opened.`, {
    suggestion:
      path === undefined
        ? 'Prefabs of the engine are made with the element of that name.'
        : 'Check the file; it may be broken, or imported from a model.',
  });
}

function describePrefab({ uuid, table }: OpenPrefab): {
  uuid: string;
  rootFileId: string;
  name: string;
} {
  const root = table.objects[rootOf(table)] ?? {};
  const fileId = infoOf(table, root)?.['fileId'];
  return { uuid, rootFileId: textOf(fileId), name: textOf(root['_name']) };
}

/** A prefab that contains itself could never be opened. */
function checkNesting(document: SceneDocument, prefab: OpenPrefab): void {
  if (document.kind !== 'prefab' || !contains(document.workspace, [prefab.uuid], document.uuid)) {
    return;
  }
  throw new CocosError('E_CONFLICT', `"${prefab.url}" contains "${document.path}" already.`, {
    suggestion: 'A prefab cannot be put into itself, nor into a prefab that it contains.',
  });
}

/** Whether one of some prefabs is, or contains at any depth, another. */
export function contains({ draft }: Workspace, prefabs: readonly string[], other: string): boolean {
  const reached = new Set(prefabs);
  for (const uuid of reached) {
    for (const next of prefabsIn(draft.prefab(uuid)?.objects ?? [])) reached.add(next);
  }
  return reached.has(other);
}

/** The prefabs of which objects are instances. */
export function prefabsIn(objects: readonly (Entry | undefined)[]): string[] {
  return objects
    .filter((entry) => typeOf(entry) === 'cc.PrefabInfo')
    .map((info) => assetOf(info?.['asset']))
    .filter((uuid) => uuid !== '');
}

/** A prefab to make from a node. */
export interface PrefabCreation {
  readonly path: string;
  /** Whether an instance takes the place of the node; yes when absent. */
  readonly replace?: boolean | undefined;
}

/** What making a prefab did. */
export interface PrefabCreated {
  readonly path: string;
  readonly uuid: string;
  /** The instance, or the node where it stays. */
  readonly node: string;
  readonly changes: readonly Change[];
}

/** Makes a prefab of a node with all below it; what pointed into it, or out of it, does so in the instance. */
export function createPrefab(
  document: SceneDocument,
  reference: string,
  { path: wanted, replace = true }: PrefabCreation,
): PrefabCreated {
  const { workspace, view } = document;
  const item = requireInnerNode(document, reference);
  if (item.instance !== undefined || item.owner === undefined) {
    throw new CocosError('E_PRECONDITION_FAILED', `"${reference}" cannot become a prefab.`, {
      suggestion:
        item.owner === undefined
          ? 'It is the root of one.'
          : 'It belongs to an instance; unpack that first, or put it below a new node.',
    });
  }
  const path = newFilePath(workspace, wanted, { ending: /\.prefab$/ });
  const name = baseName(path);
  const table = prefabFrom(takeFragment(view, item.index).fragment, name);
  const text = printTable(table);
  const made = writeAsset(workspace, path, { text, meta: newMeta(workspace, path, 'prefab') });
  if (!replace) return { ...made, node: item.handle };
  const { node, changes } = replaceByInstance(document, item, made.uuid);
  return { ...made, node, changes: [...made.changes, ...changes] };
}

/** Puts an instance of a prefab made from a node in the place of the node. */
function replaceByInstance(
  document: SceneDocument,
  item: ViewItem,
  uuid: string,
): { node: string; changes: Change[] } {
  const { view } = document;
  // What is in an instance may have another number afterwards.
  const handleOf = (index: number): string => view.item(index)?.handle ?? '';
  const parent = handleOf(item.owner ?? view.root);
  const originals = [...view.items(item.index)];
  const place = new Map(originals.map(({ index }, position) => [index, position]));
  const others = [...view.items()].filter(({ index }) => !place.has(index));
  const inbound = linksOf(view, others)
    .filter(({ to }) => place.has(to))
    .map(({ from, path, to }) => ({ from: handleOf(from), path, to: place.get(to) ?? 0 }));
  const outbound = linksOf(view, originals)
    .filter(({ to }) => !place.has(to))
    .map(({ from, path, to }) => ({ from: place.get(from) ?? 0, path, to: handleOf(to) }));
  const at = view.children(view.get(parent).index).findIndex(({ index }) => index === item.index);
  const { _lpos, _lrot, _euler, _objFlags } = view.at(item.index);
  const name = view.name(item.index);
  const changes = removeNode(view, item.index).filter(({ type }) => type === 'delete');
  const prefab = requirePrefab(document.workspace, uuid);
  const fragment = instanceFragment(
    { ...describePrefab(prefab), name },
    cloneJson({ position: _lpos ?? null, rotation: _lrot ?? null, euler: _euler ?? null }),
  );
  const made = insertNode(view, fragment, { parent: view.get(parent).index, at });
  const handles = [...view.items(made.index)].map(({ handle }) => handle);
  const links = [
    ...inbound.map(({ from, path, to }) => ({ from, path, to: handles[to] ?? '' })),
    ...outbound.map(({ from, path, to }) => ({ from: handles[from] ?? '', path, to })),
  ];
  setValue(view, made.index, { path: ['_objFlags'], value: _objFlags ?? 0 });
  for (const { from, path, to } of links) {
    setValue(view, view.get(from).index, { path, value: ref(view.get(to).index) });
  }
  changes.push(...made.changes);
  return { node: handleOf(made.index), changes };
}

/** Turns an instance into nodes of the document's own. */
export function unpackPrefab(
  document: SceneDocument,
  reference: string,
  { recursive = false }: { readonly recursive?: boolean | undefined } = {},
): { changes: Change[] } {
  const { index } = requireInstance(document, reference);
  return { changes: unpackInstance(document.view, index, { recursive }) };
}
