import { isList, type Json, type JsonObject } from '#cocos/document';
import { eventType, type FieldType, valueParts, type ValueTypeName } from './field.ts';

/** How references are shown to a reader. */
export interface DecodeContext {
  /** The URL or uuid of an asset. */
  asset(uuid: string): string;
  /** The handle of the object that a stored reference points at, or the object itself where it is no node or component. */
  object(id: number): string | Readonly<Record<string, Json>>;
  /** A name that means a stored class and no other; absent, or nothing, where it is shown as it is stored. */
  className?(type: string): string | undefined;
}

/** Objects may point at each other in circles. */
const maxDepth = 16;

/** Turns a stored value into the form that `encodeValue` takes: no `__type__`, colours as text, enums by name. */
export function decodeValue(type: FieldType, stored: Json, context: DecodeContext): Json {
  return decode({ context, depth: 0 }, type, stored);
}

interface Decoding {
  readonly context: DecodeContext;
  readonly depth: number;
}

function decode({ context, depth }: Decoding, type: FieldType, stored: Json): Json {
  if (stored === null || stored === undefined || depth > maxDepth) return null;
  const on = { context, depth: depth + 1 };
  if (isList(stored)) {
    const of: FieldType = type.kind === 'array' ? type.of : { kind: 'any' };
    return stored.map((item) => decode(on, of, item));
  }
  if (typeof stored !== 'object') return type.kind === 'enum' ? enumName(type, stored) : stored;
  return decodeStoredObject(on, type, stored);
}

function decodeStoredObject(on: Decoding, type: FieldType, stored: JsonObject): Json {
  const { __uuid__: uuid, __id__: id, __type__: className } = stored;
  if (typeof uuid === 'string') return on.context.asset(uuid);
  if (typeof id === 'number') {
    const target = on.context.object(id);
    return typeof target === 'string' ? target : decodeObject(on, type, target);
  }
  if (className === 'cc.Color') return colorText(stored);
  if (typeof className === 'string' && className in valueParts) {
    return Object.fromEntries(
      valueParts[className as ValueTypeName].map((part) => [part, stored[part] ?? 0]),
    );
  }
  return decodeObject(on, type, stored);
}

function decodeObject(on: Decoding, type: FieldType, stored: Readonly<Record<string, Json>>): Json {
  const value: Record<string, Json> = {};
  const fields = type.kind === 'object' ? type.fields : [];
  for (const [key, part] of Object.entries(stored)) {
    if (key === '__type__' && fields.length > 0) continue;
    const field = fields.find((other) => other.stored === key);
    value[field?.name ?? key] = decode(on, field?.type ?? { kind: 'any' }, part);
  }
  return type === eventType ? asEvent(value, on.context) : value;
}

/** People name the class of an event, the file its identifier. */
function asEvent(event: Readonly<Record<string, Json>>, context: DecodeContext): Json {
  const { componentId, ...rest } = event;
  if (typeof componentId !== 'string' || componentId === '') return event;
  const component = context.className?.(componentId);
  return component === undefined ? event : { ...rest, component };
}

function enumName({ names, flags }: FieldType & { kind: 'enum' }, stored: Json): Json {
  if (flags === true && typeof stored === 'number') return flagNames(names, stored);
  const name = Object.keys(names).find((key) => names[key] === stored);
  return name ?? stored;
}

/** The names of all bits that are set; the number where one of them has no name. */
function flagNames(names: Readonly<Record<string, number>>, stored: number): Json {
  const set = Object.entries(names).filter(([, bit]) => (stored & bit) !== 0);
  const named = set.reduce((sum, [, bit]) => sum | bit, 0);
  return named === stored ? set.map(([name]) => name) : stored;
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
