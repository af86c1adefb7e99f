import { layers } from '#cocos/components';
import {
  type Change,
  CocosError,
  duplicateNode as duplicateIn,
  type Json,
  moveNode as moveIn,
  removeNode,
  setValue,
  siblingIndexOf,
  type ViewItem,
} from '#cocos/document';
import { requireInnerNode, requireNode } from './references.ts';
import { keptInWorld, writeTransform } from './transform.ts';
import type { SceneDocument } from './workspace.ts';

/** What can be changed of a node besides its transform. */
export interface NodeChange {
  readonly name?: string | undefined;
  readonly active?: boolean | undefined;
  /** A number, or a name: `UI_2D`. */
  readonly layer?: number | string | undefined;
  /** Whether the editor refuses to select it in the scene. */
  readonly locked?: boolean | undefined;
}

const lockedFlag = 512;

/** Changes the name, the layer and the switches of a node. */
export function updateNode(
  document: SceneDocument,
  reference: string,
  { name, active, layer, locked }: NodeChange,
): { changes: Change[] } {
  const item = requireInnerNode(document, reference);
  if (name !== undefined) checkName(name);
  const bits = layer === undefined ? undefined : layerOf(layer);
  const set = (field: string, value: Json): Change[] =>
    setValue(document.view, item.index, { path: [field], value });
  const changes: Change[] = [];
  if (name !== undefined) changes.push(...set('_name', name));
  if (active !== undefined) changes.push(...set('_active', active));
  if (bits !== undefined) changes.push(...set('_layer', bits));
  if (locked !== undefined) changes.push(...set('_objFlags', lockFlags(document, item, locked)));
  return { changes };
}

function lockFlags({ view }: SceneDocument, item: ViewItem, locked: boolean): number {
  const flags = Number(view.at(item.index)['_objFlags'] ?? 0);
  return locked ? flags | lockedFlag : flags & ~lockedFlag;
}

/** What is longer is no name, and paths are made of them. */
const longestName = 256;

/** Refuses names that paths cannot express. */
export function checkName(name: string): void {
  if (name !== '' && name.length <= longestName && !/[/\0]/.test(name)) return;
  const shown = (name.length > 40 ? `${name.slice(0, 40)}…` : name).replaceAll('\0', '\\0');
  throw new CocosError('E_INVALID_ARGUMENT', `A node cannot be called "${shown}".`, {
    suggestion: `Choose a name of 1 to ${longestName} characters, without "/" and NUL bytes.`,
  });
}

/** The number of a layer given by name or number. */
export function layerOf(layer: number | string): number {
  if (typeof layer === 'number' && Number.isInteger(layer) && layer >= 0) return layer;
  const bits = (layers as Readonly<Record<string, number>>)[String(layer)];
  if (bits !== undefined) return bits;
  throw new CocosError('E_INVALID_ARGUMENT', `There is no layer "${layer}".`, {
    suggestion: `Layers: ${Object.keys(layers).join(', ')}, or a number.`,
  });
}

/** Where a node shall move. */
export interface NodeMove {
  /** Stays below its parent when absent. */
  readonly parent?: string | undefined;
  /** Among its new siblings, 0 first; last when absent and the parent changes. */
  readonly siblingIndex?: number | undefined;
  readonly keepWorldTransform?: boolean | undefined;
}

/** Moves a node with all below it to another parent, or to another place among its siblings. */
export function moveNode(
  document: SceneDocument,
  reference: string,
  { parent, siblingIndex, keepWorldTransform }: NodeMove,
): { changes: Change[] } {
  const { view } = document;
  const item = requireInnerNode(document, reference);
  if (item.owner === undefined) throw rootStays('moved');
  const above = view.item(item.owner);
  const target = parent === undefined ? above : requireNode(document, parent);
  if (target === undefined) throw rootStays('moved');
  for (let at: ViewItem | undefined = target; at !== undefined; at = view.item(at.owner ?? -1)) {
    if (at.index === item.index) {
      throw new CocosError('E_CONFLICT', `"${reference}" cannot move below itself.`);
    }
  }
  const at = checkIndex(siblingIndex);
  if (target === above && isAt(document, item, at)) return { changes: [] };
  const change =
    keepWorldTransform === true && target !== above
      ? keptInWorld(document, item, target)
      : undefined;
  const { handle } = item;
  const changes = moveIn(view, item.index, { parent: target.index, at });
  if (change !== undefined) changes.push(...writeTransform(document, view.get(handle), change));
  return { changes };
}

/** Whether a node is at this place among its siblings, or at the last one where there are not so many. */
function isAt({ view }: SceneDocument, { index, owner = -1 }: ViewItem, at?: number): boolean {
  const last = view.children(owner).length - 1;
  return at === undefined || siblingIndexOf(view, index, owner) === Math.min(at, last);
}

function rootStays(how: string): CocosError {
  return new CocosError('E_PRECONDITION_FAILED', `The root of a prefab cannot be ${how}.`);
}

/** Refuses places that no list has. */
export function checkIndex(siblingIndex: number | undefined): number | undefined {
  if (siblingIndex === undefined) return undefined;
  if (Number.isSafeInteger(siblingIndex) && siblingIndex >= 0) return siblingIndex;
  throw new CocosError(
    'E_INVALID_ARGUMENT',
    `siblingIndex must be 0 or more; it was ${siblingIndex}.`,
  );
}

/** Deletes a node with all below it; references to them become null, and are among the changes. */
export function deleteNode(document: SceneDocument, reference: string): { changes: Change[] } {
  const item = requireInnerNode(document, reference);
  if (item.owner === undefined) throw rootStays('deleted');
  return { changes: removeNode(document.view, item.index) };
}

/** Copies a node with all below it, with new ids; the copy follows the original unless a place is given. */
export function duplicateNode(
  document: SceneDocument,
  reference: string,
  {
    name,
    siblingIndex,
  }: { readonly name?: string | undefined; readonly siblingIndex?: number | undefined } = {},
): { node: string; changes: Change[] } {
  const item = requireInnerNode(document, reference);
  if (item.owner === undefined) throw rootStays('duplicated');
  if (name !== undefined) checkName(name);
  const at = checkIndex(siblingIndex);
  const { index, changes } = duplicateIn(document.view, item.index, { at });
  if (name !== undefined) {
    changes.push(...setValue(document.view, index, { path: ['_name'], value: name }));
  }
  return { node: document.view.item(index)?.handle ?? '', changes };
}
