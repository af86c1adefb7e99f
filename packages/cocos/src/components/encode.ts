import {
  CocosError,
  isList,
  isObject,
  type Json,
  ref,
  refIndex,
  textOf,
  typeOf,
} from '#cocos/document';
import { nearest } from './component-table.ts';
import { type Field, type FieldType, findField, valueParts, type ValueTypeName } from './field.ts';

/** What the value of a tool may name; each lookup fails with E_NOT_FOUND, or E_INVALID_ARGUMENT for a wrong kind. */
export interface EncodeContext {
  /** An asset of that type named by path, `db://` URL or uuid: its full identifier (`…@f9941`) and its own class. */
  asset(reference: string, type: string): { readonly uuid: string; readonly type: string };
  /** The index in the view of a node (`cc.Node`) or component named by a handle or path; a component also by its node. */
  object(reference: string, type: string): number;
  /** The stored class name of a component: a script by class name or path. */
  classId(name: string): string;
}

/** A value ready to be stored. */
export interface Encoded {
  readonly value: Json;
  /** Places in it whose objects belong in the object table; what lies inside another comes first. */
  readonly objects: readonly (readonly string[])[];
}

interface Encoding {
  readonly context: EncodeContext;
  /** What messages call the property: `cc.Label.fontSize`. */
  readonly label: string;
  readonly objects: (readonly string[])[];
}

interface Place {
  readonly path: readonly string[];
  /** What is stored there now; parts that a value leaves out come from it. */
  readonly current?: Json | undefined;
}

/** Turns a JSON value of a tool into what a file stores; wrong types fail and say what is expected. */
export function encodeValue(
  field: { readonly label: string; readonly type: FieldType; readonly current?: Json | undefined },
  value: Json,
  context: EncodeContext,
): Encoded {
  const encoding: Encoding = { context, label: field.label, objects: [] };
  const place: Place = { path: [], current: field.current };
  const stored = encodeAs(encoding, field.type, { ...place, value });
  return { value: stored, objects: encoding.objects };
}

interface Given extends Place {
  readonly value: Json;
}

const plain = {
  number: { fits: (value: Json) => Number.isFinite(value), expected: 'a finite number' },
  integer: { fits: (value: Json) => Number.isSafeInteger(value), expected: 'an integer' },
  string: { fits: (value: Json) => typeof value === 'string', expected: 'a string' },
  boolean: { fits: (value: Json) => typeof value === 'boolean', expected: 'true or false' },
};

function encodeAs(on: Encoding, type: FieldType, given: Given): Json {
  const { value } = given;
  switch (type.kind) {
    case 'number':
    case 'integer':
    case 'string':
    case 'boolean':
      return plain[type.kind].fits(value) ? value : refuse(on, given, plain[type.kind].expected);
    case 'enum':
      return encodeEnum(on, type, given);
    case 'value':
      return encodeParts(on, type.type, given);
    case 'asset':
      return encodeAsset(on, type.type, given);
    case 'node':
      return encodeLink(on, 'cc.Node', given);
    case 'component':
      return encodeLink(on, type.type, given);
    case 'array':
      if (!isList(value)) return refuse(on, given, 'an array');
      return value.map((item, index) => {
        const current = isList(given.current) ? given.current[index] : undefined;
        return encodeAs(on, type.of, { path: [...given.path, `${index}`], value: item, current });
      });
    case 'object':
      return encodeObject(on, type, given);
    case 'any':
      return encodeAny(on, given);
  }
}

function encodeEnum(on: Encoding, type: FieldType & { kind: 'enum' }, given: Given): number {
  const { value } = given;
  const names = Object.keys(type.names);
  const many = type.flags === true ? ', or an array of these' : '';
  if (typeof value === 'string') {
    const name = names.find((other) => other.toLowerCase() === value.toLowerCase());
    return name === undefined
      ? refuse(on, given, `${names.join(', ')}${many}`)
      : (type.names[name] ?? 0);
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (type.flags === true || Object.values(type.names).includes(value)) return value;
  }
  if (type.flags === true && isList(value)) {
    return value.reduce<number>(
      (sum, item) => sum | encodeEnum(on, type, { ...given, value: item }),
      0,
    );
  }
  const listed = names.map((name) => `${name} (${type.names[name]})`).join(', ');
  return refuse(on, given, `${listed}${many}`);
}

function encodeParts(on: Encoding, type: ValueTypeName, given: Given): Json {
  const parts = valueParts[type];
  const value = type === 'cc.Color' ? (parseColor(given.value) ?? given.value) : given.value;
  const example = `{${parts.join(', ')}}${type === 'cc.Color' ? ' or "#rrggbb"' : ''}`;
  if (!isObject(value)) return refuse(on, given, example);
  const unknown = Object.keys(value).find((key) => key !== '__type__' && !isPart(parts, key));
  if (unknown !== undefined) return refuse(on, given, `${example}, without "${unknown}"`);
  const current = isObject(given.current) ? given.current : { a: 255 };
  const stored: Record<string, Json> = { __type__: type };
  for (const part of parts) {
    const number = value[part] ?? current[part];
    const isFine = typeof number === 'number' && Number.isFinite(number);
    if (!isFine) return refuse(on, given, `${example} with finite numbers`);
    if (type === 'cc.Color' && !(Number.isInteger(number) && number >= 0 && number <= 255)) {
      return refuse(on, given, 'a colour with parts from 0 to 255');
    }
    stored[part] = number;
  }
  return stored;
}

