import { type Entry, refIndex, type SceneView, typeOf } from '#cocos/document';
import { type Box, type Matrix, numberIn, placeOf, type Point, type Size } from './geometry.ts';
import { arrange } from './arrange.ts';
import { type Started, startOf } from './start.ts';
import { align, type Extent } from './widget.ts';

/** A node with everything that decides where it is drawn. */
export interface Placed {
  readonly index: number;
  readonly name: string;
  readonly path: string;
  /** From its own coordinates to those of its parent. */
  readonly place: Matrix;
  /** Its area in its own coordinates; absent for nodes that have no size. */
  readonly box: Box | undefined;
  readonly anchor: Point;
  readonly isActive: boolean;
  /** The components that are switched on. */
  readonly components: readonly Entry[];
  readonly children: readonly Placed[];
}

/** How to place nodes. */
export interface Placing {
  readonly view: SceneView;
  /** Whether Widgets move nodes as when the game starts, or all is where the file has it. */
  readonly appliesWidgets: boolean;
  readonly includesInactive: boolean;
  /** Hears of nodes that a Widget moves or resizes. */
  readonly moved: (path: string, from: string, to: string) => void;
  /** What components above make of nodes, by their numbers. */
  readonly started: Map<number, Started>;
}

/** A node to place. */
interface Spot {
  readonly index: number;
  readonly path: string;
  readonly depth: number;
}

/** What is nested deeper only exists to do harm. */
const deepest = 500;

/** Below this, file and Widget are taken to agree. */
const tolerance = 0.5;

/** A node and all below it, placed. */
export function place(placing: Placing, node: Spot, parent?: Extent): Placed {
  const { view } = placing;
  const { index, path } = node;
  const entry = view.at(index);
  const all = view.components(index).map((item) => view.at(item.index));
  const components = all.filter((component) => component['_enabled'] !== false);
  const given = placing.started.get(index);
  const stored = startedExtent(extentAt(view, index), given);
  const position = { ...positionAt(view, index), ...given?.position };
  const found = applyWidget(placing, { entry, components, path }, { stored, position, parent });
  const placed = stored && { ...found, anchor: stored.anchor };
  const extent = placed && startComponents(placing, { index, components }, placed);
  return {
    index,
    name: view.name(index),
    path,
    place: placeOf(entry, found.position),
    box: extent && boxOf(extent),
    anchor: stored?.anchor ?? { x: 0.5, y: 0.5 },
    isActive: isActive(placing, index),
    components,
    children: placeChildren(placing, node, extent),
  };
}

function placeChildren(
  placing: Placing,
  { index, path, depth }: Spot,
  extent: Extent | undefined,
): Placed[] {
  const { view, includesInactive } = placing;
  if (depth >= deepest) return [];
  const counts = new Map<string, number>();
  return view.children(index).flatMap((child) => {
    const name = view.name(child.index);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (!includesInactive && !isActive(placing, child.index)) return [];
    const step = count > 0 ? `${name}[${count}]` : name;
    const childPath = path === '' ? step : `${path}/${step}`;
    return [place(placing, { index: child.index, path: childPath, depth: depth + 1 }, extent)];
  });
}

function isActive({ view, started }: Placing, index: number): boolean {
  return started.get(index)?.isActive ?? view.at(index)['_active'] !== false;
}

/** Has the components of a node do to it, and to nodes below it, what they do when the game starts. */
function startComponents(
  placing: Placing,
  { index, components }: { readonly index: number; readonly components: readonly Entry[] },
  extent: Extent,
): Extent {
  const { view, appliesWidgets, started } = placing;
  if (!appliesWidgets) return extent;
  let size: Size = extent;
  for (const component of components) {
    if (typeOf(component) === 'cc.Layout') {
      size = startLayout(placing, { index, layout: component }, extent);
    }
    for (const [target, change] of startOf(view, component, extent)) {
      started.set(target, { ...started.get(target), ...change });
    }
  }
  return { width: size.width, height: size.height, anchor: extent.anchor };
}

function startLayout(
  placing: Placing,
  { index, layout }: { readonly index: number; readonly layout: Entry },
  own: Extent,
): Size {
  const { view, started } = placing;
  const heeds = layout['_affectedByScale'] === true;
  const children = view.children(index).flatMap(({ index: child }) => {
    const extent = extentAt(view, child);
    if (extent === undefined || !isActive(placing, child)) return [];
    const scaled = view.at(child)['_lscale'];
    const scale = heeds
      ? { x: Math.abs(numberIn(scaled, 'x', 1)), y: Math.abs(numberIn(scaled, 'y', 1)) }
      : { x: 1, y: 1 };
    return [{ child, ...extent, position: positionAt(view, child), scale }];
  });
  const { size, spots } = arrange(layout, own, children);
  for (const [at, { child }] of children.entries()) {
    const { position, ...room } = spots[at] ?? {};
    started.set(child, { ...started.get(child), position, size: room });
  }
  return size;
}

function positionAt(view: SceneView, index: number): Point {
  const position = view.at(index)['_lpos'];
  return { x: numberIn(position, 'x'), y: numberIn(position, 'y') };
}

function extentAt(view: SceneView, index: number): Extent | undefined {
  const parts = view.components(index).map((item) => view.at(item.index));
  return extentOf(parts.find((component) => typeOf(component) === 'cc.UITransform'));
}

function startedExtent(stored: Extent | undefined, given: Started | undefined): Extent | undefined {
  return stored && { ...stored, ...given?.size };
}

function extentOf(transform: Entry | undefined): Extent | undefined {
  if (transform === undefined) return undefined;
  const { _contentSize: size, _anchorPoint: anchor } = transform;
  return {
    width: numberIn(size, 'width', 100),
    height: numberIn(size, 'height', 100),
    anchor: { x: numberIn(anchor, 'x', 0.5), y: numberIn(anchor, 'y', 0.5) },
  };
}

function boxOf({ width, height, anchor }: Extent): Box {
  return { x: -anchor.x * width, y: -(1 - anchor.y) * height, width, height };
}

interface Stored {
  readonly stored: Extent | undefined;
  readonly position: Point;
  readonly parent: Extent | undefined;
}

function applyWidget(
  { view, appliesWidgets, moved }: Placing,
  node: { readonly entry: Entry; readonly components: readonly Entry[]; readonly path: string },
  { stored, position, parent }: Stored,
): Size & { readonly position: Point } {
  const asStored = { width: stored?.width ?? 0, height: stored?.height ?? 0, position };
  const widget = node.components.find((component) => typeOf(component) === 'cc.Widget');
  const isCanvas = node.components.some((component) => typeOf(component) === 'cc.Canvas');
  if (!appliesWidgets || !widget || !stored || !parent || isCanvas) return asStored;
  const target = refIndex(widget['_target']);
  if (target !== undefined && target !== refIndex(node.entry['_parent'])) return asStored;
  const scale = {
    x: numberIn(node.entry['_lscale'], 'x', 1),
    y: numberIn(node.entry['_lscale'], 'y', 1),
  };
  const found = align(widget, { ...stored, position, scale }, parent);
  const differs = [
    found.position.x - position.x,
    found.position.y - position.y,
    found.width - stored.width,
    found.height - stored.height,
  ].some((difference) => Math.abs(difference) > tolerance);
  if (differs) moved(node.path || view.name(view.root), described(asStored), described(found));
  return differs ? found : asStored;
}

function described({ position, width, height }: Size & { readonly position: Point }): string {
  const [x, y, w, h] = [position.x, position.y, width, height].map((value) => Math.round(value));
  return `${w}×${h} at ${x}, ${y}`;
}
