import { componentHead, isList, type Json, textOf } from '#cocos/document';
import {
  type ComponentSpec,
  defineComponent,
  displayName,
  type Field,
  type FieldType,
  valueParts,
  type ValueTypeName,
} from './field.ts';

const shared = new Set([...componentHead, '_id']);

type Stored = Readonly<Record<string, Json>>;

interface Seen {
  /** The layout with the most fields, which is that of the newest writer. */
  fields: readonly string[];
  readonly values: Map<string, Json[]>;
}

/** Learns the layout of component classes from files: the fields, their types, their usual values. */
export function learnComponents(
  files: Iterable<readonly (Stored | undefined)[]>,
  isKnown: (type: string) => boolean,
): ComponentSpec[] {
  const classes = new Map<string, Seen>();
  for (const objects of files) {
    for (const object of objects) {
      const type = object?.['__type__'];
      if (typeof type !== 'string' || object?.['node'] === undefined || isKnown(type)) continue;
      const seen = classes.get(type) ?? { fields: [], values: new Map<string, Json[]>() };
      classes.set(type, seen);
      observe(seen, object, (index) => objects[index]);
    }
  }
  return [...classes].map(([type, seen]) => describe(type, seen));
}

/** Learns the layout of the class of one component. */
export function learnComponent(object: Stored, lookUp: LookUp): ComponentSpec {
  const seen: Seen = { fields: [], values: new Map() };
  observe(seen, object, lookUp);
  return describe(textOf(object['__type__']), seen);
}

function describe(type: string, { fields, values }: Seen): ComponentSpec {
  return defineComponent(
    type,
    {},
    fields.map((stored) => toField(stored, values.get(stored))),
  );
}

type LookUp = (index: number) => Stored | undefined;

function observe(seen: Seen, object: Stored, lookUp: LookUp): void {
  const fields = Object.keys(object).filter((name) => !shared.has(name));
  if (fields.length > seen.fields.length) seen.fields = fields;
  for (const name of fields) {
    const values = seen.values.get(name) ?? [];
    values.push(withTypes(object[name] ?? null, lookUp));
    seen.values.set(name, values);
  }
}

/** Replaces each reference by the class of its target, because only that can be learned from it. */
function withTypes(value: Json, lookUp: LookUp): Json {
  if (isList(value)) return value.map((item) => withTypes(item, lookUp));
  if (value === null || typeof value !== 'object' || typeof value['__id__'] !== 'number') {
    return value;
  }
  const target = lookUp(value['__id__']);
  const isComponent = target?.['node'] !== undefined;
  return { __id__: 0, class: target?.['__type__'] ?? '', isComponent };
}

function toField(stored: string, values: readonly Json[] = []): Field {
  const type = typeOfValues(values);
  const initial = initialOf(type, values);
  const field = { stored, name: displayName(stored), type };
  return initial === undefined ? field : { ...field, initial };
}

function typeOfValues(values: readonly Json[]): FieldType {
  const present = values.filter((value) => value !== null);
  if (present.length > 0 && present.every((value) => isList(value))) {
    return { kind: 'array', of: typeOfValues(present.flat()) };
  }
  const types = present.map((value) => typeOfValue(value));
  const [first, ...others] = types;
  return others.reduce(common, first ?? { kind: 'any' });
}

/** The narrowest type that two values have in common. */
function common(a: FieldType, b: FieldType): FieldType {
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (a.kind === 'component' && b.kind === 'component') {
    return { kind: 'component', type: 'cc.Component' };
  }
  if (a.kind !== 'asset' || b.kind !== 'asset') return { kind: 'any' };
  // Old files do not say of what class an asset is.
  if (a.type === 'cc.Asset') return b;
  return b.type === 'cc.Asset' ? a : { kind: 'asset', type: 'cc.Asset' };
}

function typeOfValue(value: Json): FieldType {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') {
    return { kind: typeof value as 'number' | 'string' | 'boolean' };
  }
  if (value === null || isList(value)) return { kind: 'any' };
  const type = value['__type__'];
  if (typeof type === 'string' && type in valueParts) {
    return { kind: 'value', type: type as ValueTypeName };
  }
  if (typeof value['__uuid__'] === 'string') {
    return { kind: 'asset', type: textOf(value['__expectedType__']) || 'cc.Asset' };
  }
  if (value['isComponent'] === true) return { kind: 'component', type: textOf(value['class']) };
  if (value['class'] === 'cc.Node') return { kind: 'node' };
  return { kind: 'any' };
}

function initialOf(type: FieldType, values: readonly Json[]): Json | undefined {
  switch (type.kind) {
    case 'node':
    case 'component':
    case 'asset':
      return null;
    case 'array':
      return [];
    case 'any':
    case 'object':
      return undefined;
    default:
      return mostFrequent(values);
  }
}

function mostFrequent(values: readonly Json[]): Json | undefined {
  const counts = new Map<string, number>();
  for (const value of values) {
    const key = JSON.stringify(value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best === undefined ? undefined : (JSON.parse(best[0]) as Json);
}
