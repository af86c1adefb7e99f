import type { Entry } from '#cocos/document';
import { drawBuiltIn } from './built-in-sprite.ts';
import { type Color, define, type Drawing, grayscale, tint } from './drawing.ts';
import { type Box, numberIn } from './geometry.ts';
import { type Frame, frameOf, type Shown } from './sprite-frame.ts';
import { decimal, element } from './svg.ts';

const types = { simple: 0, sliced: 1, tiled: 2, filled: 3 };

/** A sprite in the area of its node. */
export function drawSprite(drawing: Drawing, sprite: Entry, box: Box): string {
  const color = colorOf(sprite['_color']);
  const shown = frameOf(drawing, sprite['_spriteFrame']);
  const markup = draw(drawing, { sprite, box, color, shown });
  if (markup === '') return '';
  const isPlain = shown.kind !== 'frame';
  const effect =
    sprite['_useGrayscale'] === true
      ? grayscale(drawing)
      : isPlain
        ? undefined
        : tint(drawing, color);
  const clip =
    sprite['_type'] === types.filled ? clipTo(drawing, fillPath(sprite, box)) : undefined;
  if (effect === undefined && clip === undefined) return markup;
  return element('g', { filter: effect, 'clip-path': clip }, markup);
}

/** The colour of a renderer. */
export function colorOf(value: Entry[string] | undefined): Color {
  const part = (key: string): number => Math.min(255, Math.max(0, numberIn(value, key, 255)));
  return { r: part('r'), g: part('g'), b: part('b'), a: part('a') };
}

interface Sprite {
  readonly sprite: Entry;
  readonly box: Box;
  readonly color: Color;
  readonly shown: Shown;
}

function draw(drawing: Drawing, { sprite, box, color, shown }: Sprite): string {
  if (shown.kind === 'none') return '';
  if (shown.kind === 'builtIn') return drawBuiltIn(shown.name, box, color);
  if (shown.kind === 'missing') {
    drawing.notes.add(`The image ${shown.reason} is not at hand; a crossed box stands for it.`);
    return drawMissing(box);
  }
  const { frame } = shown;
  if (sprite['_type'] === types.sliced) return drawSliced(frame, box);
  if (sprite['_type'] === types.tiled) return drawTiled(drawing, frame, box);
  const isTrimmed = sprite['_type'] !== types.simple || sprite['_isTrimmedMode'] !== false;
  return drawPart(frame, isTrimmed ? frame.trimmed : { x: 0, y: 0, ...frame.whole }, box);
}

/** A part of an image, stretched over an area. */
function drawPart({ image }: Frame, part: Box, { x, y, width, height }: Box): string {
  if (part.width <= 0 || part.height <= 0 || width <= 0 || height <= 0) return '';
  const viewBox = [part.x, part.y, part.width, part.height].map(decimal).join(' ');
  const content = element('use', { 'xlink:href': `#${image}` });
  return element('svg', { x, y, width, height, viewBox, preserveAspectRatio: 'none' }, content);
}

/** Corners keep their size, edges are stretched along, the middle is stretched both ways. */
function drawSliced(frame: Frame, box: Box): string {
  const { trimmed, borders } = frame;
  const columns = slices(
    { start: trimmed.x, size: trimmed.width, low: borders.left, high: borders.right },
    { start: box.x, size: box.width },
  );
  const rows = slices(
    { start: trimmed.y, size: trimmed.height, low: borders.top, high: borders.bottom },
    { start: box.y, size: box.height },
  );
  return rows
    .flatMap((row) =>
      columns.map((column) =>
        drawPart(
          frame,
          { x: column.from, width: column.fromSize, y: row.from, height: row.fromSize },
          { x: column.to, width: column.toSize, y: row.to, height: row.toSize },
        ),
      ),
    )
    .join('');
}

interface Slice {
  readonly from: number;
  readonly fromSize: number;
  readonly to: number;
  readonly toSize: number;
}

