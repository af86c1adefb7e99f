// The prefabs of the sample.
import * as edit from '../../packages/cocos/dist/edit/index.js';
import { addLabel, addSprite, addWidget, at, drawSprite, openNew, resize, size } from './parts.mjs';

const buttonPrefab = 'assets/prefabs/button.prefab';
export const dialogPrefab = 'assets/prefabs/dialog.prefab';
export const itemPrefab = 'assets/prefabs/list-item.prefab';

export function makeButton(workspace) {
  const prefab = openNew(workspace, buttonPrefab);
  resize(prefab, '/', [240, 64]);
  drawSprite(prefab, '/', { image: 'button', sliced: true });
  const scaled = { transition: 'SCALE', zoomScale: 0.95, target: '/' };
  edit.addComponent(prefab, '/', { type: 'cc.Button', properties: scaled });
  const place = { name: 'Label', parent: '/', size: size(216, 48), position: at(0, 2) };
  addLabel(prefab, { text: 'Button', fontSize: 28, look: { isBold: true }, ...place });
}

/** A button of the prefab with a text and something that it calls. */
export function addButton(document, { text, calls: [target, component, handler], ...placement }) {
  const { node } = edit.instantiatePrefab(document, { prefab: buttonPrefab, ...placement });
  const button = document.view.path(document.view.get(node).index);
  edit.setProperties(document, `${button}/Label:cc.Label`, { string: text });
  edit.setProperties(document, `${button}:cc.Button`, {
    clickEvents: [{ target, component, handler }],
  });
  return button;
}

export function makeDialog(workspace) {
  const prefab = openNew(workspace, dialogPrefab);
  resize(prefab, '/', [960, 640]);
  edit.addComponent(prefab, '/', { type: 'cc.BlockInputEvents' });
  addSprite(prefab, {
    name: 'Shade',
    parent: '/',
    size: size(960, 640),
    image: 'panel',
    sliced: true,
    color: '#00000090',
  });
  edit.setProperties(prefab, 'Shade:cc.Sprite', {
    spriteFrame: 'db://internal/default_ui/default_sprite_splash.png',
  });
  addWidget(prefab, 'Shade', { alignFlags: ['TOP', 'BOT', 'LEFT', 'RIGHT'] });
  addSprite(prefab, {
    name: 'Box',
    parent: '/',
    size: size(480, 300),
    image: 'panel',
    sliced: true,
  });
  const title = { name: 'Title', parent: 'Box', size: size(440, 48), position: at(0, 108) };
  addLabel(prefab, { text: 'Title', fontSize: 36, look: { isBold: true }, ...title });
  const message = { name: 'Message', parent: 'Box', size: size(420, 110), position: at(0, 20) };
  addLabel(prefab, { text: 'What there is to say.', fontSize: 24, ...message });
  edit.addComponent(prefab, '/', {
    type: 'DialogView',
    properties: { title: 'Box/Title', message: 'Box/Message' },
  });
  const place = { name: 'Close', parent: 'Box', position: at(0, -94) };
  addButton(prefab, { text: 'Close', calls: ['/', 'DialogView', 'onClose'], ...place });
}

export function makeListItem(workspace) {
  const prefab = openNew(workspace, itemPrefab);
  resize(prefab, '/', [248, 48]);
  drawSprite(prefab, '/', { image: 'panel', sliced: true });
  addSprite(prefab, {
    name: 'Star',
    parent: '/',
    size: size(30, 30),
    position: at(-100, 0),
    image: 'star',
  });
  const name = { name: 'Name', parent: '/', size: size(120, 36), position: at(-18, 0) };
  addLabel(prefab, { text: 'Player', fontSize: 22, look: { horizontalAlign: 'LEFT' }, ...name });
  const score = { name: 'Score', parent: '/', size: size(70, 36), position: at(80, 0) };
  addLabel(prefab, { text: '0', fontSize: 22, look: { horizontalAlign: 'RIGHT' }, ...score });
  edit.addComponent(prefab, '/', {
    type: 'ListItem',
    properties: { playerName: 'Name', score: 'Score' },
  });
}
