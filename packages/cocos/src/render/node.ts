import { type Entry, typeOf } from '#cocos/document';
import { define, type Drawing, silhouette } from './drawing.ts';
import { type Box, type Matrix, numberIn } from './geometry.ts';
import { drawLabel } from './label.ts';
import type { Placed } from './layout.ts';
import { drawRichText } from './rich-text.ts';
import { clipTo, colorOf, drawSprite, rectPath } from './sprite.ts';
import { decimal, element, escapeXml } from './svg.ts';

/** What is drawn of nodes besides what the game shows. */
interface Marks {
  readonly outlines: boolean;
  readonly names: boolean;
}

/** How a node is drawn. */
export interface Pen extends Marks {
  readonly drawing: Drawing;
  /** How opaque everything above lets it be. */
  readonly opacity: number;
}

const maskTypes = { rect: 0, ellipse: 1, graphics: 2, sprite: 3 };

/** Seen through this, what is switched off is told from what is not. */
const inactiveOpacity = 0.35;

/** A node and all below it. */
export function drawNode(pen: Pen, node: Placed): string {
  const find = (type: string): Entry | undefined =>
    node.components.find((component) => typeOf(component) === type);
  const renderer = find('cc.Sprite') ?? find('cc.Label');
  const own = numberIn(find('cc.UIOpacity'), '_opacity', 255) / 255;
  // What a renderer is in its colour, everything below it is, too.
  const tinted = renderer === undefined ? 1 : colorOf(renderer['_color']).a / 255;
  const opacity = pen.opacity * own * tinted * (node.isActive ? 1 : inactiveOpacity);
  if (opacity <= 0) return '';
  const mask = find('cc.Mask');
  const inner = { ...pen, opacity };
  const body = node.box === undefined ? '' : drawBody(inner, node, mask);
  const children = node.children.map((child) => drawNode(inner, child)).join('');
  const below =
    mask === undefined || node.box === undefined || children === ''
      ? children
      : masked(pen.drawing, { mask, node, box: node.box }, children);
  const marks = node.box === undefined ? '' : drawMarks(pen, node, node.box);
  if (body === '' && below === '' && marks === '') return '';
  const title = element('title', {}, escapeXml(node.path || node.name));
  return element('g', { transform: transformText(node.place) }, title + body + marks + below);
}

function transformText(place: Matrix): string | undefined {
  const [a, b, c, d, e, f] = place;
  const isPlain = a === 1 && b === 0 && c === 0 && d === 1;
  if (!isPlain) return `matrix(${place.map(decimal).join(' ')})`;
  return e === 0 && f === 0 ? undefined : `translate(${decimal(e)} ${decimal(f)})`;
}

function drawBody({ drawing, opacity }: Pen, node: Placed, mask: Entry | undefined): string {
  const { box, anchor, components } = node;
  if (box === undefined) return '';
  const markup = components
    .map((component) => {
      const type = typeOf(component);
      // The sprite of a mask is its shape, and is not seen.
      const isShape = mask !== undefined && numberIn(mask, '_type') === maskTypes.sprite;
      if (type === 'cc.Sprite') return isShape ? '' : drawSprite(drawing, component, box);
      if (type === 'cc.Label') return drawLabel(drawing, component, { box, anchor });
      if (type === 'cc.RichText') return drawRichText(component, box);
      noteUndrawn(drawing, type, mask);
      return '';
    })
    .join('');
  if (markup === '' || opacity >= 1) return markup;
  return element('g', { opacity }, markup);
}

const undrawn: Readonly<Record<string, string>> = {
  'cc.Graphics': 'What cc.Graphics draws is made by scripts, and is not in the picture.',
  'sp.Skeleton': 'Skeletons are not in the picture.',
  'dragonBones.ArmatureDisplay': 'Skeletons are not in the picture.',
  'cc.TiledMap': 'Tiled maps are not in the picture.',
  'cc.ParticleSystem2D': 'Particles are not in the picture.',
  'cc.VideoPlayer': 'Videos are not in the picture.',
  'cc.WebView': 'Web pages are not in the picture.',
};

function noteUndrawn({ notes }: Drawing, type: string, mask: Entry | undefined): void {
  const note = type === 'cc.Graphics' && mask !== undefined ? undefined : undrawn[type];
  if (note !== undefined) notes.add(note);
}

interface Masked {
  readonly mask: Entry;
  readonly node: Placed;
  readonly box: Box;
}

/** What is below a mask: only what is in its shape, or only what is not. */
function masked(drawing: Drawing, { mask, node, box }: Masked, content: string): string {
  const type = numberIn(mask, '_type');
  const isInverted = mask['_inverted'] === true;
  const sprite = node.components.find((component) => typeOf(component) === 'cc.Sprite');
  if (type === maskTypes.sprite && sprite !== undefined) {
    return maskedBySprite(drawing, { sprite, box, isInverted }, content);
  }
  if (type === maskTypes.graphics) {
    drawing.notes.add('A mask drawn by a script is taken to be the area of its node.');
  }
  const shape = type === maskTypes.ellipse ? ellipsePath(box) : rectPath(box);
  const outside = isInverted ? rectPath({ x: -1e5, y: -1e5, width: 2e5, height: 2e5 }) : '';
  return element('g', { 'clip-path': clipTo(drawing, outside + shape) }, content);
}

function maskedBySprite(
  drawing: Drawing,
  {
    sprite,
    box,
    isInverted,
  }: { readonly sprite: Entry; readonly box: Box; readonly isInverted: boolean },
  content: string,
): string {
  const shape = element(
    'g',
    { filter: silhouette(drawing, !isInverted) },
    drawSprite(drawing, sprite, box),
  );
  const all = { x: -1e5, y: -1e5, width: 2e5, height: 2e5 };
  const ground = isInverted ? element('rect', { ...all, fill: '#fff' }) : '';
  const markup = ground + shape;
  const area = isInverted ? all : box;
  const id = define(drawing, `mask ${markup}`, (name) =>
    element('mask', { id: name, maskUnits: 'userSpaceOnUse', ...area }, markup),
  );
  return element('g', { mask: `url(#${id})` }, content);
}

function ellipsePath({ x, y, width, height }: Box): string {
  const [rx, ry] = [width / 2, height / 2].map(decimal);
  const half = (to: number): string =>
    `A${rx} ${ry} 0 0 1 ${decimal(to)} ${decimal(y + height / 2)}`;
  return `M${decimal(x)} ${decimal(y + height / 2)}${half(x + width)}${half(x)}z`;
}

function drawMarks({ outlines, names }: Pen, node: Placed, box: Box): string {
  const line = {
    fill: 'none',
    stroke: node.isActive ? '#2f80ed' : '#9b51e0',
    'stroke-opacity': 0.55,
    'stroke-dasharray': node.isActive ? undefined : '4 3',
    'vector-effect': 'non-scaling-stroke',
  };
  const outline = outlines ? element('rect', { ...box, ...line }) : '';
  const label = {
    x: box.x + 2,
    y: box.y + 10,
    'font-size': 10,
    'font-family': 'monospace',
    fill: '#2f80ed',
    stroke: '#fff',
    'stroke-width': 2,
    'paint-order': 'stroke',
  };
  return outline + (names ? element('text', label, escapeXml(node.name)) : '');
}
