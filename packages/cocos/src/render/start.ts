import { type Entry, refIndex, type SceneView, typeOf } from '#cocos/document';
import { numberIn, type Point, type Size } from './geometry.ts';
import type { Extent } from './widget.ts';

/** What a component makes of another node when the game starts. */
export interface Started {
  readonly position?: Partial<Point> | undefined;
  readonly size?: Partial<Size> | undefined;
  readonly isActive?: boolean | undefined;
}

type Change = readonly [node: number, started: Started];

/** What a component does to nodes below its own, which is so large: files may have what was before. */
export function startOf(view: SceneView, component: Entry, own: Extent): readonly Change[] {
  switch (typeOf(component)) {
    case 'cc.Toggle':
      return startToggle(view, component);
    case 'cc.Slider':
      return startSlider(view, component, own);
    case 'cc.ProgressBar':
      return startProgressBar(view, component);
    default:
      return [];
  }
}

/** The node of a component that another refers to. */
function nodeOf(view: SceneView, component: Entry, field: string): number | undefined {
  return view.item(refIndex(component[field]) ?? -1)?.owner;
}

function startToggle(view: SceneView, toggle: Entry): readonly Change[] {
  const mark = nodeOf(view, toggle, '_checkMark');
  return mark === undefined ? [] : [[mark, { isActive: toggle['_isChecked'] !== false }]];
}

function startSlider(view: SceneView, slider: Entry, own: Extent): readonly Change[] {
  const handle = nodeOf(view, slider, '_handle');
  if (handle === undefined) return [];
  const progress = progressOf(slider);
  const at = (length: number, anchor: number): number => (progress - anchor) * length;
  const isAcross = numberIn(slider, '_direction') === 0;
  const position = isAcross
    ? { x: at(own.width, own.anchor.x) }
    : { y: at(own.height, own.anchor.y) };
  return [[handle, { position }]];
}

const modes = { horizontal: 0, vertical: 1, filled: 2 };
const filledSprite = 3;

function startProgressBar(view: SceneView, bar: Entry): readonly Change[] {
  const sprite = refIndex(bar['_barSprite']);
  const node = nodeOf(view, bar, '_barSprite');
  const mode = numberIn(bar, '_mode');
  if (sprite === undefined || node === undefined || mode === modes.filled) return [];
  if (numberIn(view.at(sprite), '_type') === filledSprite) return [];
  const length = numberIn(bar, '_totalLength', 1);
  const shown = length * progressOf(bar);
  return [[node, { size: mode === modes.horizontal ? { width: shown } : { height: shown } }]];
}

const progressOf = (component: Entry): number =>
  Math.min(1, Math.max(0, numberIn(component, '_progress', 0.1)));
