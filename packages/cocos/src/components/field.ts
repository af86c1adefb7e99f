import type { Json, OwnEntry } from '#cocos/document';

/** The value types that files store in place, with their parts in file order. */
export const valueParts = {
  'cc.Vec2': ['x', 'y'],
  'cc.Vec3': ['x', 'y', 'z'],
  'cc.Vec4': ['x', 'y', 'z', 'w'],
  'cc.Quat': ['x', 'y', 'z', 'w'],
  'cc.Color': ['r', 'g', 'b', 'a'],
  'cc.Size': ['width', 'height'],
  'cc.Rect': ['x', 'y', 'width', 'height'],
} as const;

/** The name of a value type, as in `__type__`. */
export type ValueTypeName = keyof typeof valueParts;

/** What a field of a component may hold. */
export type FieldType =
  | { readonly kind: 'number' | 'integer' | 'string' | 'boolean' | 'node' | 'any' }
  | {
      readonly kind: 'enum';
      readonly names: Readonly<Record<string, number>>;
      /** Values may be sums of the named ones. */
      readonly flags?: boolean | undefined;
    }
  | { readonly kind: 'value'; readonly type: ValueTypeName }
  | { readonly kind: 'asset'; readonly type: string }
  | { readonly kind: 'component'; readonly type: string }
  | { readonly kind: 'object'; readonly type: string; readonly fields: readonly Field[] }
  | { readonly kind: 'array'; readonly of: FieldType };

/** One stored property: its name in the file, its name in the editor, its type, its first value. */
export interface Field {
  readonly stored: string;
  readonly name: string;
  readonly type: FieldType;
  /** Absent where only the engine knows it; new components then leave the field out. */
  readonly initial?: Json | undefined;
}

/** What is known about a component class. */
export interface ComponentSpec {
  readonly type: string;
  /** In file order, without the head and the tail that all components share. */
  readonly fields: readonly Field[];
  /** Classes that must be on the node before it. */
  readonly requires: readonly string[];
  /** Classes that the engine adds after it. */
  readonly brings: readonly string[];
  /** At most one on a node. */
  readonly single: boolean;
  /** Draws the node; a node has at most one such component. */
  readonly renderer: boolean;
  readonly deprecated: boolean;
}

/** What a row of the table may say besides fields; what it leaves out is empty or false. */
export type SpecTraits = Partial<Omit<ComponentSpec, 'type' | 'fields'>>;

/** A row of the component table. */
export function defineComponent(
  type: string,
  traits: SpecTraits,
  fields: readonly Field[],
): ComponentSpec {
  return {
    type,
    fields,
    requires: traits.requires ?? [],
    brings: traits.brings ?? [],
    single: traits.single === true || traits.renderer === true,
    renderer: traits.renderer ?? false,
    deprecated: traits.deprecated ?? false,
  };
}

/** The name that the editor shows for a stored name, where the two differ only by the underscore. */
export function displayName(stored: string): string {
  return stored.startsWith('_') ? stored.slice(1) : stored;
}

function define(stored: string, type: FieldType, initial: Json): Field {
  return { stored, name: displayName(stored), type, initial };
}

/** The same field under another name in the editor. */
export function named(name: string, of: Field): Field {
  return { ...of, name };
}

export const number = (stored: string, initial: number): Field =>
  define(stored, { kind: 'number' }, initial);

export const integer = (stored: string, initial: number): Field =>
  define(stored, { kind: 'integer' }, initial);

export const string = (stored: string, initial: string): Field =>
  define(stored, { kind: 'string' }, initial);

export const boolean = (stored: string, initial: boolean): Field =>
  define(stored, { kind: 'boolean' }, initial);

export const choice = (
  stored: string,
  names: Readonly<Record<string, number>>,
  initial: number,
): Field => define(stored, { kind: 'enum', names }, initial);

export const flags = (
  stored: string,
  names: Readonly<Record<string, number>>,
  initial: number,
): Field => define(stored, { kind: 'enum', names, flags: true }, initial);

/** A stored value: `makeValue('cc.Size', 100, 40)`. */
export function makeValue(type: ValueTypeName, ...parts: readonly number[]): OwnEntry {
  const value: OwnEntry = { __type__: type };
  // Files have no −0: adding nothing makes it 0.
  for (const [index, part] of valueParts[type].entries()) value[part] = (parts[index] ?? 0) + 0;
  return value;
}

export const vec2 = (stored: string, x: number, y: number): Field =>
  define(stored, { kind: 'value', type: 'cc.Vec2' }, makeValue('cc.Vec2', x, y));

export const vec3 = (stored: string, ...parts: readonly number[]): Field =>
  define(stored, { kind: 'value', type: 'cc.Vec3' }, makeValue('cc.Vec3', ...parts));

export const size = (stored: string, width: number, height: number): Field =>
  define(stored, { kind: 'value', type: 'cc.Size' }, makeValue('cc.Size', width, height));

export const rect = (stored: string, ...parts: readonly number[]): Field =>
  define(stored, { kind: 'value', type: 'cc.Rect' }, makeValue('cc.Rect', ...parts));

/** A colour with full opacity unless a fourth part says otherwise. */
export function color(stored: string, ...[r = 255, g = 255, b = 255, a = 255]: number[]): Field {
  return define(stored, { kind: 'value', type: 'cc.Color' }, makeValue('cc.Color', r, g, b, a));
}

export const asset = (stored: string, type: string): Field =>
  define(stored, { kind: 'asset', type }, null);

export const node = (stored: string): Field => define(stored, { kind: 'node' }, null);

export const component = (stored: string, type: string): Field =>
  define(stored, { kind: 'component', type }, null);

export const list = (stored: string, of: FieldType): Field =>
  define(stored, { kind: 'array', of }, []);

/** An entry of `clickEvents` and the like: which method of which component of which node to call. */
export const eventType: FieldType = {
  kind: 'object',
  type: 'cc.ClickEvent',
  fields: [
    node('target'),
    string('component', ''),
    string('_componentId', ''),
    string('handler', ''),
    string('customEventData', ''),
  ],
};

export const events = (stored: string): Field => list(stored, eventType);

/** The field of that name, as the editor shows it or as the file stores it. */
export function findField(fields: readonly Field[], name: string): Field | undefined {
  return (
    fields.find((field) => field.name === name) ?? fields.find((field) => field.stored === name)
  );
}
