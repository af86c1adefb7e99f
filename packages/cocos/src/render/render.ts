import { type Entry, refIndex, typeOf } from '#cocos/document';
import { requireNode, type SceneDocument } from '#cocos/edit';
import { rgb } from './built-in-sprite.ts';
import { type Drawing, newDrawing } from './drawing.ts';
import {
  type Box,
  boundsOf,
  combine,
  identity,
  intersection,
  type Matrix,
  union,
} from './geometry.ts';
import { place, type Placed } from './layout.ts';
import { drawNode } from './node.ts';
import { colorOf } from './sprite.ts';
import { decimal, element, escapeXml } from './svg.ts';

/** How to draw a scene or prefab. */
export interface RenderOptions {
  /** What is behind everything: squares that show through, the colour of the camera, nothing, or a colour. */
  readonly background?: 'checker' | 'camera' | 'none' | `#${string}` | undefined;
  /** What to show: the Canvas, or everything there is. Where absent, the Canvas if there is one. */
  readonly area?: 'screen' | 'content' | undefined;
  /** Also what is switched off, faintly. */
  readonly inactive?: boolean | undefined;
  /** The area of every node, as a thin line. */
  readonly outlines?: boolean | undefined;
  /** The name of every node in its corner; it is always what a pointer shows. */
  readonly names?: boolean | undefined;
  /** Where Widgets put nodes when the game starts, or where the file has them. */
  readonly widgets?: 'applied' | 'stored' | undefined;
  /** Only this node and what is below it: a handle or a path. */
  readonly node?: string | undefined;
  /** Whether images are part of the picture; else boxes stand for them. */
  readonly images?: boolean | undefined;
}

/** A picture of a scene or prefab. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** How many nodes with an area are in it. */
  readonly nodes: number;
  /** Where the picture may differ from the game, and where the file differs from both. */
  readonly notes: readonly string[];
}

/** How many nodes that Widgets move are named. */
const maxMoved = 20;

/** Draws the UI of a scene or prefab as it is when the game starts; the same file gives the same picture. */
export function renderDocument(document: SceneDocument, options: RenderOptions = {}): Picture {
  const { view, workspace } = document;
  const { inactive = false, outlines = true, names = false, widgets = 'applied' } = options;
  const drawing = newDrawing(workspace, options.images !== false);
  const start = options.node === undefined ? view.root : requireNode(document, options.node).index;
  const moved: string[] = [];
  const tree = place(
    {
      view,
      appliesWidgets: widgets === 'applied',
      includesInactive: inactive,
      started: new Map(),
      moved: (path, from, to) =>
        moved.push(`The Widget of "${path}" makes it ${to}; the file has ${from}.`),
    },
    { index: start, path: view.path(start), depth: 0 },
  );
  // A prefab, or a node by itself, is shown where it is and also when it is switched off.
  const isScene = start === view.root && document.kind === 'scene';
  const root: Placed = isScene ? tree : { ...tree, place: identity, isActive: true };
  const survey = surveyOf(root);
  const content = drawNode({ drawing, opacity: 1, outlines, names }, root);
  const screen = options.area === 'content' ? undefined : survey.canvas?.bounds;
  const area = screen ?? padded(survey.content, document);
  const background = backgroundOf(document, options.background, survey.canvas?.canvas);
  const notes = [...drawing.notes, ...shortened(moved)];
  return {
    svg: svgOf({ drawing, area, content, background, title: document.path }),
    width: area.width,
    height: area.height,
    nodes: survey.nodes,
    notes: survey.nodes === 0 ? [...notes, nothing] : notes,
  };
}

const nothing = 'There is no node of the UI in it.';

function shortened(moved: readonly string[]): string[] {
  if (moved.length <= maxMoved) return [...moved];
  return [...moved.slice(0, maxMoved), `Widgets move ${moved.length - maxMoved} more nodes.`];
}

interface Survey {
  readonly nodes: number;
  readonly content: Box | undefined;
  readonly canvas: { readonly canvas: Entry; readonly bounds: Box } | undefined;
}

interface Visit {
  readonly node: Placed;
  readonly above: Matrix;
  /** What a mask above leaves to be seen. */
  readonly window: Box | undefined;
}

/** Where everything is, and the first Canvas. */
function surveyOf(root: Placed): Survey {
  let nodes = 0;
  let content: Box | undefined;
  let canvas: Survey['canvas'];
  const waiting: Visit[] = [{ node: root, above: identity, window: undefined }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next;
    const here = combine(next.above, node.place);
    const has = (type: string): Entry | undefined =>
      node.components.find((component) => typeOf(component) === type);
    let { window } = next;
    if (node.box !== undefined) {
      nodes += 1;
      const bounds = boundsOf(here, node.box);
      const seen = intersection(window, bounds);
      if (seen !== undefined) content = union(content, seen);
      const found = has('cc.Canvas');
      if (found !== undefined) canvas ??= { canvas: found, bounds };
      const mask = has('cc.Mask');
      if (mask !== undefined && mask['_inverted'] !== true) window = seen ?? bounds;
    }
    for (const child of node.children.toReversed()) {
      waiting.push({ node: child, above: here, window });
    }
  }
  return { nodes, content, canvas };
}

const padding = 16;

function padded(content: Box | undefined, { workspace }: SceneDocument): Box {
  if (content === undefined) return { x: 0, y: 0, ...workspace.project.info.designResolution };
  return {
    x: content.x - padding,
    y: content.y - padding,
    width: content.width + 2 * padding,
    height: content.height + 2 * padding,
  };
}

function backgroundOf(
  { view }: SceneDocument,
  wanted: RenderOptions['background'],
  canvas: Entry | undefined,
): string {
  if (wanted === 'none') return '';
  if (wanted === undefined || wanted === 'checker') return 'url(#checker)';
  if (wanted !== 'camera') return wanted;
  const camera = refIndex(canvas?.['_cameraComponent']);
  return camera === undefined ? '#000000' : rgb(colorOf(view.at(camera)['_color']));
}

const checker =
  '<pattern id="checker" width="32" height="32" patternUnits="userSpaceOnUse"><rect width="32" height="32" fill="#fff"/><path d="M0 0h16v16h-16zM16 16h16v16h-16z" fill="#e4e4e8"/></pattern>';

function svgOf(picture: {
  readonly drawing: Drawing;
  readonly area: Box;
  readonly content: string;
  readonly background: string;
  readonly title: string;
}): string {
  const { drawing, area, content, background, title } = picture;
  const ground = background === '' ? '' : element('rect', { ...area, fill: background });
  const definitions = [...drawing.definitions.values()].map(({ markup }) => markup);
  if (background === 'url(#checker)') definitions.unshift(checker);
  const parts = [
    element('title', {}, escapeXml(title)),
    definitions.length > 0 ? element('defs', {}, `\n${definitions.join('\n')}\n`) : '',
    ground,
    content.replaceAll('<g ', '\n<g '),
  ].filter((part) => part !== '');
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    width: area.width,
    height: area.height,
    viewBox: [area.x, area.y, area.width, area.height].map(decimal).join(' '),
  };
  return `${element('svg', attributes, `\n${parts.join('\n')}\n`)}\n`;
}
