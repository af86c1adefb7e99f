import { type FieldType, valueParts, type ValueTypeName } from '#cocos/components';
import { isList, isObject, type Json, textOf } from '#cocos/document';

/** A value as the editor sends and takes it: `{ type: 'cc.Vec3', value: { x, y, z } }`. */
export interface Dump {
  readonly type?: string;
  readonly isArray?: boolean;
  readonly value: DumpValue;
}

type DumpValue =
  | string
  | number
  | boolean
  | null
  | Dump[]
  | { [key: string]: string | number | boolean | null | Dump };

const plainTypes = { number: 'Number', integer: 'Integer', string: 'String', boolean: 'Boolean' };

/** Turns a value as `decodeValue` gives it (assets and objects by uuid) into what the editor takes. */
export function toDump(type: FieldType, value: Json): Dump {
  if (isPlain(type)) return { type: plainTypes[type.kind], value: plain(value) };
  switch (type.kind) {
    case 'enum':
      return enumDump(type, value);
    case 'value':
      return { type: type.type, value: partsOf(type.type, value) };
    case 'asset':
    case 'component':
    case 'node':
      return { type: classOf(type), value: { uuid: textOf(value) } };
    case 'array':
      return arrayDump(type.of, value);
    case 'object':
      return { type: type.type, value: objectParts(type, value) };
    default:
      return anyDump(value);
  }
}

function arrayDump(of: FieldType, value: Json): Dump {
  const list = isList(value) ? value : [];
  return { type: typeNameOf(of), isArray: true, value: list.map((item) => toDump(of, item)) };
}

const classOf = (type: FieldType): string => ('type' in type ? type.type : 'cc.Node');

/** The class that the editor shows for a type. */
function typeNameOf(type: FieldType): string {
  const { type: name = '', value } = toDump(type, type.kind === 'array' ? [] : null);
  return name === '' && value === null ? 'Unknown' : name;
}

function isPlain(type: FieldType): type is FieldType & { kind: keyof typeof plainTypes } {
  return Object.hasOwn(plainTypes, type.kind);
}

const plain = (value: Json): string | number | boolean | null =>
  typeof value === 'object' ? null : value;

function enumDump(type: FieldType & { kind: 'enum' }, value: Json): Dump {
  const className = type.flags === true ? 'BitMask' : 'Enum';
  if (typeof value === 'number') return { type: className, value };
  let bits = 0;
  for (const name of isList(value) ? value : [value]) bits |= type.names[textOf(name)] ?? 0;
  return { type: className, value: bits };
}

function partsOf(type: ValueTypeName, value: Json): { [part: string]: number } {
  const parts: { [part: string]: number } = {};
  if (typeof value === 'string' && value.startsWith('#')) {
    for (const [place, part] of valueParts[type].entries()) {
      parts[part] = Number.parseInt(value.slice(1 + 2 * place, 3 + 2 * place) || 'ff', 16);
    }
    return parts;
  }
  for (const part of valueParts[type]) parts[part] = isObject(value) ? Number(value[part] ?? 0) : 0;
  return parts;
}

function objectParts(type: FieldType & { kind: 'object' }, value: Json): DumpValue {
  if (!isObject(value)) return null;
  const parts: { [key: string]: Dump } = {};
  for (const { name, type: part } of type.fields) {
    if (value[name] !== undefined) parts[name] = toDump(part, value[name]);
  }
  return parts;
}

function anyDump(value: Json): Dump {
  if (isList(value)) return { isArray: true, value: value.map((item) => anyDump(item)) };
  if (!isObject(value)) return { value };
  const parts = Object.entries(value).map(([key, part]) => [key, anyDump(part)] as const);
  return { value: Object.fromEntries(parts) };
}

/** Turns what the editor sends into what `encodeValue` takes. */
export function fromDump(dump: Json): Json {
  if (!isObject(dump) || !('value' in dump)) return dump;
  const { value = null, type } = dump;
  if (isList(value)) return value.map((item) => fromDump(item));
  if (!isObject(value)) return value;
  if (typeof type === 'string' && type in valueParts) return value;
  if ('uuid' in value && Object.keys(value).length === 1) {
    return fromDump(value['uuid'] ?? '') || null;
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fromDump(part)]));
}