function isPart(parts: readonly string[], key: string): boolean {
  return parts.includes(key);
}

/** `#rgb`, `#rrggbb` or `#rrggbbaa` as parts. */
function parseColor(value: Json): Record<string, Json> | undefined {
  if (typeof value !== 'string') return undefined;
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value);
  const text =
    short === null ? value : `#${[1, 2, 3].map((i) => `${short[i]}${short[i]}`).join('')}`;
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number.parseInt(match[index] ?? 'ff', 16);
  return { r: part(1), g: part(2), b: part(3), a: part(4) };
}

function encodeAsset(on: Encoding, type: string, given: Given): Json {
  if (given.value === null) return null;
  const reference = nameIn(given.value, ['__uuid__', 'assetUuid', 'assetPath', 'uuid']);
  if (reference === undefined) return refuse(on, given, `the path or uuid of a ${type}, or null`);
  const found = on.context.asset(reference, type);
  return { __uuid__: found.uuid, __expectedType__: found.type };
}

function encodeLink(on: Encoding, type: string, given: Given): Json {
  if (given.value === null) return null;
  const reference = nameIn(given.value, ['componentUuid', 'nodeUuid', 'uuid']);
  if (reference === undefined) return refuse(on, given, `the handle or path of a ${type}, or null`);
  return ref(on.context.object(reference, type));
}

function nameIn(value: Json, keys: readonly string[]): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (!isObject(value)) return undefined;
  const name = keys.map((key) => value[key]).find((found) => found !== undefined);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function encodeObject(on: Encoding, type: FieldType & { kind: 'object' }, given: Given): Json {
  if (given.value === null) return null;
  if (!isObject(given.value)) return refuse(on, given, `an object of class ${type.type}`);
  const value = type.type === 'cc.ClickEvent' ? toEvent(on, given.value) : given.value;
  const stored: Record<string, Json> = { __type__: type.type };
  for (const field of type.fields) stored[field.stored] = structuredClone(field.initial ?? null);
  for (const [key, part] of Object.entries(value)) {
    if (key === '__type__') continue;
    const field = findField(type.fields, key) ?? unknownKey(on, type.fields, key);
    stored[field.stored] = encodeAs(on, field.type, {
      path: [...given.path, field.stored],
      value: part,
    });
  }
  on.objects.push(given.path);
  return stored;
}

/** The engine finds the component by its class identifier; people name the class. */
function toEvent(on: Encoding, value: Record<string, Json>): Record<string, Json> {
  const { component, ...others } = value;
  if (typeof component !== 'string' || component === '') return value;
  return { ...others, component: '', _componentId: on.context.classId(component) };
}

function unknownKey(on: Encoding, fields: readonly Field[], key: string): never {
  const known = fields.map((field) => field.name);
  throw new CocosError('E_INVALID_ARGUMENT', `${on.label} has no part "${key}".`, {
    suggestion: `Did you mean ${nearest(key, known)[0] ?? 'another'}? It has: ${known.join(', ')}.`,
    details: { known },
  });
}

function encodeAny(on: Encoding, given: Given): Json {
  const { current, value } = given;
  const type = typeOfCurrent(current) ?? typeOfReference(value);
  if (type !== undefined) return encodeAs(on, type, given);
  if (value !== null && refIndex(current) !== undefined) {
    return refuse(on, given, 'null: it is an object of its own, whose parts are set one by one');
  }
  if (hasKey(value, '__id__')) {
    return refuse(on, given, 'a value without "__id__"; name nodes by their handle');
  }
  return structuredClone(value);
}

/** Where only a value is known, another must be of the same type. */
function typeOfCurrent(current: Json | undefined): FieldType | undefined {
  if (typeof current === 'number' || typeof current === 'boolean') {
    return { kind: typeof current as 'number' | 'boolean' };
  }
  if (!isObject(current)) return undefined;
  if (typeof current['__uuid__'] === 'string') {
    return { kind: 'asset', type: textOf(current['__expectedType__']) || 'cc.Asset' };
  }
  const type = typeOf(current);
  return type in valueParts ? { kind: 'value', type: type as ValueTypeName } : undefined;
}

/** Where nothing is known, a reference must say what it is: `{ nodeUuid }`, `{ assetPath }`. */
function typeOfReference(value: Json): FieldType | undefined {
  const [key, ...others] = isObject(value) ? Object.keys(value) : [];
  if (others.length > 0) return undefined;
  if (key === 'nodeUuid') return { kind: 'node' };
  if (key === 'componentUuid') return { kind: 'component', type: 'cc.Component' };
  const isAsset = key === 'assetUuid' || key === 'assetPath';
  return isAsset ? { kind: 'asset', type: 'cc.Asset' } : undefined;
}

function hasKey(value: Json, key: string): boolean {
  if (isList(value)) return value.some((item) => hasKey(item, key));
  if (!isObject(value)) return false;
  return key in value || Object.values(value).some((item) => hasKey(item, key));
}

function refuse(on: Encoding, given: Given, expected: string): never {
  const where = [on.label, ...given.path].join('.');
  const text = JSON.stringify(given.value) ?? 'undefined';
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  throw new CocosError('E_INVALID_ARGUMENT', `${where} must be ${expected}; it was ${shown}.`, {
    details: { property: where, expected },
  });
}
