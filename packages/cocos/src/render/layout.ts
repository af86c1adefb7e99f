import { type Entry, refIndex, type SceneView, typeOf } from '#cocos/document';
import { type Box, type Matrix, numberIn, placeOf, type Point, type Size } from './geometry.ts';
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
  const transform = all.find((component) => typeOf(component) === 'cc.UITransform');
  const stored = extentOf(transform);
  const position = { x: numberIn(entry['_lpos'], 'x'), y: numberIn(entry['_lpos'], 'y') };
  const found = applyWidget(placing, { entry, components, path }, { stored, position, parent });
  const extent = stored && { ...found, anchor: stored.anchor };
  return {
    index,
    name: view.name(index),
    path,
    place: placeOf(entry, found.position),
    box: extent && boxOf(extent),
    anchor: stored?.anchor ?? { x: 0.5, y: 0.5 },
    isActive: entry['_active'] !== false,
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
    if (!includesInactive && view.at(child.index)['_active'] === false) return [];
    const step = count > 0 ? `${name}[${count}]` : name;
    const childPath = path === '' ? step : `${path}/${step}`;
    return [place(placing, { index: child.index, path: childPath, depth: depth + 1 }, extent)];
  });
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