function slices(
  source: {
    readonly start: number;
    readonly size: number;
    readonly low: number;
    readonly high: number;
  },
  target: { readonly start: number; readonly size: number },
): Slice[] {
  const { low, high } = source;
  const scale = low + high > target.size && low + high > 0 ? target.size / (low + high) : 1;
  const middle = target.size - (low + high) * scale;
  return [
    { from: source.start, fromSize: low, to: target.start, toSize: low * scale },
    {
      from: source.start + low,
      fromSize: source.size - low - high,
      to: target.start + low * scale,
      toSize: middle,
    },
    {
      from: source.start + source.size - high,
      fromSize: high,
      to: target.start + target.size - high * scale,
      toSize: high * scale,
    },
  ];
}

/** Repeated from the lower left corner. */
function drawTiled(drawing: Drawing, frame: Frame, box: Box): string {
  const { width, height } = frame.trimmed;
  if (width <= 0 || height <= 0) return '';
  const bottom = box.y + box.height;
  const id = define(drawing, `tile ${frame.image} ${box.x} ${bottom}`, (name) =>
    element(
      'pattern',
      { id: name, patternUnits: 'userSpaceOnUse', x: box.x, y: bottom - height, width, height },
      drawPart(frame, frame.trimmed, { x: 0, y: 0, width, height }),
    ),
  );
  return element('rect', { ...box, fill: `url(#${id})` });
}

/** A clip of a path. */
export function clipTo(drawing: Drawing, path: string): string {
  const content = element('path', { d: path, 'clip-rule': 'evenodd' });
  const id = define(drawing, `clip ${path}`, (name) => element('clipPath', { id: name }, content));
  return `url(#${id})`;
}

/** The path around an area. */
export function rectPath({ x, y, width, height }: Box): string {
  return `M${decimal(x)} ${decimal(y)}h${decimal(width)}v${decimal(height)}h${decimal(-width)}z`;
}

const fillTypes = { horizontal: 0, vertical: 1 };

/** The part of its area that a filled sprite shows. */
function fillPath(sprite: Entry, box: Box): string {
  const start = Math.min(1, Math.max(0, numberIn(sprite, '_fillStart')));
  const range = Math.min(1, Math.max(-1, numberIn(sprite, '_fillRange')));
  if (sprite['_fillType'] !== fillTypes.horizontal && sprite['_fillType'] !== fillTypes.vertical) {
    return piePath(sprite, box, { start: numberIn(sprite, '_fillStart'), range });
  }
  const low = Math.max(0, Math.min(start, start + range));
  const high = Math.min(1, Math.max(start, start + range));
  if (sprite['_fillType'] === fillTypes.horizontal) {
    return rectPath({ ...box, x: box.x + low * box.width, width: (high - low) * box.width });
  }
  return rectPath({
    ...box,
    y: box.y + (1 - high) * box.height,
    height: (high - low) * box.height,
  });
}

/** A piece of a pie, counted against the clock from the right. */
function piePath(
  sprite: Entry,
  box: Box,
  { start, range }: { readonly start: number; readonly range: number },
): string {
  if (Math.abs(range) >= 1) return rectPath(box);
  const x = box.x + numberIn(sprite['_fillCenter'], 'x') * box.width;
  const y = box.y + (1 - numberIn(sprite['_fillCenter'], 'y')) * box.height;
  const radius = 2 * (box.width + box.height);
  const steps = 32;
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const angle = (start + (range * step) / steps) * 2 * Math.PI;
    return `L${decimal(x + radius * Math.cos(angle))} ${decimal(y - radius * Math.sin(angle))}`;
  });
  return `M${decimal(x)} ${decimal(y)}${points.join('')}z`;
}

function drawMissing(box: Box): string {
  const { x, y, width, height } = box;
  const [right, bottom] = [x + width, y + height];
  const d = `${rectPath(box)}M${decimal(x)} ${decimal(y)}L${decimal(right)} ${decimal(bottom)}M${decimal(right)} ${decimal(y)}L${decimal(x)} ${decimal(bottom)}`;
  return element('path', { d, fill: '#d9468233', stroke: '#d94682', 'stroke-dasharray': '6 4' });
}
