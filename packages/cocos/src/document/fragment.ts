import { holderOf, infoOf, isComponent, isNode, propertyPathOf } from './entries.ts';
import { CocosError } from './cocos-error.ts';
import { adopt } from './identity.ts';
import { insideBase } from './expansion.ts';
import { newObjectId } from './ids.ts';
import type { NewId } from './ids.ts';
import { cloneJson, eachRef, isList, ref, refIndex, refIndices, typeOf } from './json.ts';
import type { Entry, Json } from './json.ts';
import type { Spot } from './references.ts';
import { append, createTable, entryAt, rootOf } from './table.ts';
import type { Table } from './table.ts';
import type { SceneView } from './view.ts';

/** Objects that can be put into any file: the first is the root, and references are numbers within the fragment. */
export interface Fragment {
  readonly objects: readonly Entry[];
  /** Those of the objects that say what refers into instances of the fragment. */
  readonly references?: readonly number[] | undefined;
}

/** A copy of a part of a tree. */
export interface Taken {
  readonly fragment: Fragment;
  /** The number in the view that each object of the fragment was copied from. */
  readonly order: readonly number[];
  /** References that led out of the part, now null; `from` is a number of the view. */
  readonly outside: readonly Spot[];
}

/** The node or component with everything that belongs to it, the root first, as numbers of the file. */
export function partsOf(view: SceneView, index: number): number[] {
  const item = view.item(index);
  if (!item || item.inside) {
    throw new CocosError('E_PRECONDITION_FAILED', 'This object belongs to a prefab', {
      suggestion: 'Edit the prefab, or unpack the instance first.',
      details: { handle: item?.handle },
    });
  }
  const members = item.kind === 'node' ? [...view.items(index)] : [item];
  const own = members.map((member) => member.index).filter((at) => at < insideBase);
  const parts = new Set(own);
  // Besides nodes and components, what these lead to is theirs alone.
  for (const part of parts) {
    const whole = entryAt(view.table, part);
    for (const lost of unseenIn(view, part, whole)) parts.add(lost);
    eachRef(whole, (next) => {
      const entry = view.table.objects[next];
      if (next !== 0 && entry && !isNode(entry) && !isComponent(entry)) parts.add(next);
    });
  }
  return [...parts];
}

/** What was mounted on a node that the prefab no longer has is not seen, but belongs to the instance. */
function unseenIn(view: SceneView, index: number, entry: Entry): number[] {
  const isUnseen = isNode(entry) && view.item(index) === undefined;
  if (isUnseen) return [...refIndices(entry['_children']), ...refIndices(entry['_components'])];
  if (!typeOf(entry).startsWith('cc.Mounted')) return [];
  return [...refIndices(entry['nodes']), ...refIndices(entry['components'])];
}

/** The entries that say which of these objects refer into which of these instances. */
export function referencesWithin(table: Table, parts: ReadonlySet<number>): number[] {
  const holder = infoOf(table, entryAt(table, rootOf(table)));
  return refIndices(holder?.['targetOverrides']).filter((index) => {
    const override = table.objects[index];
    const source = refIndex(override?.['source']);
    return source !== undefined && parts.has(source);
  });
}

/** The objects that name both ends of a reference into an instance. */
export function targetInfosOf(table: Table, index: number): number[] {
  const override = entryAt(table, index);
  return ['sourceInfo', 'targetInfo']
    .map((key) => refIndex(override[key]))
    .filter((info) => info !== undefined);
}

/** Copies a node with all below it, or a component; what refers out of it refers to nothing in the copy. */
export function takeFragment(view: SceneView, index: number): Taken {
  const parts = partsOf(view, index);
  const known = new Set(parts);
  const inner = referencesWithin(view.table, known).filter((at) => {
    const target = refIndex(entryAt(view.table, at)['target']);
    return target !== undefined && known.has(target);
  });
  for (const at of inner) {
    known.add(at);
    for (const info of targetInfosOf(view.table, at)) known.add(info);
  }
  const order = [...known];
  const numbers = new Map(order.map((at, position) => [at, position]));
  const objects = order.map((at) =>
    cloneJson(entryAt(view.table, at), (old) => numbers.get(old) ?? null),
  );
  const root = objects[0];
  if (root && isNode(root)) root['_parent'] = null;
  const references = inner.map((at) => numbers.get(at) ?? 0);
  return { fragment: { objects, references }, order, outside: leaving(view, order, numbers) };
}

/** The references of properties that lead out of a part of the tree. */
function leaving(
  view: SceneView,
  order: readonly number[],
  inside: ReadonlyMap<number, number>,
): Spot[] {
  const structure = new Set(['_parent', 'node', '_prefab', 'root', 'asset', 'prefabRootNode']);
  const spots: Spot[] = [];
  const search = (value: Json, path: readonly string[], from: number): void => {
    if (typeof value !== 'object' || value === null) return;
    const to = refIndex(value);
    if (to !== undefined) {
      if (!inside.has(to)) spots.push({ from, path });
      return;
    }
    for (const [key, part] of Object.entries(value)) {
      if (path.length > 0 || !structure.has(key)) search(part, [...path, key], from);
    }
  };
  for (const at of order) search(entryAt(view.table, at), [], at);
  const lost = referencesWithin(view.table, new Set(order)).filter((at) => !inside.has(at));
  for (const at of lost) {
    const override = entryAt(view.table, at);
    spots.push({ from: refIndex(override['source']) ?? 0, path: propertyPathOf(override) });
  }
  return spots;
}

/** Appends a fragment to a file; answers the numbers of its objects. */
export function appendFragment(table: Table, fragment: Fragment, newId: NewId): number[] {
  const start = table.objects.length;
  for (const entry of fragment.objects) {
    append(
      table,
      cloneJson(entry, (old) => start + old),
    );
  }
  const indices = fragment.objects.map((_, position) => start + position);
  adopt(table, indices, newId);
  for (const position of fragment.references ?? []) listReference(table, start + position);
  return indices;
}

/** Names a reference into an instance where the engine looks for them. */
export function listReference(table: Table, index: number): void {
  const holder = holderOf(table);
  const list = holder['targetOverrides'];
  if (isList(list)) list.push(ref(index));
  else holder['targetOverrides'] = [ref(index)];
}

/** A prefab of a fragment, whose root gets the name of the file; object k of the fragment is object k + 1 of the prefab. */
export function prefabFrom(fragment: Fragment, name: string, newId: NewId = newObjectId): Table {
  const head = {
    __type__: 'cc.Prefab',
    _name: name,
    _objFlags: 0,
    __editorExtras__: {},
    _native: '',
    data: ref(1),
    optimizationPolicy: 0,
    persistent: false,
  };
  const copies = fragment.objects.map((entry) => cloneJson(entry, (old) => old + 1));
  const root = copies[0];
  if (!root || !isNode(root) || root['_name'] === undefined) {
    throw new CocosError('E_PRECONDITION_FAILED', 'A prefab must have a node of its own as root', {
      suggestion: 'Choose a node that is no instance, or put the instance below a new node.',
    });
  }
  root['_name'] = name;
  root['_parent'] = null;
  const table = createTable([head, ...copies]);
  adopt(
    table,
    copies.map((_, position) => position + 1),
    newId,
  );
  for (const position of fragment.references ?? []) listReference(table, position + 1);
  return table;
}
