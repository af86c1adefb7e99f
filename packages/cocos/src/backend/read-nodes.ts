import { layers } from '#cocos/components';
import { isObject, type Json, typeOf, type ViewItem } from '#cocos/document';
import {
  className,
  isOfClass,
  listOverrides,
  readComponents,
  readTransform,
  requireNode,
  type SceneDocument,
} from '#cocos/edit';
import type { NodeQuery } from './backend.ts';
import { matcher } from './matcher.ts';
import type {
  ComponentReading,
  DocumentReading,
  NodeReading,
  NodeSummary,
  OverrideReading,
  TreeNode,
} from './readings.ts';

const lockedFlag = 512;

/** Describes a scene or prefab. */
export function readInfo(document: SceneDocument): DocumentReading {
  const { view, path, uuid, kind } = document;
  return { path, assetUuid: uuid, kind, name: view.name(view.root), nodes: view.nodeCount() };
}

/** Describes a node in short. */
function readSummary(document: SceneDocument, item: ViewItem): NodeSummary {
  return { ...headOf(document, item), path: document.view.path(item.index) };
}

function headOf(document: SceneDocument, item: ViewItem): Omit<NodeSummary, 'path'> {
  const { view } = document;
  const prefab = prefabOf(document, item);
  return {
    nodeUuid: item.handle,
    name: view.name(item.index),
    active: view.at(item.index)['_active'] !== false,
    components: view.components(item.index).map((part) => className(document, part)),
    prefab,
    inside: item.inside ? true : undefined,
  };
}

/** The prefab of a node that is the root of an instance. */
function prefabOf({ view, workspace }: SceneDocument, item: ViewItem): string | undefined {
  const above = item.owner === undefined ? undefined : view.item(item.owner);
  const isRoot = item.index === item.instance || (item.inside && above?.asset !== item.asset);
  if (!isRoot || item.asset === undefined) return undefined;
  return workspace.draft.asset(item.asset)?.path ?? item.asset;
}

/** A node with what is below it, as deep as wanted. */
export function readTree(
  document: SceneDocument,
  item: ViewItem,
  depth: number = Infinity,
): TreeNode {
  type Reading = Omit<TreeNode, 'children'> & { children?: TreeNode[] | undefined };
  const read = (each: ViewItem): Reading => ({
    ...headOf(document, each),
    childCount: document.view.children(each.index).length,
  });
  const root = read(item);
  // Level by level: there may be more of them than calls can be nested.
  let level = [{ item, node: root }];
  for (let below = depth; below > 0 && level.length > 0; below -= 1) {
    level = level.flatMap(({ item: { index }, node }) => {
      const children = document.view
        .children(index)
        .map((each) => ({ item: each, node: read(each) }));
      if (children.length > 0) node.children = children.map((child) => child.node);
      return children;
    });
  }
  return root;
}

/** Describes a node in full. */
export function readNode(document: SceneDocument, item: ViewItem): NodeReading {
  const { view } = document;
  const entry = view.at(item.index);
  const above = item.owner === undefined ? undefined : view.item(item.owner);
  const siblings = above === undefined ? [] : view.children(above.index);
  return {
    ...readSummary(document, item),
    parentUuid: above?.handle,
    siblingIndex: Math.max(
      0,
      siblings.findIndex(({ index }) => index === item.index),
    ),
    childCount: view.children(item.index).length,
    ...readTransform(document, item),
    layer: layerName(entry['_layer']),
    locked: (Number(entry['_objFlags'] ?? 0) & lockedFlag) !== 0,
    ...rectOf(document, item),
  };
}

function layerName(bits: Json | undefined): string {
  const known = Object.entries(layers).find(([, value]) => value === bits)?.[0];
  return known ?? JSON.stringify(bits ?? 0);
}

function rectOf({ view }: SceneDocument, item: ViewItem): Pick<NodeReading, 'size' | 'anchor'> {
  const transform = view
    .components(item.index)
    .map(({ index }) => view.at(index))
    .find((entry) => typeOf(entry) === 'cc.UITransform');
  if (transform === undefined) return {};
  const [size, anchor] = [transform['_contentSize'], transform['_anchorPoint']];
  return {
    size: { width: numberIn(size, 'width'), height: numberIn(size, 'height') },
    anchor: { x: numberIn(anchor, 'x'), y: numberIn(anchor, 'y') },
  };
}

function numberIn(value: Json | undefined, key: string): number {
  return isObject(value) ? Number(value[key] ?? 0) : 0;
}

/** The nodes that are as wanted, in the order of the tree. */
export function findNodes(document: SceneDocument, query: NodeQuery): NodeSummary[] {
  const { view, workspace } = document;
  const from = query.below === undefined ? view.root : requireNode(document, query.below).index;
  const isNamed = matcher(query.name);
  const isAt = matcher(query.path);
  const { type, active } = query;
  const hasComponent = (item: ViewItem): boolean =>
    type === undefined ||
    view.components(item.index).some((each) => {
      const name = className(document, each);
      const stored = typeOf(view.at(each.index));
      return [type, `cc.${type}`].some(
        (wanted) => name === wanted || isOfClass(workspace, stored, wanted),
      );
    });
  const found: NodeSummary[] = [];
  for (const { item, path } of walk(document, from)) {
    if (item.index === view.root && document.kind === 'scene') continue;
    if (!isNamed(view.name(item.index)) || !isAt(path) || !hasComponent(item)) continue;
    if (active !== undefined && (view.at(item.index)['_active'] !== false) !== active) continue;
    found.push({ ...headOf(document, item), path });
  }
  return found;
}

interface Step {
  readonly item: ViewItem;
  readonly path: string;
}

/** All nodes at and below a node with their paths, which cost less to make on the way than one by one. */
function* walk({ view }: SceneDocument, from: number): Generator<Step> {
  const start = view.item(from);
  const waiting: Step[] = start === undefined ? [] : [{ item: start, path: view.path(from) }];
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    yield step;
    const { item, path } = step;
    const same = new Map<string, number>();
    const below = view.children(item.index).map((child): Step => {
      const name = view.name(child.index);
      const place = same.get(name) ?? 0;
      same.set(name, place + 1);
      const own = place === 0 ? name : `${name}[${place}]`;
      return { item: child, path: path === '' ? own : `${path}/${own}` };
    });
    for (const next of below.toReversed()) waiting.push(next);
  }
}

/** The components of a node, in order. */
export function readNodeComponents(document: SceneDocument, item: ViewItem): ComponentReading[] {
  return readComponents(document, item).map(({ handle, type, enabled, properties }) => ({
    componentUuid: handle,
    type,
    enabled,
    properties,
  }));
}

/** What an instance has other than its prefab. */
export function readOverrides(document: SceneDocument, reference: string): OverrideReading[] {
  return listOverrides(document, reference).map(
    ({ kind, target, path, property, value, reserved }) => ({
      kind,
      targetUuid: target,
      path,
      property,
      value,
      reserved,
    }),
  );
}
