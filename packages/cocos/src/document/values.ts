import type { Change } from './change.ts';
import { CocosError } from './cocos-error.ts';
import { isComponent, isNode, setField } from './entries.ts';
import { insideBase } from './expansion.ts';
import { cloneJson, equalJson, isList, isObject, refIndex } from './json.ts';
import type { Entry, Json, OwnJson } from './json.ts';
import { dropOverrides, dropReferences, writeOverride, writeReference } from './overrides.ts';
import type { End } from './overrides.ts';
import { hasPlace, ownerAt, put, valueAt } from './property-path.ts';
import { ownAt } from './table.ts';
import type { SceneView, ViewItem } from './view.ts';

/** A value to be written: where, what, and the order of fields in case that it is a new one. */
export interface NewValue {
  readonly path: readonly string[];
  /** References are numbers of the view, also of objects in instances. */
  readonly value: Json;
  readonly order?: readonly string[] | undefined;
}

/** What the file says of an instance itself, not as an override. */
const ofStub = new Set(['_objFlags', '__editorExtras__', '_parent', '_prefab']);

/** The value that a path leads to from an object, overrides applied. */
export function getValue(
  view: SceneView,
  index: number,
  path: readonly string[],
): Json | undefined {
  return valueAt(view.at(index), path, (next) => view.at(next));
}

/** Objects that belong to a value, such as events, are shown this far down. */
const deepest = 4;

/** A value for people to read: nodes and components by path, other objects as they are. */
export function describeValue(view: SceneView, value: Json): Json {
  return describeAt(view, value, 0);
}

function describeAt(view: SceneView, value: Json, depth: number): Json {
  const index = refIndex(value);
  if (index !== undefined) {
    const own = ownObject(view, index);
    return own === undefined || depth > deepest
      ? view.label(index)
      : describeAt(view, own, depth + 1);
  }
  if (isList(value)) return value.map((element) => describeAt(view, element, depth));
  if (!isObject(value)) return value;
  const described: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value)) {
    described[key] = describeAt(view, part, depth);
  }
  return described;
}

/** An object that is neither a node nor a component. */
function ownObject(view: SceneView, index: number): Entry | undefined {
  const entry = view.peek(index);
  return isNode(entry) || isComponent(entry) ? undefined : entry;
}

/** The references in a value that lead into instances: the way to each, and what it names. */
function refsInside(
  view: SceneView,
  value: Json,
  path: readonly string[],
): { readonly path: readonly string[]; readonly item: ViewItem }[] {
  const index = refIndex(value);
  if (index !== undefined) {
    const item = view.item(index);
    if (index < insideBase) return [];
    if (item?.localId) return [{ path, item }];
    throw new CocosError('E_INVALID_ARGUMENT', 'A part of a prefab cannot be referred to', {
      suggestion: 'Refer to a node or a component.',
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => refsInside(view, part, [...path, key]));
}

/** A value without its references into instances. */
const withoutInside = (value: Json): OwnJson =>
  cloneJson(value, (index) => (index < insideBase ? index : null));

function checkPath(view: SceneView, index: number, { path, value }: NewValue): void {
  const owner = path.includes('__proto__')
    ? undefined
    : ownerAt(view.at(index), path, (next) => view.at(next));
  const last = path.at(-1);
  if (last !== undefined && owner !== undefined && hasPlace(owner, last, value)) return;
  throw new CocosError('E_INVALID_ARGUMENT', `There is no place for "${path.join('.')}"`, {
    suggestion: 'Every step but the last must exist, and a list must have the element.',
    details: { path: [...path] },
  });
}

/** Sets a value of any object of the tree; inside an instance it becomes an override, and a reference into one a target override. */
export function setValue(view: SceneView, index: number, change: NewValue): Change[] {
  checkPath(view, index, change);
  const item = view.item(index);
  const { path, value } = change;
  const before = getValue(view, index, path) ?? null;
  if (equalJson(before, value) && getValue(view, index, path) !== undefined) return [];
  const described = {
    type: 'update',
    target: item?.handle ?? `#${index}`,
    field: path.join('.'),
    from: describeValue(view, before),
    to: describeValue(view, value),
  } as const;
  if (item?.localId && item.instance !== undefined && !isOfStub(item, path)) {
    setInside(view, { instance: item.instance, localId: item.localId }, change);
    view.show(index, path, cloneJson(value));
  } else if (index < insideBase) {
    setOwn(view, index, change);
  } else {
    throw new CocosError('E_PRECONDITION_FAILED', 'This is a part of an object in an instance', {
      suggestion: 'Set it by the path from the node or component that it belongs to.',
    });
  }
  return [described];
}

const isOfStub = (item: ViewItem, path: readonly string[]): boolean =>
  !item.inside && ofStub.has(path[0] ?? '');

function setOwn(view: SceneView, index: number, { path, value, order }: NewValue): void {
  const { table } = view;
  const inside = refsInside(view, value, path);
  dropReferences(table, { index, path });
  const plain = withoutInside(value);
  const owner = ownerAt(ownAt(table, index), path, (next) =>
    table.objects[next] === undefined ? undefined : ownAt(table, next),
  );
  const last = path.at(-1) ?? '';
  if (owner === undefined) {
    throw new CocosError('E_PRECONDITION_FAILED', `"${path.join('.')}" leads into an instance`, {
      suggestion: 'Set the value on the object in the instance itself.',
    });
  }
  if (isList(owner)) put(owner, last, plain);
  else setField(owner, { key: last, value: plain }, path.length === 1 ? order : undefined);
  for (const { path: way, item } of inside) {
    writeReference(table, { index, path: way }, endOf(item));
  }
  if (inside.length > 0 || view.isChanged(index)) view.show(index, path, cloneJson(value));
}

const endOf = (item: ViewItem): Required<End> => ({
  index: item.instance ?? item.index,
  localId: item.localId,
});

function setInside(
  view: SceneView,
  object: { readonly instance: number; readonly localId: readonly string[] },
  { path, value }: NewValue,
): void {
  const { table } = view;
  const { instance, localId } = object;
  const key = { instance, localId, path };
  const from = { index: instance, localId };
  const inside = refsInside(view, value, path);
  dropReferences(table, { ...from, path });
  if (!isList(value)) {
    // An override that is there keeps its place, and those of parts give way to it.
    dropOverrides(table, key, 'parts');
    if (inside.some((found) => found.path.length === path.length)) dropOverrides(table, key);
    else writeOverride(table, key, withoutInside(value));
  } else {
    dropOverrides(table, key);
    writeOverride(table, { ...key, path: [...path, 'length'] }, value.length);
    value.forEach((element, position) => {
      if (refIndex(element) !== undefined && (refIndex(element) ?? 0) >= insideBase) return;
      writeOverride(table, { ...key, path: [...path, String(position)] }, withoutInside(element));
    });
  }
  for (const { path: way, item } of inside) {
    writeReference(table, { ...from, path: way }, endOf(item));
  }
}
