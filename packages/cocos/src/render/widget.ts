import { alignFlags } from '#cocos/components';
import type { Entry } from '#cocos/document';
import type { Point, Size } from './geometry.ts';

/** How large a node is, and which point of it its position is. */
export interface Extent extends Size {
  readonly anchor: Point;
}

/** Where a node is and how large. */
export interface Alignment extends Size {
  readonly position: Point;
}

interface Axis {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly names: readonly [low: string, middle: string, high: string];
}

const horizontal: Axis = {
  low: alignFlags.LEFT,
  middle: alignFlags.CENTER,
  high: alignFlags.RIGHT,
  names: ['Left', 'HorizontalCenter', 'Right'],
};

const vertical: Axis = {
  low: alignFlags.BOT,
  middle: alignFlags.MID,
  high: alignFlags.TOP,
  names: ['Bottom', 'VerticalCenter', 'Top'],
};

interface Line {
  readonly at: number;
  readonly size: number;
  readonly anchor: number;
  readonly scale: number;
}

/** What a Widget makes of a node when the game starts; the same where it aligns nothing. */
export function align(
  widget: Entry,
  node: Extent & { readonly position: Point; readonly scale: Point },
  parent: Extent,
): Alignment {
  const x = alignLine(
    { widget, axis: horizontal },
    { at: node.position.x, size: node.width, anchor: node.anchor.x, scale: node.scale.x },
    { size: parent.width, anchor: parent.anchor.x },
  );
  const y = alignLine(
    { widget, axis: vertical },
    { at: node.position.y, size: node.height, anchor: node.anchor.y, scale: node.scale.y },
    { size: parent.height, anchor: parent.anchor.y },
  );
  return { position: { x: x.at, y: y.at }, width: x.size, height: y.size };
}

/** The same in one direction; low is left or below. */
function alignLine(
  { widget, axis }: { readonly widget: Entry; readonly axis: Axis },
  node: Line,
  parent: { readonly size: number; readonly anchor: number },
): { readonly at: number; readonly size: number } {
  const flags = numberOf(widget['_alignFlags']);
  const [lowName, middleName, highName] = axis.names;
  const distance = (name: string): number => {
    const value = numberOf(widget[`_${name.charAt(0).toLowerCase()}${name.slice(1)}`]);
    return widget[`_isAbs${name}`] === false ? value * parent.size : value;
  };
  const low = -parent.anchor * parent.size + distance(lowName);
  const high = (1 - parent.anchor) * parent.size - distance(highName);
  const isFlipped = node.scale < 0;
  const anchor = isFlipped ? 1 - node.anchor : node.anchor;
  const scale = Math.abs(node.scale);
  const size = node.size * scale;
  if ((flags & axis.low) !== 0 && (flags & axis.high) !== 0) {
    return {
      at: low + anchor * (high - low),
      size: scale === 0 ? node.size : (high - low) / scale,
    };
  }
  if ((flags & axis.middle) !== 0) {
    const centre = (0.5 - parent.anchor) * parent.size + distance(middleName);
    return { at: centre + (anchor - 0.5) * size, size: node.size };
  }
  if ((flags & axis.low) !== 0) return { at: low + anchor * size, size: node.size };
  if ((flags & axis.high) !== 0) return { at: high + (anchor - 1) * size, size: node.size };
  return { at: node.at, size: node.size };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
