import { type Entry, isObject, type Json } from '#cocos/document';

/** An area with its upper left corner; down is positive, as in pictures. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How a picture is moved, turned and scaled: `x' = a·x + c·y + e`, `y' = b·x + d·y + f`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A matrix that changes nothing. */
export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** A number of a stored value; another where there is none. */
export function numberIn(value: Json | undefined, key: string, otherwise = 0): number {
  const part = isObject(value) ? value[key] : undefined;
  return typeof part === 'number' && Number.isFinite(part) ? part : otherwise;
}

/** Where a node is in its parent, seen from the front. The engine counts upwards, pictures count downwards. */
export function placeOf(node: Entry, position: Point): Matrix {
  const rotation = node['_lrot'];
  const [x, y, z] = ['x', 'y', 'z'].map((key) => numberIn(rotation, key)) as [
    number,
    number,
    number,
  ];
  const w = numberIn(rotation, 'w', 1);
  const scaleX = numberIn(node['_lscale'], 'x', 1);
  const scaleY = numberIn(node['_lscale'], 'y', 1);
  return [
    (1 - 2 * (y * y + z * z)) * scaleX,
    -2 * (x * y + w * z) * scaleX,
    -2 * (x * y - w * z) * scaleY,
    (1 - 2 * (x * x + z * z)) * scaleY,
    position.x,
    -position.y,
  ];
}

/** First the inner one, then the outer one. */
export function combine(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [ia, ib, ic, id, ie, jf] = inner;
  return [
    a * ia + c * ib,
    b * ia + d * ib,
    a * ic + c * id,
    b * ic + d * id,
    a * ie + c * jf + e,
    b * ie + d * jf + f,
  ];
}

/** The area that a box takes up once it is placed. */
export function boundsOf([a, b, c, d, e, f]: Matrix, { x, y, width, height }: Box): Box {
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ] as const;
  const xs = corners.map(([px, py]) => a * px + c * py + e);
  const ys = corners.map(([px, py]) => b * px + d * py + f);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** The smallest area that has both. */
export function union(one: Box | undefined, other: Box): Box {
  if (one === undefined) return other;
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  };
}

/** What a window leaves of an area; nothing where they do not meet. */
export function intersection(window: Box | undefined, area: Box): Box | undefined {
  if (window === undefined) return area;
  const x = Math.max(window.x, area.x);
  const y = Math.max(window.y, area.y);
  const width = Math.min(window.x + window.width, area.x + area.width) - x;
  const height = Math.min(window.y + window.height, area.y + area.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}
