import type { Change } from './change.ts';
import { CocosError } from './cocos-error.ts';
import { dropRef, extrasOf, listIn, localIdOf, setField, targetInfo } from './entries.ts';
import { insideBase } from './expansion.ts';
import {
  appendFragment,
  listReference,
  partsOf,
  referencesWithin,
  targetInfosOf,
} from './fragment.ts';
import type { Fragment } from './fragment.ts';
import { adopt } from './identity.ts';
import { newObjectId } from './ids.ts';
import type { NewId } from './ids.ts';
import { cloneJson, equalJson, isObject, ref, refIndices, typeOf } from './json.ts';
import type { Entry, OwnEntry } from './json.ts';
import { ownInstanceAt } from './overrides.ts';
import { append, entryAt, ownAt, rootOf } from './table.ts';
import type { Table } from './table.ts';
import type { SceneView, ViewItem } from './view.ts';

/** Where in the tree something goes; without `at` it is last. */
export interface Place {
  readonly parent: number;
  readonly at?: number | undefined;
}

/** What an edit made. */
export interface Inserted {
  readonly index: number;
  readonly changes: Change[];
}

/** The node of a number, or the reason why there is none. */
function nodeAt(view: SceneView, index: number): ViewItem {
  const item = view.item(index);
  if (item?.kind === 'node') return item;
  throw new CocosError('E_NOT_FOUND', `There is no node ${index} in the tree`);
}

/** A node that the file itself has, other than the root. */
export function ownNode(view: SceneView, index: number): ViewItem {
  const item = nodeAt(view, index);
  if (item.inside) {
    throw new CocosError('E_PRECONDITION_FAILED', `"${view.path(index)}" belongs to a prefab`, {
      suggestion: 'Edit the prefab, or unpack the instance first; hiding it (active: false) works.',
      details: { handle: item.handle, prefab: item.asset },
    });
  }
  if (index === view.root) {
    throw new CocosError('E_PRECONDITION_FAILED', 'The root cannot be moved, copied or removed');
  }
  return item;
}

const kinds = {
  node: { list: '_children', up: '_parent', mounts: 'mountedChildren', members: 'nodes' },
  component: {
    list: '_components',
    up: 'node',
    mounts: 'mountedComponents',
    members: 'components',
  },
} as const;

const mountTypes = {
  node: 'cc.MountedChildrenInfo',
  component: 'cc.MountedComponentsInfo',
} as const;

/** What is put somewhere: the number of an object of the file, and what it is. */
export interface Part {
  readonly index: number;
  readonly kind: 'node' | 'component';
}

/** Puts an own object below a node, which may be in an instance. */
function attach(view: SceneView, part: Part, { parent, at }: Place): void {
  const { list, up } = kinds[part.kind];
  const owner = nodeAt(view, parent);
  if (owner.instance !== undefined && owner.localId) {
    const { instance, localId } = owner;
    const siblings = part.kind === 'node' ? view.children(parent) : view.components(parent);
    // What the prefab has comes first.
    const first = siblings.filter(({ inside }) => inside).length;
    mount(view.table, part, { instance, localId, at: Math.max((at ?? Infinity) - first, 0) });
    view.refresh();
    return;
  }
  const siblings = listIn(ownAt(view.table, parent), list);
  const position = Math.min(Math.max(at ?? siblings.length, 0), siblings.length);
  siblings.splice(position, 0, ref(part.index));
  setField(ownAt(view.table, part.index), { key: up, value: ref(parent) });
  if (view.isChanged(part.index)) view.show(part.index, [up], ref(parent));
  if (view.isChanged(parent)) view.refresh();
  else view.track(part.index, parent);
}

function mount(
  table: Table,
  part: Part,
  target: { readonly instance: number; readonly localId: readonly string[]; readonly at: number },
): void {
  const { mounts, members, up } = kinds[part.kind];
  const list = listIn(ownInstanceAt(table, target.instance), mounts);
  const present = refIndices(list).find((index) =>
    equalJson(localIdOf(table, entryAt(table, index)['targetInfo']), [...target.localId]),
  );
  const info: OwnEntry =
    present === undefined
      ? {
          __type__: mountTypes[part.kind],
          targetInfo: ref(append(table, targetInfo(target.localId))),
          [members]: [],
        }
      : ownAt(table, present);
  if (present === undefined) list.push(ref(append(table, info)));
  listIn(info, members).splice(target.at, 0, ref(part.index));
  const entry = ownAt(table, part.index);
  // The node it hangs on is not in the file; the root of its instance is.
  setField(entry, { key: up, value: ref(target.instance) });
  setExtras(entry, target.instance);
}

function setExtras(entry: OwnEntry, mountedRoot: number | undefined): void {
  const { mountedRoot: _, ...extras } = extrasOf(entry);
  const value = mountedRoot === undefined ? extras : { ...extras, mountedRoot: ref(mountedRoot) };
  if (isObject(entry['__editorExtras__']) || mountedRoot !== undefined) {
    setField(entry, { key: '__editorExtras__', value }, ['__editorExtras__', up(entry)]);
  }
}

