import { Buffer } from 'node:buffer';
import { expandId, isScriptType } from './ids.ts';
import { isObject, refIndex, typeOf } from './json.ts';
import type { Json, OwnEntry, OwnJson } from './json.ts';
import { eachReference } from './print/layout.ts';
import { eachEntry, entryAt, ownAt } from './table.ts';
import type { Table } from './table.ts';

/** A place in a table: the number of an object, and the way from there. */
export interface Spot {
  readonly from: number;
  readonly path: readonly string[];
}

/** Where an asset is used. */
export interface AssetUse extends Spot {
  readonly uuid: string;
  readonly expectedType: string | undefined;
}

type Found = (value: Json, path: readonly string[]) => void;

function walk(value: Json, path: readonly string[], found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  found(value, path);
  for (const [key, part] of Object.entries(value)) walk(part, [...path, key], found);
}

/** All references to one object. */
export function referencesTo(table: Table, index: number): Spot[] {
  return referencesToAny(table, new Set([index])).map(({ from, path }) => ({ from, path }));
}

/** All references to some objects. */
export function referencesToAny(
  table: Table,
  targets: ReadonlySet<number>,
): (Spot & { readonly to: number })[] {
  const spots: (Spot & { readonly to: number })[] = [];
  const search = (value: Json, path: string[], from: number): void => {
    if (typeof value !== 'object' || value === null) return;
    const to = refIndex(value);
    if (to !== undefined) {
      if (targets.has(to)) spots.push({ from, path: [...path], to });
      return;
    }
    for (const key of Object.keys(value)) {
      path.push(key);
      search((value as Record<string, Json>)[key] ?? null, path, from);
      path.pop();
    }
  };
  const holders = new Set<number>();
  eachReference(table, (from, to) => {
    if (targets.has(to)) holders.add(from);
  });
  for (const from of holders) search(entryAt(table, from), [], from);
  return spots;
}

/** All uses of assets in a scene or prefab. */
export function assetUses(table: Table): AssetUse[] {
  const uses: AssetUse[] = [];
  eachEntry(table, (entry, from) => {
    walk(entry, [], (value, path) => {
      if (!isObject(value)) return;
      const { __uuid__: uuid, __expectedType__: type } = value;
      if (typeof uuid !== 'string') return;
      uses.push({ from, path, uuid, expectedType: typeof type === 'string' ? type : undefined });
    });
  });
  return uses;
}

/** All objects, also inline ones, whose class is a script. */
export function scriptUses(
  table: Table,
): { readonly from: number; readonly type: string; readonly uuid: string }[] {
  return table.objects.flatMap((entry, from) => {
    const type = typeOf(entry);
    const uuid = isScriptType(type) ? expandId(type) : undefined;
    return uuid === undefined ? [] : [{ from, type, uuid }];
  });
}

/** Lets every use of one asset, or of one sub-asset, be of another; answers where. */
export function replaceAsset(table: Table, from: string, to: string): AssetUse[] {
  const uses = assetUses(table).filter(({ uuid }) => uuid === from);
  for (const use of uses) {
    let value: OwnJson | undefined = ownAt(table, use.from);
    for (const step of use.path) {
      if (typeof value !== 'object' || value === null) break;
      value = (value as OwnEntry)[step];
    }
    if (isObject(value)) value['__uuid__'] = to;
  }
  return uses;
}

const uuidHere = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:@[0-9a-z]+)*/y;
const beforeDash = 8;
const scriptInText = /"(?:__type__|_componentId)":\s*"([0-9a-f]{5}[0-9A-Za-z+/]{18})"/g;

/** The same characters; a part of a text would keep the whole text in memory. */
const copyOf = (part: string): string => Buffer.from(part, 'latin1').toString('latin1');

/** Every uuid that a file of any kind mentions, with sub-assets, and those of scripts that its objects are of. */
export function uuidsInText(text: string): Set<string> {
  const found = new Set<string>();
  // Dashes are few and quickly found; trying every place takes ten times as long.
  for (let dash = text.indexOf('-', beforeDash), end = 0; dash >= 0;) {
    uuidHere.lastIndex = Math.max(end, dash - beforeDash);
    const [uuid] = uuidHere.exec(text) ?? [];
    if (uuid !== undefined) {
      if (!found.has(uuid)) found.add(copyOf(uuid));
      end = uuidHere.lastIndex;
    }
    dash = text.indexOf('-', uuid === undefined ? dash + 1 : end);
  }
  for (const [, type] of text.matchAll(scriptInText)) {
    const uuid = expandId(type ?? '');
    if (uuid !== undefined) found.add(uuid);
  }
  return found;
}
