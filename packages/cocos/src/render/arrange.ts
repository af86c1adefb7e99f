import type { Entry } from '#cocos/document';
import { numberIn, type Point, type Size } from './geometry.ts';
import type { Alignment, Extent } from './widget.ts';

/** A child that a Layout places. */
export interface Arranged extends Extent {
  readonly position: Point;
  /** How large it is for the Layout: 1 where that does not heed scales. */
  readonly scale: Point;
}

const types = { none: 0, horizontal: 1, vertical: 2, grid: 3 };
const resizing = { container: 1, children: 2 };
const constraints = { row: 1, column: 2 };

/** One direction of a Layout: which coordinate, from where, and what is left free. */
interface Axis {
  readonly size: 'width' | 'height';
  readonly at: 'x' | 'y';
  /** 0 where it begins at the left or below, 1 where at the right or above. */
  readonly from: 0 | 1;
  readonly paddings: readonly [first: number, last: number];
  readonly spacing: number;
}

interface Piece {
  readonly child: Arranged;
  readonly size: Size;
}

/** What a `cc.Layout` makes of its node and of the children that are active when the game starts. */
export function arrange(
  layout: Entry,
  own: Extent,
  children: readonly Arranged[],
): { readonly size: Size; readonly spots: readonly Alignment[] } {
  const type = numberIn(layout, '_layoutType');
  const isRight = numberIn(layout, '_horizontalDirection') === 1;
  const isTop = numberIn(layout, '_verticalDirection', 1) === 1;
  const padding = (side: string): number => numberIn(layout, `_padding${side}`);
  const sides = (...names: readonly [string, string]): readonly [number, number] => [
    padding(names[0]),
    padding(names[1]),
  ];
  const across: Axis = {
    size: 'width',
    at: 'x',
    from: isRight ? 1 : 0,
    paddings: isRight ? sides('Right', 'Left') : sides('Left', 'Right'),
    spacing: numberIn(layout, '_spacingX'),
  };
  const along: Axis = {
    size: 'height',
    at: 'y',
    from: isTop ? 1 : 0,
    paddings: isTop ? sides('Top', 'Bottom') : sides('Bottom', 'Top'),
    spacing: numberIn(layout, '_spacingY'),
  };
  const still = {
    size: own,
    spots: children.map(({ width, height, position }) => ({ width, height, position })),
  };
  if (children.length === 0) return still;
  if (type === types.horizontal) return inLine(layout, { own, children, axis: across });
  if (type === types.vertical) return inLine(layout, { own, children, axis: along });
  if (type !== types.grid) return still;
  const isAcross = numberIn(layout, '_startAxis') === 0;
  const axes = isAcross ? { axis: across, other: along } : { axis: along, other: across };
  return inRows(layout, { own, children, ...axes });
}

interface Line {
  readonly own: Extent;
  readonly children: readonly Arranged[];
  readonly axis: Axis;
}

/** One after the other. */
function inLine(layout: Entry, { own, children, axis }: Line): ReturnType<typeof arrange> {
  const mode = numberIn(layout, '_resizeMode');
  const gaps = axis.paddings[0] + axis.paddings[1] + axis.spacing * (children.length - 1);
  const share = (own[axis.size] - gaps) / children.length;
  const pieces = children.map((child): Piece => {
    const size =
      mode === resizing.children ? share / (child.scale[axis.at] || 1) : child[axis.size];
    return { child, size: { ...sizeOf(child), [axis.size]: size } };
  });
  const all = pieces.reduce((sum, piece) => sum + lengthOf(piece, axis), gaps);
  const base = mode === resizing.container ? all : own[axis.size];
  const centred = layout['_isAlign'] === true;
  let next = startOf(axis, base, own.anchor[axis.at]);
  const spots = pieces.map((piece) => {
    const at = next + placeIn(piece, axis);
    next += signOf(axis) * (lengthOf(piece, axis) + axis.spacing);
    const { position } = piece.child;
    const kept = centred ? { x: 0, y: 0 } : position;
    return { ...piece.size, position: { ...kept, [axis.at]: at } };
  });
  return { size: { ...sizeOf(own), [axis.size]: base }, spots };
}

