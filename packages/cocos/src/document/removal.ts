import type { Change } from './change.ts';
import { CocosError } from './cocos-error.ts';
import {
  dropRef,
  isComponent,
  isNode,
  listIn,
  localIdOf,
  ownInfoOf,
  propertyPathOf,
  targetInfo,
} from './entries.ts';
import { insideBase } from './expansion.ts';
import { partsOf } from './fragment.ts';
import { equalJson, isList, isObject, ref, refIndex, refIndices, typeOf } from './json.ts';
import type { Entry, OwnEntry, OwnJson } from './json.ts';
import { keep, ownInstanceAt } from './overrides.ts';
import { reachedWithout } from './print/order.ts';
import { referencesToAny } from './references.ts';
import { detach, ownNode } from './structure.ts';
import { append, entryAt, ownAt, rootOf } from './table.ts';
import type { Table } from './table.ts';
import type { SceneView } from './view.ts';

/** Takes a node out of the tree, with all below it; what refers to it refers to nothing then, and is reported. */
export function removeNode(view: SceneView, index: number): Change[] {
  return removeNodes(view, [index]);
}

/** The same for many nodes at once. */
export function removeNodes(view: SceneView, indices: readonly number[]): Change[] {
  const chosen = new Set(indices);
  const isBelow = (index: number): boolean => {
    let at = view.item(index)?.owner;
    while (at !== undefined && !chosen.has(at)) at = view.item(at)?.owner;
    return at !== undefined;
  };
  const tops = [...chosen]
    .map((index) => ownNode(view, index))
    .filter((top) => !isBelow(top.index));
  const members = tops.flatMap((top) => [...view.items(top.index)]);
  const gone = new Set(members.map(({ index }) => index));
  // Also what hangs on nodes that a prefab no longer has, and is not seen.
  for (const part of tops.flatMap((top) => partsOf(view, top.index))) {
    const entry = entryAt(view.table, part);
    if (isNode(entry) || isComponent(entry)) gone.add(part);
  }
  const deleted = tops.map(({ index, handle }): Change => {
    return { type: 'delete', target: handle, from: view.path(index) };
  });
  for (const { index } of tops) detach(view, { index, kind: 'node' });
  const cut = cutReferences(view, gone);
  const simple = cut.length === 0 && tops.every(({ owner }) => !view.isChanged(owner ?? view.root));
  if (simple) for (const { index } of tops) view.forget(index);
  else view.refresh();
  return [...deleted, ...cut];
}

/** Takes from an instance what was mounted on a part that its prefab no longer has, and is not in the tree. */
export function removeUnseen(view: SceneView, instance: OwnEntry, index: number): Change[] {
  const { table } = view;
  for (const [mounts, members] of [
    ['mountedChildren', 'nodes'],
    ['mountedComponents', 'components'],
  ] as const) {
    keep(instance[mounts], (at) => {
      const info = ownAt(table, at);
      return !dropRef(info[members], index) || refIndices(info[members]).length > 0;
    });
  }
  const gone = new Set([index]);
  for (const at of gone) {
    const { _children: children, _components: components } = entryAt(table, at);
    for (const below of [...refIndices(children), ...refIndices(components)]) {
      gone.add(below);
    }
  }
  return [{ type: 'delete', target: `#${index}` }, ...cutReferences(view, gone)];
}

/** Takes a component off its node; one from a prefab is marked as removed in the instance. */
export function removeComponent(view: SceneView, index: number): Change[] {
  const item = view.item(index);
  if (item?.kind !== 'component') {
    throw new CocosError('E_NOT_FOUND', `There is no component ${index} in the tree`);
  }
  const from = `${view.path(index)}:${typeOf(view.at(index))}`;
  const isPlain = !view.isChanged(item.owner ?? index);
  if (item.inside && item.instance !== undefined && item.localId) {
    const removed = listIn(ownInstanceAt(view.table, item.instance), 'removedComponents');
    removed.push(ref(append(view.table, targetInfo(item.localId))));
  } else {
    detach(view, { index, kind: 'component' });
  }
  const cut = cutReferences(view, new Set([index]));
  if (isPlain && cut.length === 0) view.forget(index);
  else view.refresh();
  return [{ type: 'delete', target: item.handle, from }, ...cut];
}