const up = (entry: Entry): string => (Object.hasOwn(entry, 'node') ? 'node' : '_parent');

/** Takes an own object from where it is; it stays in the file until that is printed. */
export function detach(view: SceneView, part: Part): void {
  const { list, mounts, members } = kinds[part.kind];
  const { table } = view;
  const owner = view.item(part.index)?.owner;
  const item = owner === undefined ? undefined : view.item(owner);
  if (owner === undefined || !item) return;
  if (owner < insideBase) dropRef(ownAt(table, owner)[list], part.index);
  if (item.instance === undefined) return;
  const instance = ownInstanceAt(table, item.instance);
  for (const index of refIndices(instance[mounts])) {
    const info = ownAt(table, index);
    if (!dropRef(info[members], part.index)) continue;
    if (refIndices(info[members]).length === 0) dropRef(instance[mounts], index);
  }
  setExtras(ownAt(table, part.index), undefined);
}

/** Puts the node of a fragment, with all below it, into the tree. */
export function insertNode(
  view: SceneView,
  fragment: Fragment,
  place: Place & { readonly newId?: NewId | undefined },
): Inserted {
  nodeAt(view, place.parent);
  const [index = -1] = appendFragment(view.table, fragment, place.newId ?? newObjectId);
  attach(view, { index, kind: 'node' }, place);
  return { index, changes: [created(view, index)] };
}

/** Puts the component of a fragment on a node. */
export function insertComponent(
  view: SceneView,
  fragment: Fragment,
  place: {
    readonly node: number;
    readonly at?: number | undefined;
    readonly newId?: NewId | undefined;
  },
): Inserted {
  nodeAt(view, place.node);
  const [index = -1] = appendFragment(view.table, fragment, place.newId ?? newObjectId);
  attach(view, { index, kind: 'component' }, { parent: place.node, at: place.at });
  return { index, changes: [created(view, index)] };
}

function created(view: SceneView, index: number): Change {
  const item = view.item(index);
  const isNode = item?.kind === 'node';
  const to = isNode ? view.path(index) : `${view.path(index)}:${typeOf(view.at(index))}`;
  return { type: 'create', target: item?.handle ?? `#${index}`, to };
}

/** Moves a node, with all below it, to another place. */
export function moveNode(view: SceneView, index: number, to: Place): Change[] {
  const item = ownNode(view, index);
  nodeAt(view, to.parent);
  for (let at: number | undefined = to.parent; at !== undefined; at = view.item(at)?.owner) {
    if (at === index) {
      throw new CocosError('E_CONFLICT', `"${view.path(index)}" cannot be moved into itself`, {
        suggestion: 'Choose a parent outside of it.',
      });
    }
  }
  const { handle, owner = to.parent } = item;
  const from = view.path(index);
  const place = siblingIndexOf(view, index, owner);
  const leavesOther = item.owner !== undefined && view.isChanged(item.owner);
  detach(view, { index, kind: 'node' });
  if (!leavesOther) view.forget(index);
  attach(view, { index, kind: 'node' }, to);
  if (leavesOther) view.refresh();
  if (owner !== to.parent) return [{ type: 'move', target: handle, from, to: view.path(index) }];
  const now = siblingIndexOf(view, index, owner);
  return [{ type: 'move', target: handle, field: 'siblingIndex', from: place, to: now }];
}

/** The place of a node among its siblings. */
export function siblingIndexOf(view: SceneView, index: number, parent: number): number {
  return view.children(parent).findIndex((sibling) => sibling.index === index);
}

/** Copies a node, with all below it, to the place after it. */
export function duplicateNode(
  view: SceneView,
  index: number,
  options: {
    readonly parent?: number | undefined;
    readonly at?: number | undefined;
    readonly newId?: NewId | undefined;
  } = {},
): Inserted {
  const item = ownNode(view, index);
  const { table } = view;
  const parts = partsOf(view, index);
  const references = referencesWithin(table, new Set(parts));
  const infos = references.flatMap((at) => targetInfosOf(table, at));
  const order = [...parts, ...references, ...infos];
  const start = table.objects.length;
  const numbers = new Map(order.map((at, position) => [at, start + position]));
  for (const at of order) {
    append(
      table,
      cloneJson(entryAt(table, at), (old) => numbers.get(old) ?? old),
    );
  }
  adopt(
    table,
    parts.map((_, position) => start + position),
    options.newId ?? newObjectId,
  );
  setExtras(ownAt(table, start), undefined);
  for (const at of references) listReference(table, numbers.get(at) ?? at);
  const parent = options.parent ?? item.owner ?? rootOf(table);
  const position = view.children(parent).findIndex((sibling) => sibling.index === index);
  const at = options.at ?? (position < 0 ? undefined : position + 1);
  attach(view, { index: start, kind: 'node' }, { parent, at });
  if (references.length > 0) view.refresh();
  return { index: start, changes: [created(view, start)] };
}
