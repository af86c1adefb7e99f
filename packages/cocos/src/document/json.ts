/** What a file holds once it is parsed; shared by many, so that nobody may change it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of a file, by its keys. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** The same for its only owner. */
export type OwnJson = null | boolean | number | string | OwnJson[] | OwnEntry;

export interface OwnEntry {
  [key: string]: OwnJson;
}

/** An object of a scene or prefab as the file has it; `__type__` names its class. */
export type Entry = JsonObject;

/** Tells a JSON object from everything else. */
export function isObject(value: OwnJson | undefined): value is OwnEntry;
export function isObject(value: unknown): value is JsonObject;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells a list. */
export function isList(value: OwnJson | undefined): value is OwnJson[];
export function isList(value: unknown): value is readonly Json[];
export function isList(value: unknown): boolean {
  return Array.isArray(value);
}

/** A reference to another object of the same file. */
export function ref(index: number): OwnEntry {
  return { __id__: index };
}

/** The object that a reference names; undefined for everything that is no reference. */
export function refIndex(value: Json | undefined): number | undefined {
  if (!isObject(value)) return undefined;
  const index = value['__id__'];
  return typeof index === 'number' ? index : undefined;
}

/** The objects that a list of references names; whatever is no reference is left out. */
export function refIndices(value: Json | undefined): number[] {
  const found: number[] = [];
  if (!isList(value)) return found;
  for (const element of value) {
    const index = refIndex(element);
    if (index !== undefined) found.push(index);
  }
  return found;
}

/** The class of an object, or an empty text. */
export function typeOf(entry: Json | undefined): string {
  const type = isObject(entry) ? entry['__type__'] : undefined;
  return typeof type === 'string' ? type : '';
}

/** The text of a field, or an empty one. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Sets a field also where its name means something to the language. */
export function assign(target: OwnEntry, key: string, value: OwnJson): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    target[key] = value;
  }
}

/** A deep copy in which each reference names what `renumber` says; null removes the reference. */
export function cloneJson(value: Entry, renumber?: (index: number) => number | null): OwnEntry;
export function cloneJson(value: Json, renumber?: (index: number) => number | null): OwnJson;
export function cloneJson(value: Json, renumber?: (index: number) => number | null): OwnJson {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((element) => cloneJson(element, renumber));
  const index = value['__id__'];
  if (typeof index === 'number') {
    if (!renumber) return { __id__: index };
    const next = renumber(index);
    return next === null ? null : { __id__: next };
  }
  // Twice as fast as one field after the other, because the copy is laid out at once.
  const copy: Record<string, Json> = { ...value };
  for (const key in copy) {
    const part = copy[key];
    if (typeof part === 'object' && part !== null) {
      assign(copy as OwnEntry, key, cloneJson(part, renumber));
    }
  }
  return copy as OwnEntry;
}

/** The same value with references that name what `renumber` says; what has none is shared. */
export function withRefs<Value extends Json>(
  value: Value,
  renumber: (index: number) => number | null,
): Value;
export function withRefs(value: Json, renumber: (index: number) => number | null): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    const parts = value.map((part) => withRefs(part, renumber));
    return parts.every((part, index) => part === value[index]) ? value : parts;
  }
  const index = value['__id__'];
  if (typeof index === 'number') {
    const next = renumber(index);
    if (next === index) return value;
    return next === null ? null : { __id__: next };
  }
  let copy: OwnEntry | undefined;
  for (const key in value) {
    const part = value[key] ?? null;
    if (typeof part !== 'object' || part === null) continue;
    const changed = withRefs(part, renumber);
    if (changed === part) continue;
    copy ??= { ...value } as OwnEntry;
    assign(copy, key, changed as OwnJson);
  }
  return copy ?? value;
}

/** Tells whether two values are the same JSON, whatever the order of fields. */
export function equalJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((element, index) => equalJson(element, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key]))
  );
}

/** Calls `found` for every reference in a value, in the order of the file: with its number, and the reference itself. */
export function eachRef(value: Json, found: (index: number, ref: JsonObject) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isList(value)) {
    for (const element of value) eachRef(element, found);
    return;
  }
  const index = value['__id__'];
  if (typeof index === 'number') {
    found(index, value);
    return;
  }
  for (const key in value) eachRef(value[key] ?? null, found);
}