/** Lets nothing refer to objects that go; they are out of the file, but the view still has them. */
function cutReferences(view: SceneView, gone: ReadonlySet<number>): Change[] {
  const { table } = view;
  const own = new Set([...gone].filter((index) => index < insideBase));
  const holder = ownInfoOf(table, entryAt(table, rootOf(table)));
  keep(holder?.['nestedPrefabInstanceRoots'], (index) => !own.has(index));
  const changes = cutTargetOverrides(view, gone);
  const found = referencesToAny(table, own).filter(({ from }) => !own.has(from));
  if (found.length === 0) return changes;
  const reached = reachedWithout(table, own);
  const owners = ownersOf(view, reached);
  for (const { from, path, to } of found) {
    if (!reached.has(from)) continue;
    setNull(ownAt(table, from), path);
    const owner = owners(from);
    changes.push({
      type: 'update',
      target: view.item(owner)?.handle ?? `#${from}`,
      field: path.join('.'),
      from: view.label(to),
      to: null,
    });
  }
  return changes;
}

/** Finds the component or node that an object of the file belongs to. */
function ownersOf(view: SceneView, reached: ReadonlySet<number>): (index: number) => number {
  let owners: Map<number, number> | undefined;
  return (index) => {
    if (view.item(index)) return index;
    owners ??= new Map(
      [...reached].flatMap((owner) => {
        if (!view.item(owner)) return [];
        return Object.values(entryAt(view.table, owner))
          .flatMap((value) => [refIndex(value), ...refIndices(value)])
          .filter((part) => part !== undefined && view.item(part) === undefined)
          .map((part): [number, number] => [part ?? owner, owner]);
      }),
    );
    return owners.get(index) ?? index;
  };
}

function setNull(entry: OwnEntry, path: readonly string[]): void {
  let owner: OwnJson | undefined = entry;
  for (const step of path.slice(0, -1)) owner = (owner as OwnEntry)[step];
  const last = path.at(-1) ?? '';
  if (isList(owner)) owner[Number(last)] = null;
  else if (isObject(owner)) owner[last] = null;
}

/** Drops the references from, into and within instances that have an end among the objects that go. */
function cutTargetOverrides(view: SceneView, gone: ReadonlySet<number>): Change[] {
  const { table } = view;
  const list = ownInfoOf(table, entryAt(table, rootOf(table)))?.['targetOverrides'];
  const changes: Change[] = [];
  keep(list, (at) => {
    const override = entryAt(table, at);
    const source = endOf(view, override, 'source');
    const target = endOf(view, override, 'target');
    const loses = gone.has(target);
    if (loses && !gone.has(source)) {
      changes.push({
        type: 'update',
        target: view.item(source)?.handle ?? `#${source}`,
        field: propertyPathOf(override).join('.'),
        from: view.label(target),
        to: null,
      });
    }
    return !loses && !gone.has(source) && !hangsOn(table, override, gone);
  });
  return changes;
}

function endOf(view: SceneView, override: Entry, side: 'source' | 'target'): number {
  const index = refIndex(override[side]) ?? -1;
  const localId = localIdOf(view.table, override[`${side}Info`]);
  if (localId.length === 0) return index;
  return view.target(index, localId)?.index ?? index;
}

/** Tells whether an end of a reference stands for an instance within an instance that goes, as in old files. */
function hangsOn(table: Table, override: Entry, gone: ReadonlySet<number>): boolean {
  return (['source', 'target'] as const).some((side) => {
    const seen = new Set<number>();
    let at = refIndex(override[side]);
    while (at !== undefined && !seen.has(at)) {
      if (gone.has(at)) return true;
      seen.add(at);
      const entry = table.objects[at];
      at = refIndex(entry?.['_parent'] ?? entry?.['node']);
    }
    return false;
  });
}

/** Brings back a component that an instance has removed; answers whether it had. */
export function restoreComponent(
  view: SceneView,
  instance: number,
  localId: readonly string[],
): boolean {
  const list = ownInstanceAt(view.table, instance)['removedComponents'];
  const before = refIndices(list).length;
  keep(list, (index) => !equalJson(localIdOf(view.table, ref(index)), [...localId]));
  const restored = refIndices(list).length < before;
  if (restored) view.refresh();
  return restored;
}
