import { isRecord } from 'mcp-kit/internal';
import type { JsonSchema } from 'mcp-kit/protocol';
import { usageError } from '../args.ts';

/** Alternatives of alternatives may be more than anybody wants to see. */
const maxAlternatives = 200;

/** A schema, and the whole one it is a part of, which its references start at. */
export interface SchemaPart {
  readonly schema: JsonSchema;
  readonly whole: JsonSchema;
}

/** Every plain schema that a schema stands for: behind references, and each of its alternatives. */
function alternatives({ schema, whole }: SchemaPart): Iterable<JsonSchema> {
  // A set is walked to what is added meanwhile, and has each but once: schemas may lead to themselves.
  const found = new Set([schema]);
  for (const one of found) {
    const { $ref: reference, anyOf, oneOf, allOf } = one;
    const referred = typeof reference === 'string' ? [follow(reference, whole)] : [];
    for (const part of [anyOf, oneOf, allOf, referred].flat()) {
      if (found.size >= maxAlternatives) return found;
      if (isRecord(part)) found.add(part);
    }
  }
  return found;
}

function follow(reference: string, whole: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = whole;
  for (const step of reference.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return isRecord(value) ? value : undefined;
}

/** A step of a reference; what is no URI leads to the name that it looks like. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The types that a value may have, as JSON Schema names them; empty when the schema does not say. */
export function typesOf(part: SchemaPart): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { type, enum: values, const: only } of alternatives(part)) {
    const named: readonly unknown[] = Array.isArray(type) ? type : [type];
    for (const name of named) if (typeof name === 'string') types.add(name);
    if (type !== undefined) continue;
    const listed: readonly unknown[] = Array.isArray(values) ? values : [];
    for (const value of only === undefined ? listed : [...listed, only]) types.add(typeOf(value));
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The schema of a property; undefined when none is known under that name. */
export function propertyOf(part: SchemaPart, name: string): SchemaPart | undefined {
  for (const { properties } of alternatives(part)) {
    if (!isRecord(properties) || !Object.hasOwn(properties, name)) continue;
    const schema = properties[name];
    return { schema: isRecord(schema) ? schema : {}, whole: part.whole };
  }
  return undefined;
}

/** The names of all properties that a schema speaks of. */
export function namesOf(part: SchemaPart): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { properties } of alternatives(part)) {
    for (const name of Object.keys(Object(properties))) names.add(name);
  }
  return names;
}

/** The schema of the elements of an array. */
export function itemsOf(part: SchemaPart): SchemaPart {
  for (const { items } of alternatives(part)) {
    if (isRecord(items)) return { schema: items, whole: part.whole };
  }
  return { schema: {}, whole: part.whole };
}

/** Turns what was typed into the value that the schema wants; what fits nothing stays text, and the check says so. */
export function convert(text: string, part: SchemaPart, name: string): unknown {
  const types = typesOf(part);
  if (types.has('boolean') && /^(true|false)$/.test(text)) return text === 'true';
  if (types.has('null') && text === 'null') return null;
  const isNumber = /^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text);
  if (isNumber && (types.has('integer') || types.has('number'))) return toNumber(text, name);
  if (types.has('object') && text.startsWith('{')) return parseJson(text, name);
  if (types.has('array')) {
    return text.startsWith('[') ? parseJson(text, name) : [convert(text, itemsOf(part), name)];
  }
  return text;
}

function toNumber(text: string, name: string): number {
  const number = Number(text);
  if (!/^-?\d+$/.test(text) || Number.isSafeInteger(number)) return number;
  throw usageError(
    `${name}: ${text} is too large to be sent as the number it is`,
    `If the tool takes text as well, send it as text: ${name}:='"${text}"'`,
  );
}

/** Reads JSON that was typed; `name` says where. */
export function parseJson(
  text: string,
  name: string,
  hint = 'Put it into single quotes in a shell.',
): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError(`${name} is not JSON: ${why}`, hint);
  }
}
