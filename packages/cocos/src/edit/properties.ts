import {
  type ComponentSpec,
  encodeValue,
  eventType,
  type FieldType,
  findField,
  requireField,
  valueParts,
} from '#cocos/components';
import {
  append,
  type Change,
  cloneJson,
  CocosError,
  componentHead,
  equalJson,
  getValue,
  isComponent,
  isList,
  isNode,
  isObject,
  type Json,
  type OwnEntry,
  type OwnJson,
  ref,
  refIndex,
  setValue,
  type ViewItem,
} from '#cocos/document';
import { className, componentSpec } from './component-class.ts';
import { checkEvents } from './events.ts';
import { encodeContext, requireComponentItem } from './references.ts';
import { withAlignFlags } from './widget-sides.ts';
import type { SceneDocument } from './workspace.ts';

/** Values by the names of the editor; a name may be a path: `contentSize.width`, `clickEvents.0.handler`. */
export type Properties = Readonly<Record<string, Json>>;

/** What setting properties did. */
export interface PropertiesSet {
  readonly changes: readonly Change[];
  readonly applied: readonly string[];
  /** What was set, and will not work as it is. */
  readonly warnings: readonly string[];
}

/** Sets properties of a component, all or none: each is checked before the first is written. */
export function setProperties(
  document: SceneDocument,
  reference: string,
  properties: Properties,
): PropertiesSet {
  const item = requireComponentItem(document, reference);
  const spec = componentSpec(document, item);
  const label = className(document, item);
  const plan = planProperties(document, { spec, label, index: item.index }, properties);
  const warnings = checkEvents(document, plan, item.index);
  const changes = applyPlan(document, item, { spec, plan });
  return { changes, applied: Object.keys(properties), warnings };
}

/** A checked property, ready to be written. */
export interface PlannedValue {
  readonly path: readonly string[];
  readonly value: Json;
  readonly objects: readonly (readonly string[])[];
}

interface Owner {
  readonly spec: ComponentSpec;
  readonly label: string;
  /** Absent for a component that does not exist yet. */
  readonly index?: number | undefined;
}

/** Checks properties and turns them into what the file stores. */
export function planProperties(
  document: SceneDocument,
  owner: Owner,
  properties: Properties,
): PlannedValue[] {
  const context = encodeContext(document);
  const flags =
    owner.index === undefined ? 0 : getValue(document.view, owner.index, ['_alignFlags']);
  const given = withAlignFlags(owner.spec, properties, flags);
  const plan = Object.entries(given).map(([name, value]) => {
    const { path, type, of } = resolvePath(document, owner, name);
    // People name the class, the file its identifier.
    const isClass = of === eventType && path.at(-1) === 'component' && value !== '';
    if (isClass && typeof value === 'string') {
      return {
        path: [...path.slice(0, -1), '_componentId'],
        value: context.classId(value),
        objects: [],
      };
    }
    const current =
      owner.index === undefined
        ? owner.spec.fields.find(({ stored }) => stored === path[0])?.initial
        : getValue(document.view, owner.index, path);
    const encoded = encodeValue({ label: `${owner.label}.${name}`, type, current }, value, context);
    return { path, ...encoded };
  });
  return [...plan, ...implied(owner.spec, plan)];
}

/** What the editor changes along: a font of its own ends the use of the system's. */
function implied({ type }: ComponentSpec, plan: readonly PlannedValue[]): PlannedValue[] {
  const font = plan.find(({ path }) => path.join() === '_font');
  const isSaid = plan.some(({ path }) => path.join() === '_isSystemFontUsed');
  if (font === undefined || isSaid || !/^cc\.(Label|RichText)$/.test(type)) return [];
  return [{ path: ['_isSystemFontUsed'], value: font.value === null, objects: [] }];
}

