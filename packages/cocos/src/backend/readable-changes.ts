import type { FieldType } from '#cocos/components';
import type { Change, Json, ViewItem } from '#cocos/document';
import {
  labelOf,
  type SceneDocument,
  shownProperty,
  shownText,
  shownValue,
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
  const { name, kind } = shownProperty(place.document, place.item, change.field ?? '');
  return { ...withValues(workspace, change, kind), field: name };
};

function readable(workspace: Workspace, change: Change, tell: Telling): Change {
  const { type, target, from } = change;
  // What is gone, or was elsewhere, is known by where it was.
  if (type === 'delete' && typeof from === 'string') {
    return { type, target: shownText(workspace, from) };
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

function withValues(workspace: Workspace, change: Change, kind: FieldType): Change {
  const read = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : shownValue(workspace, kind, value);
  return { ...change, from: read(change.from), to: read(change.to) };
}
