import { assign, isObject, refIndex } from './json.ts';
import type { Entry, Json } from './json.ts';

/** Finds the object of a number: to read it, or to change it. */
export type ObjectAt = (index: number) => Entry | undefined;

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
  let owner: Json | undefined = entry;
  for (const step of path.slice(0, -1)) {
    if (owner === undefined) return undefined;
    owner = part(owner, step, objectAt);
  }
  const last = path.at(-1);
  if (last === undefined) return owner;
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, last)) return undefined;
  return (owner as Record<string, Json>)[last];
}

/** The object or list that holds the last step of a path. */
export function ownerAt(
  entry: Entry,
  path: readonly string[],
  objectAt: ObjectAt,
): Json[] | Entry | undefined {
  let owner: Json | undefined = entry;
  for (const step of path.slice(0, -1)) {
    if (owner === undefined) return undefined;
    owner = part(owner, step, objectAt);
  }
  return isObject(owner) || Array.isArray(owner) ? owner : undefined;
}

/** Puts a value into an object or list as the engine applies an override: an element must exist, a length cuts or fills. */
export function put(owner: Json[] | Entry, step: string, value: Json): boolean {
  if (!Array.isArray(owner)) {
    assign(owner, step, value);
    return true;
  }
  if (step === 'length') {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 1e6) {
      return false;
    }
    while (owner.length < value) owner.push(null);
    owner.length = value;
    return true;
  }
  const index = Number(step);
  if (!Number.isInteger(index) || index < 0 || index >= owner.length) return false;
  owner[index] = value;
  return true;
}
