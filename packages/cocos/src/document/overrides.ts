import {
  holderOf,
  infoOf,
  instanceOf,
  listIn,
  localIdOf,
  ownInfoOf,
  propertyPathOf,
  targetInfo,
} from './entries.ts';
import { CocosError } from './cocos-error.ts';
import { equalJson, isList, ref, refIndex, refIndices } from './json.ts';
import type { Entry, Json, OwnEntry, OwnJson } from './json.ts';
import { append, entryAt, ownAt, rootOf } from './table.ts';
import type { Table } from './table.ts';

/** What an override is about: an object of an instance, and the way from there. */
export interface OverrideKey {
  readonly instance: number;
  readonly localId: readonly string[];
  readonly path: readonly string[];
}

const reservedFields = new Set(['_name', '_lpos', '_lrot', '_euler']);

/** The PrefabInstance of an own node that is the root of an instance. */
export function instanceAt(table: Table, index: number): Entry {
  return entryAt(table, instanceIndex(table, index));
}

/** The same, to be changed. */
export function ownInstanceAt(table: Table, index: number): OwnEntry {
  return ownAt(table, instanceIndex(table, index));
}

function instanceIndex(table: Table, index: number): number {
  const stub = table.objects[index];
  const instance = stub && instanceOf(table, stub) && refIndex(infoOf(table, stub)?.['instance']);
  if (instance !== undefined) return instance;
  throw new CocosError('E_PRECONDITION_FAILED', 'This node is not an instance of this file', {
    suggestion: 'Pass the root node of an instance; one within an instance belongs to its prefab.',
    details: { index },
  });
}

/** Tells the four overrides that every instance has: the name and place of its root. */
export function isReserved(table: Table, instance: number, override: Entry): boolean {
  const info = infoOf(table, entryAt(table, instance));
  const localId = localIdOf(table, override['targetInfo']);
  const path = propertyPathOf(override);
  return (
    localId.length === 1 &&
    localId[0] === info?.['fileId'] &&
    path.length === 1 &&
    reservedFields.has(path[0] ?? '')
  );
}

/** Tells whether one path begins with another. */
function beginsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((step, index) => path[index] === step);
}

/** Says what a property of an object in an instance is. */
export function writeOverride(table: Table, key: OverrideKey, value: OwnJson): void {
  const list = listIn(ownInstanceAt(table, key.instance), 'propertyOverrides');
  let sameTarget: Json | undefined;
  for (const index of refIndices(list)) {
    const override = entryAt(table, index);
    if (!equalJson(localIdOf(table, override['targetInfo']), [...key.localId])) continue;
    sameTarget = override['targetInfo'];
    if (equalJson(propertyPathOf(override), [...key.path])) {
      ownAt(table, index)['value'] = value;
      return;
    }
  }
  const info = refIndex(sameTarget) ?? append(table, targetInfo(key.localId));
  const override = {
    __type__: 'CCPropertyOverrideInfo',
    targetInfo: ref(info),
    propertyPath: [...key.path],
    value,
  };
  list.push(ref(append(table, override)));
}

/** Takes back what was said of a property of an object in an instance and of its parts, or only of its parts. */
export function dropOverrides(
  table: Table,
  key: OverrideKey,
  which: 'all' | 'parts' = 'all',
): void {
  const list = ownInstanceAt(table, key.instance)['propertyOverrides'];
  const shortest = key.path.length + (which === 'parts' ? 1 : 0);
  keep(list, (index) => {
    const override = entryAt(table, index);
    const path = propertyPathOf(override);
    const meant = path.length >= shortest && beginsWith(path, key.path);
    return !meant || !equalJson(localIdOf(table, override['targetInfo']), [...key.localId]);
  });
}

/** Takes out of a list of references those that `wanted` refuses. */
export function keep(list: OwnJson | undefined, wanted: (index: number) => boolean): void {
  if (!isList(list)) return;
  const kept = list.filter((element) => {
    const index = refIndex(element);
    return index === undefined || wanted(index);
  });
  if (kept.length < list.length) list.splice(0, list.length, ...kept);
}

/** One end of a reference into or out of an instance: an own object, or one in an instance. */
export interface End {
  readonly index: number;
  readonly localId?: readonly string[] | undefined;
}

/** Tells whether one side of a target override is this. */
function isEnd(table: Table, override: Entry, at: End & { side: 'source' | 'target' }): boolean {
  const { side, index, localId = [] } = at;
  if (refIndex(override[side]) !== index) return false;
  return equalJson(localIdOf(table, override[`${side}Info`]), [...localId]);
}

/** Lets a property refer to an object in an instance. */
export function writeReference(
  table: Table,
  from: End & { readonly path: readonly string[] },
  to: Required<End>,
): void {
  const sourceInfo = from.localId ? ref(append(table, targetInfo(from.localId))) : null;
  const override = {
    __type__: 'cc.TargetOverrideInfo',
    source: ref(from.index),
    sourceInfo,
    propertyPath: [...from.path],
    target: ref(to.index),
    targetInfo: ref(append(table, targetInfo(to.localId ?? []))),
  };
  listIn(holderOf(table), 'targetOverrides').push(ref(append(table, override)));
}

/** Forgets what a property, or a part of it, refers to in an instance. */
export function dropReferences(
  table: Table,
  from: End & { readonly path: readonly string[] },
): boolean {
  const list = ownInfoOf(table, entryAt(table, rootOf(table)))?.['targetOverrides'];
  const before = refIndices(list).length;
  keep(list, (index) => {
    const override = entryAt(table, index);
    return !(
      isEnd(table, override, { ...from, side: 'source' }) &&
      beginsWith(propertyPathOf(override), from.path)
    );
  });
  return refIndices(list).length < before;
}