interface Grid extends Line {
  readonly other: Axis;
}

/** Row by row, or column by column. */
function inRows(layout: Entry, { own, children, axis, other }: Grid): ReturnType<typeof arrange> {
  const mode = numberIn(layout, '_resizeMode');
  const cell = layout['_cellSize'];
  const pieces = children.map((child): Piece => {
    if (mode !== resizing.children) return { child, size: sizeOf(child) };
    const width = numberIn(cell, 'width', 40) / (child.scale.x || 1);
    const height = numberIn(cell, 'height', 40) / (child.scale.y || 1);
    return { child, size: { width, height } };
  });
  const limit = limitOf(layout, axis, children.length);
  const rows = rowsOf(pieces, axis, { limit, room: own[axis.size] });
  const heights = rows.map((row) => Math.max(...row.map((piece) => lengthOf(piece, other))));
  const lengths = rows.map((row) =>
    row.reduce((sum, piece) => sum + lengthOf(piece, axis), axis.spacing * (row.length - 1)),
  );
  const total = heights.reduce((sum, height) => sum + height, other.spacing * (rows.length - 1));
  const isResized = mode === resizing.container;
  const base = {
    [axis.size]:
      isResized && limit > 0 ? Math.max(...lengths) + sum(axis.paddings) : own[axis.size],
    [other.size]: isResized ? total + sum(other.paddings) : own[other.size],
  } as unknown as Size;
  let down = startOf(other, base[other.size], own.anchor[other.at]);
  const spots = rows.flatMap((row, index) => {
    let next = startOf(axis, base[axis.size], own.anchor[axis.at]);
    const placed = row.map((piece): Alignment => {
      const position = {
        [axis.at]: next + placeIn(piece, axis),
        [other.at]: down + placeIn(piece, other),
      } as unknown as Point;
      next += signOf(axis) * (lengthOf(piece, axis) + axis.spacing);
      return { ...piece.size, position };
    });
    down += signOf(other) * ((heights[index] ?? 0) + other.spacing);
    return placed;
  });
  return { size: base, spots };
}

/** How many are in a row at most; 0 where only the room decides. */
function limitOf(layout: Entry, { size }: Axis, count: number): number {
  const constraint = numberIn(layout, '_constraint');
  const number = numberIn(layout, '_constraintNum', 2);
  if (constraint === 0 || number <= 0) return 0;
  const perRow = size === 'width' ? constraints.column : constraints.row;
  return constraint === perRow ? number : Math.ceil(count / number);
}

function rowsOf(
  pieces: readonly Piece[],
  axis: Axis,
  { limit, room }: { readonly limit: number; readonly room: number },
): Piece[][] {
  const rows: Piece[][] = [];
  let row: Piece[] = [];
  let used = 0;
  for (const piece of pieces) {
    const wanted = used + lengthOf(piece, axis);
    const isFull = limit > 0 ? row.length >= limit : wanted > room - sum(axis.paddings) + tolerance;
    if (row.length === 0 || isFull) {
      rows.push((row = []));
      used = 0;
    }
    row.push(piece);
    used += lengthOf(piece, axis) + axis.spacing;
  }
  return rows;
}

const tolerance = 1e-6;

const sum = ([first, last]: readonly [number, number]): number => first + last;

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

const signOf = ({ from }: Axis): 1 | -1 => (from === 1 ? -1 : 1);

const startOf = (axis: Axis, base: number, anchor: number): number =>
  (axis.from - anchor) * base + signOf(axis) * axis.paddings[0];

const lengthOf = ({ child, size }: Piece, axis: Axis): number =>
  size[axis.size] * child.scale[axis.at];

/** From where a child begins to its anchor. */
const placeIn = (piece: Piece, axis: Axis): number =>
  signOf(axis) * Math.abs(axis.from - piece.child.anchor[axis.at]) * lengthOf(piece, axis);
