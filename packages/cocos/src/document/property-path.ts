import { assign, isList, isObject, refIndex } from './json.ts';
import type { Entry, Json, OwnEntry, OwnJson } from './json.ts';

/** Finds the object of a number. */
export type ObjectAt<Found = Entry> = (index: number) => Found | undefined;

/** The part of a value that one step leads to, through a reference if it is one. */
function part(value: Json, step: string, objectAt: ObjectAt): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  const next = (value as Record<string, Json>)[step];
  const index = refIndex(next);
  return index === undefined ? next : objectAt(index);
}

/** What a path leads to from an object; the last step is not followed when it is a reference. */
export function valueAt(
  entry: Entry,
  path: readonly string[],
  objectAt: ObjectAt,
): Json | undefined {
  const owner = ownerAt(entry, path, objectAt);
  const last = path.at(-1);
  if (last === undefined) return entry;
  if (owner === undefined || !Object.hasOwn(owner, last)) return undefined;
  return (owner as Record<string, Json>)[last];
}

/** The object or list that holds the last step of a path; to be changed where all that leads to it is the caller's own. */
export function ownerAt(
  entry: OwnEntry,
  path: readonly string[],
  objectAt: ObjectAt<OwnEntry>,
): OwnJson[] | OwnEntry | undefined;
export function ownerAt(
  entry: Entry,
  path: readonly string[],
  objectAt: ObjectAt,
): readonly Json[] | Entry | undefined;
export function ownerAt(
  entry: Entry,
  path: readonly string[],
  objectAt: ObjectAt,
): readonly Json[] | Entry | undefined {
  let owner: Json | undefined = entry;
  for (const step of path.slice(0, -1)) {
    if (owner === undefined) return undefined;
    owner = part(owner, step, objectAt);
  }
  return isObject(owner) || isList(owner) ? owner : undefined;
}

/** Whether a value has a place in an object or list: an element must exist, a length must be one. */
export function hasPlace(owner: readonly Json[] | Entry, step: string, value: Json): boolean {
  if (!isList(owner)) return true;
  const most = step === 'length' ? 1e6 : owner.length - 1;
  const place = step === 'length' ? value : Number(step);
  return typeof place === 'number' && Number.isInteger(place) && place >= 0 && place <= most;
}

/** Puts a value into an object or list as the engine applies an override; a length cuts or fills. */
export function put(owner: OwnJson[] | OwnEntry, step: string, value: OwnJson): boolean {
  if (!hasPlace(owner, step, value)) return false;
  if (!isList(owner)) {
    assign(owner, step, value);
  } else if (step === 'length') {
    while (owner.length < Number(value)) owner.push(null);
    owner.length = Number(value);
  } else {
    owner[Number(step)] = value;
  }
  return true;
}
