import {
  type ComponentSpec,
  decodeValue,
  type Field,
  type FieldType,
  layers,
} from '#cocos/components';
import { isList, isObject, isScriptType, type Json, type ViewItem } from '#cocos/document';
import { className, componentSpec, typeName } from './component-class.ts';
import { assetName, decodeContext, requireComponentItem } from './references.ts';
import type { SceneDocument, Workspace } from './workspace.ts';

/** A component as people read it. */
export interface ComponentReading {
  readonly handle: string;
  /** `cc.Sprite`, or the class of a script. */
  readonly type: string;
  readonly enabled: boolean;
  /** By the names of the editor. */
  readonly properties: Readonly<Record<string, Json>>;
}

/** Reads a component of an open document. */
export function readComponent(document: SceneDocument, reference: string): ComponentReading {
  return readItem(document, requireComponentItem(document, reference));
}

function readItem(document: SceneDocument, item: ViewItem): ComponentReading {
  const entry = document.view.at(item.index);
  const spec: ComponentSpec = componentSpec(document, item);
  const context = decodeContext(document);
  const properties: Record<string, Json> = {};
  for (const { stored, name, type, initial } of spec.fields) {
    const value = entry[stored] ?? initial;
    if (value !== undefined) properties[name] = decodeValue(type, value, context);
  }
  const type = className(document, item);
  return { handle: item.handle, type, enabled: entry['_enabled'] !== false, properties };
}

/** Reads all components of a node. */
export function readComponents(document: SceneDocument, node: ViewItem): ComponentReading[] {
  return document.view.components(node.index).map((item) => readItem(document, item));
}

const nodeFields: readonly Field[] = [
  { stored: '_name', name: 'name', type: { kind: 'string' } },
  { stored: '_active', name: 'active', type: { kind: 'boolean' } },
  { stored: '_lpos', name: 'position', type: { kind: 'value', type: 'cc.Vec3' } },
  { stored: '_euler', name: 'rotation', type: { kind: 'value', type: 'cc.Vec3' } },
  { stored: '_lrot', name: 'quaternion', type: { kind: 'value', type: 'cc.Quat' } },
  { stored: '_lscale', name: 'scale', type: { kind: 'value', type: 'cc.Vec3' } },
  { stored: '_layer', name: 'layer', type: { kind: 'enum', names: layers } },
];

/** The name of a stored property of a node or component, or of a part of one, and the kind of its values. */
export function shownProperty(
  document: SceneDocument,
  item: ViewItem,
  stored: string,
): { readonly name: string; readonly kind: FieldType } {
  const fields = item.kind === 'node' ? nodeFields : componentSpec(document, item).fields;
  const [first = '', ...steps] = stored.split('.');
  const field = fields.find((each) => each.stored === first);
  const names = [field?.name ?? first];
  let kind: FieldType = field?.type ?? { kind: 'any' };
  for (const step of steps) {
    const part =
      kind.kind === 'object' ? kind.fields.find((each) => each.stored === step) : undefined;
    names.push(part?.name ?? step);
    kind = part?.type ?? (kind.kind === 'array' ? kind.of : { kind: 'any' });
  }
  return { name: names.join('.'), kind };
}

/** A described value as people read it: assets by URL, scripts by class, colours as text, enums by name. */
export function shownValue(workspace: Workspace, kind: FieldType, value: Json): Json {
  const context = {
    asset: (uuid: string) => assetName(workspace, uuid),
    object: (index: number) => `#${index}`,
    className: (type: string) => typeName(workspace, type),
  };
  return withNames(workspace, decodeValue(kind, value, context));
}

/** The class of a script is stored as a text of its own, or behind the path of a node. */
function withNames(workspace: Workspace, value: Json): Json {
  if (isList(value)) return value.map((part) => withNames(workspace, part));
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, part]) => [key, withNames(workspace, part)]);
    return Object.fromEntries(parts) as Json;
  }
  return typeof value === 'string' ? shownText(workspace, value) : value;
}

/** A text with the class of a script in it, as people call that. */
export function shownText(workspace: Workspace, text: string): string {
  const colon = text.lastIndexOf(':') + 1;
  const type = text.slice(colon);
  return isScriptType(type) ? `${text.slice(0, colon)}${typeName(workspace, type)}` : text;
}
