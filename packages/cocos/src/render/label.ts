import { type Entry, textOf } from '#cocos/document';
import { rgb } from './built-in-sprite.ts';
import { define, type Drawing } from './drawing.ts';
import { type Box, numberIn, type Point } from './geometry.ts';
import { colorOf, rectPath } from './sprite.ts';
import { element, escapeXml } from './svg.ts';
import { textWidth, wrap } from './text-metrics.ts';

const overflows = { none: 0, clamp: 1, shrink: 2, resizeHeight: 3 };

/** The lines of a text, how large, and the area they are aligned in. */
interface TextBlock {
  readonly lines: readonly string[];
  readonly fontSize: number;
  readonly lineHeight: number;
  readonly box: Box;
}

/** The text of a label in the area of its node. */
export function drawLabel(
  drawing: Drawing,
  label: Entry,
  { box, anchor }: { readonly box: Box; readonly anchor: Point },
): string {
  const block = blockOf(label, box, anchor);
  const { lines, fontSize } = block;
  if (lines.every((line) => line === '')) return '';
  const spans = lines.map((line, index) =>
    element('tspan', positionOf(label, block, index), escapeXml(line) || ' '),
  );
  const text = (look: Record<string, string | number | undefined>): string =>
    element('text', { ...fontOf(label, fontSize), ...look }, spans.join(''));
  const color = rgb(colorOf(label['_color']));
  const outlined = label['_enableOutline'] === true && numberIn(label, '_outlineWidth') > 0;
  const outline = outlined && {
    stroke: rgb(colorOf(label['_outlineColor'])),
    'stroke-width': 2 * numberIn(label, '_outlineWidth'),
    'stroke-linejoin': 'round',
    'paint-order': 'stroke',
  };
  const shadow = label['_enableShadow'] === true ? drawShadow(label, text) : '';
  const markup = shadow + text({ fill: color, ...outline });
  if (label['_overflow'] !== overflows.clamp) return markup;
  const clip = define(drawing, `clip ${rectPath(box)}`, (id) =>
    element('clipPath', { id }, element('path', { d: rectPath(box) })),
  );
  return element('g', { 'clip-path': `url(#${clip})` }, markup);
}

function drawShadow(
  label: Entry,
  text: (look: Record<string, string | number | undefined>) => string,
): string {
  const color = colorOf(label['_shadowColor']);
  const x = numberIn(label['_shadowOffset'], 'x');
  const y = -numberIn(label['_shadowOffset'], 'y');
  return text({
    fill: rgb(color),
    'fill-opacity': color.a < 255 ? color.a / 255 : undefined,
    transform: `translate(${x} ${y})`,
  });
}

/** How a label breaks its text, by what it does with too much of it. */
function blockOf(label: Entry, box: Box, anchor: Point): TextBlock {
  const text = textOf(label['_string']).replaceAll('\r\n', '\n');
  const fontSize = numberIn(label, '_fontSize', 40);
  const lineHeight = numberIn(label, '_lineHeight', 40) || fontSize;
  const overflow = numberIn(label, '_overflow');
  const wraps = label['_enableWrapText'] !== false;
  if (overflow === overflows.none) {
    const lines = text.split('\n');
    const width = Math.max(...lines.map((line) => textWidth(line, fontSize)));
    return { lines, fontSize, lineHeight, box: around(anchor, width, lines.length * lineHeight) };
  }
  if (overflow === overflows.resizeHeight) {
    const lines = wrap(text, fontSize, box.width);
    const height = lines.length * lineHeight;
    return { lines, fontSize, lineHeight, box: around(anchor, box.width, height) };
  }
  const linesAt = (size: number): string[] =>
    wraps ? wrap(text, size, box.width) : text.split('\n');
  if (overflow !== overflows.shrink) return { lines: linesAt(fontSize), fontSize, lineHeight, box };
  const fits = (size: number): boolean =>
    linesAt(size).every((line) => textWidth(line, size) <= box.width) &&
    linesAt(size).length * lineHeight * (size / fontSize) <= box.height;
  let size = Math.max(1, fontSize);
  while (size > 1 && !fits(size)) size -= 1;
  return { lines: linesAt(size), fontSize: size, lineHeight: (lineHeight * size) / fontSize, box };
}

function around(anchor: Point, width: number, height: number): Box {
  return { x: -anchor.x * width, y: -(1 - anchor.y) * height, width, height };
}

/** Where a line begins, ends or has its middle, and its ground. */
function positionOf(
  label: Entry,
  { lines, fontSize, lineHeight, box }: TextBlock,
  index: number,
): Record<string, string | number> {
  const across = numberIn(label, '_horizontalAlign', 1) / 2;
  const down = numberIn(label, '_verticalAlign', 1) / 2;
  const top = box.y + down * (box.height - lines.length * lineHeight);
  return {
    x: box.x + across * box.width,
    // From the middle of a line down to where letters stand.
    y: top + (index + 0.5) * lineHeight + 0.35 * fontSize,
    'text-anchor': ['start', 'middle', 'end'][across * 2] ?? 'middle',
  };
}

/** The font of a label; files of fonts are not embedded. */
export function fontOf(
  label: Entry,
  fontSize: number,
): Record<string, string | number | undefined> {
  const family = textOf(label['_fontFamily']) || 'Arial';
  const own = /^(Arial|Helvetica|sans-serif)$/i.test(family) ? '' : `${family}, `;
  return {
    'font-family': `${own}Arial, Helvetica, 'Liberation Sans', sans-serif`,
    'font-size': fontSize,
    'font-weight': label['_isBold'] === true ? 'bold' : undefined,
    'font-style': label['_isItalic'] === true ? 'italic' : undefined,
    'text-decoration': label['_isUnderline'] === true ? 'underline' : undefined,
    'xml:space': 'preserve',
  };
}
