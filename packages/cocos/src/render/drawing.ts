import type { Workspace } from '#cocos/edit';
import { element } from './svg.ts';

/** A colour with the parts from 0 to 255. */
export interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

/** A picture in the making: what is defined once and used by name, and what people should know about it. */
export interface Drawing {
  readonly workspace: Workspace;
  readonly embedsImages: boolean;
  /** The markup of definitions, by what they are of. */
  readonly definitions: Map<string, { readonly id: string; readonly markup: string }>;
  readonly notes: Set<string>;
  /** How many bytes of images are in it. */
  imageBytes: number;
}

/** An empty picture. */
export function newDrawing(workspace: Workspace, embedsImages: boolean): Drawing {
  const definitions: Drawing['definitions'] = new Map();
  return { workspace, embedsImages, definitions, notes: new Set(), imageBytes: 0 };
}

/** The name of a definition, which is made when it is first needed. */
export function define(drawing: Drawing, key: string, make: (id: string) => string): string {
  const present = drawing.definitions.get(key);
  if (present !== undefined) return present.id;
  const id = `d${drawing.definitions.size}`;
  // Kept before it is made: what it needs gets a later number.
  drawing.definitions.set(key, { id, markup: '' });
  drawing.definitions.set(key, { id, markup: make(id) });
  return id;
}

/** The name of a filter that multiplies colours. */
export function tint(drawing: Drawing, { r, g, b }: Color): string | undefined {
  if (r >= 255 && g >= 255 && b >= 255) return undefined;
  const row = (value: number, position: number): string =>
    [0, 1, 2, 3, 4].map((column) => (column === position ? value / 255 : 0)).join(' ');
  const values = `${row(r, 0)} ${row(g, 1)} ${row(b, 2)} 0 0 0 1 0`;
  return filter(drawing, `tint ${r} ${g} ${b}`, element('feColorMatrix', { values }));
}

/** The name of a filter that takes the colours out. */
export function grayscale(drawing: Drawing): string {
  return filter(drawing, 'gray', element('feColorMatrix', { type: 'saturate', values: '0' }));
}

/** The name of a filter that makes everything white or black, as opaque as it is. */
export function silhouette(drawing: Drawing, isWhite: boolean): string {
  const row = isWhite ? '0 0 0 0 1' : '0 0 0 0 0';
  const values = `${row} ${row} ${row} 0 0 0 1 0`;
  return filter(drawing, `silhouette ${isWhite}`, element('feColorMatrix', { values }));
}

function filter(drawing: Drawing, key: string, content: string): string {
  const area = { x: '0', y: '0', width: '1', height: '1', 'color-interpolation-filters': 'sRGB' };
  const id = define(drawing, key, (name) => element('filter', { id: name, ...area }, content));
  return `url(#${id})`;
}
