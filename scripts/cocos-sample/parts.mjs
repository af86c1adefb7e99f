// What the prefabs and scenes of the sample are put together from.
import { beginIds } from './ids.mjs';
import path from 'node:path';
import * as edit from '../../packages/cocos/dist/edit/index.js';

const texture = (name) => `assets/textures/${name}.png`;
export const at = (x, y) => ({ x, y, z: 0 });
export const size = (width, height) => ({ width, height });

/** Puts a sprite on a new node; one with borders is stretched in its middle. */
export function addSprite(document, { image, sliced = false, color, ...creation }) {
  const { node } = edit.createNode(document, { element: 'Node', ...creation });
  drawSprite(document, node, { image, sliced, color });
  return node;
}

export function drawSprite(document, node, { image, sliced = false, color }) {
  const properties = { sizeMode: 'CUSTOM', type: sliced ? 'SLICED' : 'SIMPLE' };
  edit.addComponent(document, node, {
    type: 'cc.Sprite',
    properties: { ...properties, spriteFrame: texture(image), ...(color ? { color } : {}) },
  });
}

/** Puts a text on a new node whose area it fills. */
export function addLabel(document, { text, fontSize, color = '#4a3a52', look = {}, ...creation }) {
  const { node } = edit.createNode(document, { element: 'Node', ...creation });
  edit.addComponent(document, node, {
    type: 'cc.Label',
    properties: {
      string: text,
      fontSize,
      lineHeight: fontSize + 4,
      overflow: 'CLAMP',
      color,
      ...look,
    },
  });
  return node;
}

export function addWidget(document, node, properties) {
  edit.addComponent(document, node, { type: 'cc.Widget', properties });
}

export function openNew(workspace, file) {
  beginIds(path.basename(file));
  if (file.endsWith('.prefab')) edit.createEmptyPrefab(workspace, { path: file, ui: true });
  else edit.createScene(workspace, { path: file });
  return edit.openDocument(workspace, file);
}

/** Gives a node an area: `[width, height]`. */
export const resize = (document, node, [width, height]) =>
  edit.setProperties(document, `${node}:cc.UITransform`, { contentSize: size(width, height) });
