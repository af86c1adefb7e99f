import type { DecodeContext, EncodeContext } from '#cocos/components';
import {
  CocosError,
  type Entry,
  isComponent,
  isNode,
  isScriptType,
  typeOf,
  type ViewItem,
} from '#cocos/document';
import { className, classNamed, findClass, isOfClass, typeName } from './component-class.ts';
import { findAsset } from './find-asset.ts';
import type { SceneDocument, Workspace } from './workspace.ts';

/** The node of a handle or path; fails for components. */
export function requireNode(document: SceneDocument, reference: string): ViewItem {
  const item = document.view.get(reference);
  if (item.kind === 'node') return item;
  throw new CocosError('E_INVALID_ARGUMENT', `"${reference}" is a component, not a node.`, {
    suggestion: `Its node is "${document.view.path(item.owner ?? document.view.root)}".`,
  });
}

/** A node that is not the scene itself. */
export function requireInnerNode(document: SceneDocument, reference: string): ViewItem {
  const item = requireNode(document, reference);
  if (document.kind === 'prefab' || item.index !== document.view.root) return item;
  throw new CocosError('E_PRECONDITION_FAILED', 'The scene itself cannot be changed like a node.', {
    suggestion: 'Name a node below the scene.',
  });
}

/** The component of a handle, or of `node path:class`. */
export function requireComponentItem(document: SceneDocument, reference: string): ViewItem {
  const { view } = document;
  const colon = reference.lastIndexOf(':');
  const found = view.find(reference);
  if (found?.kind === 'component') return found;
  if (found === undefined && colon >= 0) {
    return componentOn(
      document,
      requireNode(document, reference.slice(0, colon)),
      reference.slice(colon + 1),
    );
  }
  if (found === undefined) return view.get(reference);
  const names = view.components(found.index).map((item) => className(document, item));
  throw new CocosError('E_INVALID_ARGUMENT', `"${reference}" is a node, not a component.`, {
    suggestion: `Name one of its components as "${reference}:CLASS"; it has: ${names.join(', ')}.`,
    details: { components: names },
  });
}

/** The first component of that class on a node. */
export function componentOn(document: SceneDocument, node: ViewItem, type: string): ViewItem {
  const { view, workspace } = document;
  const components = view.components(node.index);
  const wanted = workspace.components.has(type) ? type : wantedType(document, type);
  const found =
    components.find(({ index }) => typeOf(view.at(index)) === wanted) ??
    components.find(({ index }) => isOfClass(workspace, typeOf(view.at(index)), type));
  if (found !== undefined) return found;
  const names = components.map((item) => className(document, item));
  throw new CocosError('E_NOT_FOUND', `"${view.path(node.index)}" has no component ${type}.`, {
    suggestion: names.length === 0 ? 'It has no components.' : `It has: ${names.join(', ')}.`,
    details: { components: names },
  });
}

function wantedType(document: SceneDocument, name: string): string {
  try {
    return classNamed(document, name).spec.type;
  } catch (error) {
    if (error instanceof CocosError) return name;
    throw error;
  }
}

/** How values of tools name things in a document. */
export function encodeContext(document: SceneDocument): EncodeContext {
  return {
    asset: (reference, type) => findAsset(document.workspace, reference, type),
    object: (reference, type) => findObject(document, reference, type).index,
    classId: (name) => findClass(document, name).spec.type,
  };
}

function findObject(document: SceneDocument, reference: string, type: string): ViewItem {
  if (type === 'cc.Node') return requireNode(document, reference);
  const colon = document.view.find(reference) === undefined && reference.includes(':');
  const item = colon ? requireComponentItem(document, reference) : document.view.get(reference);
  if (item.kind === 'node') return componentOn(document, item, type);
  const actual = typeOf(document.view.at(item.index));
  if (isOfClass(document.workspace, actual, type)) return item;
  throw new CocosError(
    'E_INVALID_ARGUMENT',
    `"${reference}" is a ${className(document, item)}, but a ${type} is needed.`,
  );
}

/** How what a document stores is shown: assets by URL, objects by handle. */
export function decodeContext(document: SceneDocument): DecodeContext {
  const { view, workspace } = document;
  return {
    asset: (uuid) => assetName(workspace, uuid),
    object: (index) => view.item(index)?.handle ?? unseen(index, view.at(index)),
    className: (type) => nameOfClass(workspace, type),
  };
}

/** What people call a stored class; nothing where the same name means another, or none. */
function nameOfClass(workspace: Workspace, type: string): string | undefined {
  const name = typeName(workspace, type);
  if (!isScriptType(type)) return name;
  return workspace.scripts.byClass(name)?.type === type ? name : undefined;
}

/** The URL of an asset, or its uuid where the project has none of that. */
export function assetName(workspace: Workspace, uuid: string): string {
  try {
    return findAsset(workspace, uuid).url;
  } catch (error) {
    if (error instanceof CocosError) return uuid;
    throw error;
  }
}

/** A node or component that is stored but not in the tree is named, never followed. */
function unseen(index: number, entry: Entry): string | Entry {
  return isNode(entry) || isComponent(entry) ? `#${index}` : entry;
}
