import { CocosError } from './cocos-error.ts';
import { newObjectId } from './ids.ts';
import { isList, isObject, ref, refIndex, textOf, typeOf } from './json.ts';
import type { Entry, Json, OwnEntry, OwnJson } from './json.ts';
import { append, entryAt, follow, followOwn, ownAt, rootOf } from './table.ts';
import type { Table } from './table.ts';

/** The fields of a node, in the order of its class. */
export const nodeFields: readonly string[] = [
  '__type__',
  '_name',
  '_objFlags',
  '__editorExtras__',
  '_parent',
  '_children',
  '_active',
  '_components',
  '_prefab',
  '_lpos',
  '_lrot',
  '_lscale',
  '_mobility',
  '_layer',
  '_euler',
  '_id',
];

/** The fields that every component begins with; those of its class follow, and `_id` is last. */
export const componentHead: readonly string[] = [
  '__type__',
  '_name',
  '_objFlags',
  '__editorExtras__',
  'node',
  '_enabled',
  '__prefab',
];

const prefabInfoFields = [
  '__type__',
  'root',
  'asset',
  'fileId',
  'instance',
  'targetOverrides',
  'nestedPrefabInstanceRoots',
];

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  'cc.Node': nodeFields,
  'cc.Scene': nodeFields,
  'cc.PrefabInfo': prefabInfoFields,
};

/** Sets a field; one that is new comes where `order`, or the class if we know it, has it; else before `_id`. */
export function setField(
  entry: OwnEntry,
  field: { readonly key: string; readonly value: OwnJson },
  order: readonly string[] = fieldsOf[typeOf(entry)] ?? [],
): void {
  const { key, value } = field;
  if (key === '__proto__') throw new CocosError('E_INVALID_ARGUMENT', `No field is called ${key}`);
  if (Object.hasOwn(entry, key)) {
    entry[key] = value;
    return;
  }
  const position = order.indexOf(key);
  const later = new Set(position < 0 ? [] : order.slice(position + 1));
  later.add('_id');
  const keys = Object.keys(entry);
  const next = keys.findIndex((name) => later.has(name));
  const moved = next < 0 ? [] : keys.slice(next).map((name) => [name, entry[name]] as const);
  for (const [name] of moved) delete entry[name];
  entry[key] = value;
  for (const [name, old] of moved) entry[name] = old ?? null;
}

/** Tells nodes, and the scene itself, from other objects. */
export function isNode(entry: Entry | undefined): boolean {
  const type = typeOf(entry);
  return type === 'cc.Node' || type === 'cc.Scene';
}

/** Tells components from other objects, by the fields that only they have. */
export function isComponent(entry: Entry | undefined): boolean {
  return (
    entry !== undefined && !isNode(entry) && Object.hasOwn(entry, 'node') && '_enabled' in entry
  );
}

/** The PrefabInfo of a node, or the CompPrefabInfo of a component. */
export function infoOf(table: Table, entry: Entry): Entry | undefined {
  return follow(table, entry[isNode(entry) ? '_prefab' : '__prefab']);
}

/** The PrefabInstance of a node that stands for a whole prefab. */
export function instanceOf(table: Table, entry: Entry): Entry | undefined {
  return isNode(entry) ? follow(table, infoOf(table, entry)?.['instance']) : undefined;
}

/** The uuid of the asset that a value refers to. */
export function assetOf(value: Json | undefined): string {
  return isObject(value) ? textOf(value['__uuid__']) : '';
}

/** A PrefabInfo with all fields. */
export function prefabInfo(fields: {
  readonly root: OwnJson;
  readonly asset: OwnJson;
  readonly fileId: string;
  readonly instance?: OwnJson | undefined;
}): OwnEntry {
  const { root, asset, fileId, instance = null } = fields;
  return {
    __type__: 'cc.PrefabInfo',
    root,
    asset,
    fileId,
    instance,
    targetOverrides: null,
    nestedPrefabInstanceRoots: null,
  };
}

/** A CompPrefabInfo. */
export function compPrefabInfo(fileId: string): OwnEntry {
  return { __type__: 'cc.CompPrefabInfo', fileId };
}

/** A TargetInfo. */
export function targetInfo(localId: readonly string[]): OwnEntry {
  return { __type__: 'cc.TargetInfo', localID: [...localId] };
}

/** The path of a TargetInfo. */
export function localIdOf(table: Table, value: Json | undefined): string[] {
  const localId = follow(table, value)?.['localID'];
  return isList(localId) ? localId.filter((id) => typeof id === 'string') : [];
}

/** The path of properties of an override. */
export function propertyPathOf(override: Entry): string[] {
  const path = override['propertyPath'];
  return isList(path) ? path.filter((step) => typeof step === 'string') : [];
}

/** The same, to be changed. */
export function ownInfoOf(table: Table, entry: Entry): OwnEntry | undefined {
  return followOwn(table, entry[isNode(entry) ? '_prefab' : '__prefab']);
}

/** The PrefabInfo of the root, which lists instances and references into them, to be changed; a scene gets one when it has none. */
export function holderOf(table: Table): OwnEntry {
  const present = ownInfoOf(table, entryAt(table, rootOf(table)));
  if (present) return present;
  const root = ownAt(table, rootOf(table));
  const isScene = table.kind === 'scene';
  const info = prefabInfo({
    root: isScene ? null : ref(rootOf(table)),
    asset: isScene ? null : ref(0),
    fileId: isScene ? textOf(root['_id']) : newObjectId(),
  });
  setField(root, { key: '_prefab', value: ref(append(table, info)) });
  return info;
}

/** A list of references in a field, which is made when the field has none. */
export function listIn(entry: OwnEntry, key: string): OwnJson[] {
  const present = entry[key];
  if (isList(present)) return present;
  const list: OwnJson[] = [];
  setField(entry, { key, value: list });
  return list;
}

/** Takes the references to an object out of a list. */
export function dropRef(list: OwnJson | undefined, index: number): boolean {
  if (!isList(list)) return false;
  const position = list.findIndex((element) => refIndex(element) === index);
  if (position < 0) return false;
  list.splice(position, 1);
  return true;
}

/** The extra fields of the editor on an object. */
export function extrasOf(entry: OwnEntry): OwnEntry {
  const extras = entry['__editorExtras__'];
  return isObject(extras) ? extras : {};
}