/** The stored path and the type of a property. */
function resolvePath(
  document: SceneDocument,
  { spec, index, label }: Owner,
  name: string,
): { path: string[]; type: FieldType; of?: FieldType | undefined } {
  const exact = findField(spec.fields, name);
  if (exact !== undefined) return { path: [exact.stored], type: exact.type };
  const [first = '', ...steps] = name.split('.');
  const field = requireField(spec, first, label);
  const path = [field.stored];
  let type = field.type;
  let of: FieldType | undefined;
  for (const step of steps) {
    const next = stepInto(type, step);
    if (next === undefined) {
      throw new CocosError('E_INVALID_ARGUMENT', `${label} has no property "${name}".`, {
        suggestion: `"${path.join('.')}" has no part "${step}".`,
      });
    }
    path.push(next.stored);
    of = type;
    type = next.type;
    if (/^\d+$/.test(step) && index !== undefined) checkElement(document, index, path);
  }
  return { path, type, of };
}

function stepInto(type: FieldType, step: string): { stored: string; type: FieldType } | undefined {
  if (type.kind === 'array' && /^\d+$/.test(step)) return { stored: step, type: type.of };
  if (type.kind === 'object') return findField(type.fields, step);
  if (type.kind === 'any') return { stored: step, type };
  if (type.kind !== 'value') return undefined;
  const isPart = (valueParts[type.type] as readonly string[]).includes(step);
  const kind = type.type === 'cc.Color' ? 'integer' : 'number';
  return isPart ? { stored: step, type: { kind } } : undefined;
}

function checkElement({ view }: SceneDocument, index: number, path: readonly string[]): void {
  const list = getValue(view, index, path.slice(0, -1));
  const length = isList(list) ? list.length : 0;
  if (Number(path.at(-1)) < length) return;
  throw new CocosError(
    'E_INVALID_ARGUMENT',
    `"${path.join('.')}" is beyond the ${length} elements.`,
    {
      suggestion: 'Set the whole array to make it longer.',
    },
  );
}

/** Writes checked values to a component, or without its class, to a node. */
export function applyPlan(
  document: SceneDocument,
  item: ViewItem,
  {
    spec,
    plan,
  }: { readonly spec?: ComponentSpec | undefined; readonly plan: readonly PlannedValue[] },
): Change[] {
  const order = spec && [...componentHead, ...spec.fields.map(({ stored }) => stored), '_id'];
  return plan.flatMap(({ path, value, objects }) => {
    const current = getValue(document.view, item.index, path);
    if (objects.length > 0 && equalJson(inlined(document, current ?? null), value)) return [];
    const { stored, later } = storeObjects(document, value, objects);
    const changes = setValue(document.view, item.index, { path, value: stored, order });
    const links = later.map((link) =>
      setValue(document.view, item.index, { path: [...path, ...link.path], value: link.value }),
    );
    return [...changes, ...links.flat()];
  });
}

/** A value with its own objects in place of the references to them. */
function inlined(document: SceneDocument, value: Json): Json {
  const index = refIndex(value);
  if (index !== undefined) {
    const entry = document.view.at(index);
    const isOwn = !isNode(entry) && !isComponent(entry);
    return isOwn ? inlined(document, entry) : value;
  }
  if (isList(value)) return value.map((part) => inlined(document, part));
  if (!isObject(value)) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, inlined(document, part)]);
  return Object.fromEntries(parts) as Json;
}

interface Later {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Puts objects inside a value in the object table; links from them into instances must be set afterwards. */
function storeObjects(
  { view }: SceneDocument,
  value: Json,
  objects: readonly (readonly string[])[],
): { stored: Json; later: Later[] } {
  const holder = { value: cloneJson(value) };
  const later: Later[] = [];
  for (const path of objects) {
    const steps = ['value', ...path];
    const last = steps.pop() ?? '';
    const parent = steps.reduce<OwnJson>((at, step) => partOf(at, step), holder);
    const object = partOf(parent, last);
    if (!isObject(object) || typeof parent !== 'object' || parent === null) continue;
    for (const [key, part] of Object.entries(object)) {
      if (view.item(refIndex(part) ?? -1)?.inside !== true) continue;
      later.push({ path: [...path, key], value: part });
      object[key] = null;
    }
    (parent as OwnEntry)[last] = ref(append(view.table, object));
  }
  return { stored: holder.value, later };
}

function partOf(value: OwnJson, step: string): OwnJson {
  if (isList(value)) return value[Number(step)] ?? null;
  return isObject(value) ? (value[step] ?? null) : null;
}
