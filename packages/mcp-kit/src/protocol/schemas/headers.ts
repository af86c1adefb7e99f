import { Buffer } from 'node:buffer';
import { KitError } from '#base';
import { isRecord, type Headers } from '#jsonrpc';
import type { JsonSchema } from '../model/types.ts';

const prefix = '=?base64?';
const suffix = '?=';

/** Text as a header value: as it is when it survives, else wrapped as base64. */
export function encodeHeaderValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text);
  if (plain && !isWrapped(text)) return text;
  return `${prefix}${Buffer.from(text, 'utf8').toString('base64')}${suffix}`;
}

/** The text a header value stands for, or nothing when its base64 is not canonical or not UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const text = value.trim();
  if (!isWrapped(text)) return text;
  const base64 = text.slice(prefix.length, -suffix.length);
  const bytes = Buffer.from(base64, 'base64');
  const decoded = bytes.toString('utf8');
  const canonical = bytes.toString('base64') === base64 && Buffer.from(decoded).equals(bytes);
  return canonical ? decoded : undefined;
}

function isWrapped(text: string): boolean {
  const least = prefix.length + suffix.length;
  return text.length >= least && text.startsWith(prefix) && text.endsWith(suffix);
}

/** An argument that a client repeats in a header, so that intermediaries need not read the body. */
export interface HeaderBinding {
  /** Lower case, with its `mcp-param-` prefix. */
  readonly header: string;
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const annotation = 'x-mcp-header';

/** The bindings an input schema declares; a wrong declaration is the author's error. */
export function headerBindings(schema: JsonSchema): readonly HeaderBinding[] {
  const bindings: HeaderBinding[] = [];
  collect(schema, [], bindings);
  if (count(schema) !== bindings.length) {
    throw wrong('it may stand only on properties reached through "properties"');
  }
  const names = new Set(bindings.map((binding) => binding.header));
  if (names.size !== bindings.length) throw wrong('the same name is used twice');
  return bindings;
}

function collect(schema: unknown, path: readonly string[], into: HeaderBinding[]): void {
  if (!isRecord(schema)) return;
  const name = schema[annotation];
  if (name !== undefined) {
    const { type } = schema;
    if (typeof name !== 'string' || !token.test(name)) throw wrong('its value must be a token');
    if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
      throw wrong(`${path.join('.')} must be a string, an integer or a boolean`);
    }
    into.push({ header: `mcp-param-${name.toLowerCase()}`, path, type });
  }
  if (!isRecord(schema['properties'])) return;
  for (const [key, inner] of Object.entries(schema['properties'])) {
    collect(inner, [...path, key], into);
  }
}

/** Annotations anywhere, also where they are not allowed; a property may itself be named like the annotation. */
function count(schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce((sum: number, inner) => sum + count(inner), 0);
  if (!isRecord(schema)) return 0;
  let found = schema[annotation] === undefined ? 0 : 1;
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties' && isRecord(inner)) {
      for (const property of Object.values(inner)) found += count(property);
    } else if (key !== annotation && key !== 'const' && key !== 'enum' && key !== 'default') {
      found += count(inner);
    }
  }
  return found;
}

function wrong(why: string): KitError {
  return new KitError('invalid_argument', `${annotation}: ${why}`);
}

/** Says which mirrored header disagrees with the arguments, if any does. */
export function mirrorMismatch(
  bindings: readonly HeaderBinding[],
  args: unknown,
  headers: Headers,
): string | undefined {
  for (const { header, path, type } of bindings) {
    const value = valueAt(args, path);
    const raw = headers[header];
    if (value === undefined || value === null) {
      if (raw !== undefined) return `${header} is present but its argument is not`;
      continue;
    }
    if (typeof raw !== 'string') return `${header} is missing`;
    const text = decodeHeaderValue(raw);
    if (text === undefined) return `${header} is not validly encoded`;
    if (!isSame(value, text, type)) return `${header} differs from its argument`;
  }
  return undefined;
}

/** The headers that repeat these arguments; what is absent or null has none. */
export function mirrorHeaders(
  args: unknown,
  bindings: readonly HeaderBinding[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of bindings) {
    const value = valueAt(args, path);
    if (value === undefined || value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    headers[header] = text === '' ? '' : encodeHeaderValue(text);
  }
  return headers;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Integers compare by value, so that `42.0` is 42; nothing else is written as a number. */
function isSame(value: unknown, text: string, type: HeaderBinding['type']): boolean {
  if (type === 'integer' && typeof value === 'number') {
    return /^-?\d+(?:\.0+)?$/.test(text) && Number(text) === value;
  }
  return text === (typeof value === 'string' ? value : JSON.stringify(value));
}
