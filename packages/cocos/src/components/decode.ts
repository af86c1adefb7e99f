import type { Json } from '#cocos/document';
import { type FieldType, valueParts, type ValueTypeName } from './field.ts';

/** How references are shown to a reader. */
export interface DecodeContext {
  /** The URL or uuid of an asset. */
  asset(uuid: string): string;
  /** The handle of the object that a stored reference points at, or the object itself where it is no node or component. */
  object(id: number): string | Readonly<Record<string, Json>>;
}

/** Turns a stored value into the form that `encodeValue` takes: no `__type__`, colours as text, enums by name. */
export function decodeValue(type: FieldType, stored: Json, context: DecodeContext): Json {
  if (stored === null || stored === undefined) return null;
  if (Array.isArray(stored)) {
    const of: FieldType = type.kind === 'array' ? type.of : { kind: 'any' };
    return stored.map((item) => decodeValue(of, item, context));
  }
  if (typeof stored !== 'object') return type.kind === 'enum' ? enumName(type, stored) : stored;
  return decodeStoredObject(type, stored, context);
}

function decodeStoredObject(
  type: FieldType,
  stored: Record<string, Json>,
  context: DecodeContext,
): Json {
  const { __uuid__: uuid, __id__: id, __type__: className } = stored;
  if (typeof uuid === 'string') return context.asset(uuid);
  if (typeof id === 'number') {
    const target = context.object(id);
    return typeof target === 'string' ? target : decodeObject(type, target, context);
  }
  if (className === 'cc.Color') return colorText(stored);
  if (typeof className === 'string' && className in valueParts)
    return Object.fromEntries(
      valueParts[className as ValueTypeName].map((part) => [part, stored[part] ?? 0]),
    );
  return decodeObject(type, stored, context);
}

function decodeObject(
  type: FieldType,
  stored: Readonly<Record<string, Json>>,
  context: DecodeContext,
): Json {
  const value: Record<string, Json> = {};
  const fields = type.kind === 'object' ? type.fields : [];
  for (const [key, part] of Object.entries(stored)) {
    if (key === '__type__' && fields.length > 0) continue;
    const field = fields.find((other) => other.stored === key);
    value[field?.name ?? key] = decodeValue(field?.type ?? { kind: 'any' }, part, context);
  }
  return value;
}

function enumName(type: FieldType & { kind: 'enum' }, stored: Json): Json {
  const name = Object.keys(type.names).find((key) => type.names[key] === stored);
  return name ?? stored;
}

/** `#rrggbb`, with a fourth pair where the colour is not opaque. */
export function colorText(stored: Readonly<Record<string, Json>>): string {
  const pair = (part: Json | undefined): string =>
    Number(part ?? 255)
      .toString(16)
      .padStart(2, '0');
  const text = `#${pair(stored['r'])}${pair(stored['g'])}${pair(stored['b'])}`;
  return (stored['a'] ?? 255) === 255 ? text : `${text}${pair(stored['a'])}`;
}
