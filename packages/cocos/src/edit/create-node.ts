import {
  cameraRecipe,
  canvasRecipe,
  fragmentOf,
  layers,
  type NodeRecipe,
  uiRecipes,
} from '#cocos/components';
import { type Change, CocosError, insertNode, type ViewItem } from '#cocos/document';
import { checkIndex, checkName, layerOf } from './nodes.ts';
import { requireNode } from './references.ts';
import { checkChange, type TransformChange, writeTransform } from './transform.ts';
import type { SceneDocument } from './workspace.ts';

/** What can be created: a ready-made element, a bare node, or a camera or Canvas. */
export type NodeElement = keyof typeof uiRecipes | 'Canvas' | 'Camera' | 'Empty';

/** The names of all elements. */
export const nodeElements: readonly NodeElement[] = [
  'Empty',
  ...(Object.keys(uiRecipes) as (keyof typeof uiRecipes)[]),
  'Canvas',
  'Camera',
];

/** A node to create. */
export interface NodeCreation extends TransformChange {
  /** Where absent: the Canvas for elements of the UI, else the root. */
  readonly parent?: string | undefined;
  readonly name?: string | undefined;
  /** Where absent: a node for UI below nodes of the UI, else an empty one. */
  readonly element?: NodeElement | undefined;
  readonly siblingIndex?: number | undefined;
  readonly active?: boolean | undefined;
  readonly layer?: number | string | undefined;
  readonly size?: { readonly width: number; readonly height: number } | undefined;
  /** Makes a Canvas where an element of the UI has none above it. */
  readonly createCanvas?: boolean | undefined;
}

/** What was created. */
export interface NodeCreated {
  readonly node: string;
  /** The Canvas that had to be made. */
  readonly canvas?: string | undefined;
  readonly changes: readonly Change[];
}

/** Creates a node, or a whole element of the UI. */
export function createNode(document: SceneDocument, creation: NodeCreation): NodeCreated {
  check(creation);
  const { view } = document;
  const given = creation.parent === undefined ? undefined : requireNode(document, creation.parent);
  const element = creation.element ?? (isUi(document, given) ? 'Node' : 'Empty');
  const needsCanvas = element in uiRecipes && document.kind === 'scene';
  const changes: Change[] = [];
  let parent = given ?? (needsCanvas ? firstCanvas(document) : undefined) ?? view.get('');
  let canvas: string | undefined;
  if (needsCanvas && !hasCanvas(document, parent)) {
    if (creation.createCanvas !== true) throw noCanvas(document, parent);
    const made = insert(document, parent, { element: 'Canvas' });
    changes.push(...made.changes);
    parent = made.item;
    canvas = made.item.handle;
  }
  const made = insert(document, parent, { ...creation, element });
  changes.push(...made.changes);
  return { node: made.item.handle, canvas, changes };
}

function check({ name, layer, siblingIndex, element, size, ...change }: NodeCreation): void {
  if (name !== undefined) checkName(name);
  if (layer !== undefined) layerOf(layer);
  checkIndex(siblingIndex);
  checkChange(change);
  if (element !== undefined && !nodeElements.includes(element)) {
    throw new CocosError('E_INVALID_ARGUMENT', `There is no element "${element}".`, {
      suggestion: `Elements: ${nodeElements.join(', ')}.`,
    });
  }
  if (size !== undefined && !(Number.isFinite(size.width) && Number.isFinite(size.height))) {
    throw new CocosError('E_INVALID_ARGUMENT', 'size must have finite numbers width and height.');
  }
}

function insert(
  document: SceneDocument,
  parent: ViewItem,
  creation: NodeCreation & { readonly element: NodeElement },
): { item: ViewItem; changes: Change[] } {
  const { view } = document;
  const { element, size, name, active = true } = creation;
  const ready = recipeOf(document, element, size);
  const recipe = { ...ready, name: name ?? ready.name, active };
  const layer = layerFor(document, parent, creation);
  const place = { parent: parent.index, at: creation.siblingIndex };
  const made = insertNode(view, fragmentOf(recipe, layer), place);
  const item = view.item(made.index);
  if (item === undefined) {
    throw new CocosError('E_INTERNAL', `The new node "${recipe.name}" is not part of the tree.`);
  }
  writeTransform(document, item, creation);
  return { item, changes: made.changes };
}

function recipeOf(
  { workspace }: SceneDocument,
  element: NodeElement,
  size: NodeCreation['size'],
): NodeRecipe {
  const resolution = workspace.project.info.designResolution;
  if (element === 'Empty') return { name: 'Node', components: [] };
  if (element === 'Canvas') return canvasRecipe(size ?? resolution);
  if (element === 'Camera') return cameraRecipe(resolution);
  return uiRecipes[element](size);
}

/** UI is drawn in its own layer; everything else in that of its parent. */
function layerFor({ view }: SceneDocument, parent: ViewItem, creation: NodeCreation): number {
  if (creation.layer !== undefined) return layerOf(creation.layer);
  if (creation.element !== undefined && creation.element in uiRecipes) return layers.UI_2D;
  const above = view.at(parent.index)['_layer'];
  return typeof above === 'number' ? above : layers.DEFAULT;
}

function hasComponent({ view }: SceneDocument, node: ViewItem, type: string): boolean {
  return view.components(node.index).some(({ index }) => view.at(index)['__type__'] === type);
}

function isUi(document: SceneDocument, node: ViewItem | undefined): boolean {
  return node !== undefined && hasComponent(document, node, 'cc.UITransform');
}

function hasCanvas(document: SceneDocument, node: ViewItem): boolean {
  let at: ViewItem | undefined = node;
  while (at !== undefined && !hasComponent(document, at, 'cc.Canvas')) {
    at = at.owner === undefined ? undefined : document.view.item(at.owner);
  }
  return at !== undefined;
}

function firstCanvas(document: SceneDocument): ViewItem | undefined {
  for (const item of document.view.items()) {
    if (item.kind === 'node' && hasComponent(document, item, 'cc.Canvas')) return item;
  }
  return undefined;
}

function noCanvas(document: SceneDocument, parent: ViewItem): CocosError {
  const where = document.view.path(parent.index) || 'the scene';
  return new CocosError('E_PRECONDITION_FAILED', `There is no Canvas above "${where}".`, {
    suggestion: 'Choose a parent below a Canvas, or pass createCanvas: true.',
  });
}
