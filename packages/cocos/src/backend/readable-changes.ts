import { decodeValue, type Field, type FieldType, layers } from '#cocos/components';
import {
  type Change,
  isList,
  isObject,
  isScriptType,
  type Json,
  type ViewItem,
} from '#cocos/document';
import {
  assetName,
  componentSpec,
  labelOf,
  type SceneDocument,
  typeName,
  type Workspace,
} from '#cocos/edit';

/**
 * Changes as those who ask for them speak: nodes and components by path, properties and values as the editor shows them, in
 * place of what files store.
 */
export function readableChanges(workspace: Workspace, changes: readonly Change[]): Change[] {
  const turned = new Set(
    changes.flatMap(({ target, field }) => (field === '_euler' ? [target] : [])),
  );
  // Where the angles are told, they say the same.
  const told = changes.filter(({ target, field }) => field !== '_lrot' || !turned.has(target));
  return told.map((change) => readable(workspace, change, readableValues));
}

/** Changes as files have them: properties by their stored names, with their stored values; what they belong to by path. */
export function storedChanges(workspace: Workspace, changes: readonly Change[]): Change[] {
  return changes.map((change) => readable(workspace, change, (_, own) => own));
}

/** How the property and the values of a change are told; without a place where it belongs to no node. */
type Telling = (workspace: Workspace, change: Change, place?: Place) => Change;

const readableValues: Telling = (workspace, change, place) => {
  if (place === undefined) return withValues(workspace, change, { kind: 'any' });
  const { name, kind } = propertyOf(place, change.field ?? '');
  return { ...withValues(workspace, change, kind), field: name };
};

function readable(workspace: Workspace, change: Change, tell: Telling): Change {
  const { type, target, from } = change;
  // What is gone, or was elsewhere, is known by where it was.
  if (type === 'delete' && typeof from === 'string') {
    return { type, target: named(workspace, from) };
  }
  const place = placeOf(workspace, target);
  if (place === undefined) return tell(workspace, change);
  const path = labelOf(place.document, place.item);
  if (type === 'create') return { type, target: path, to: target };
  if (type === 'move') return { ...change, target: path };
  return { ...tell(workspace, change, place), target: path };
}

interface Place {
  readonly document: SceneDocument;
  readonly item: ViewItem;
}

function placeOf({ documents }: Workspace, handle: string): Place | undefined {
  for (const document of documents.values()) {
    if (document.view.has(handle)) return { document, item: document.view.get(handle) };
  }
  return undefined;
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

/** The name of a stored property, or of a part of one, and the kind of its values. */
function propertyOf(
  { document, item }: Place,
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

/** Assets by URL, scripts by class, colours as text, enums by name. */
function withValues(workspace: Workspace, change: Change, kind: FieldType): Change {
  const context = {
    asset: (uuid: string) => assetName(workspace, uuid),
    object: (index: number) => `#${index}`,
    className: (type: string) => typeName(workspace, type),
  };
  const read = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : withNames(workspace, decodeValue(kind, value, context));
  return { ...change, from: read(change.from), to: read(change.to) };
}

/** The class of a script is stored as a text of its own, or behind the path of a node. */
function withNames(workspace: Workspace, value: Json): Json {
  if (isList(value)) return value.map((part) => withNames(workspace, part));
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, part]) => [key, withNames(workspace, part)]);
    return Object.fromEntries(parts) as Json;
  }
  return typeof value === 'string' ? named(workspace, value) : value;
}

function named(workspace: Workspace, text: string): string {
  const colon = text.lastIndexOf(':') + 1;
  const type = text.slice(colon);
  return isScriptType(type) ? `${text.slice(0, colon)}${typeName(workspace, type)}` : text;
}
