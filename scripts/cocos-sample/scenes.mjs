// The scenes of the sample.
import * as edit from '../../packages/cocos/dist/edit/index.js';
import { addLabel, addSprite, addWidget, at, openNew, resize, size } from './parts.mjs';
import { addButton, dialogPrefab, itemPrefab } from './prefabs.mjs';

function addBackground(scene, color) {
  const place = { name: 'Background', parent: 'Canvas', size: size(960, 640) };
  addSprite(scene, { image: 'sky', color, ...place });
  addWidget(scene, 'Canvas/Background', { alignFlags: ['TOP', 'BOT', 'LEFT', 'RIGHT'] });
}

export function makeMenu(workspace) {
  const scene = openNew(workspace, 'assets/scenes/menu.scene');
  addBackground(scene, '#ffffff');
  edit.createNode(scene, {
    name: 'Stars',
    parent: 'Canvas',
    element: 'Node',
    size: size(960, 640),
  });
  const stars = [
    [-380, 210, 15, 1],
    [-300, 60, -20, 0.6],
    [350, 230, 30, 1.2],
    [290, 20, -12, 0.7],
    [400, -160, 8, 0.9],
    [-390, -190, 40, 0.8],
  ];
  for (const [x, y, turn, scale] of stars) {
    const star = addSprite(scene, {
      name: 'Star',
      parent: 'Canvas/Stars',
      size: size(58, 56),
      position: at(x, y),
      rotation: { x: 0, y: 0, z: turn },
      scale: { x: scale, y: scale, z: 1 },
      image: 'star',
    });
    const opacity = scale < 0.8 ? 150 : 255;
    edit.addComponent(scene, star, { type: 'cc.UIOpacity', properties: { opacity } });
  }
  const title = { name: 'Title', parent: 'Canvas', size: size(720, 100), position: at(0, 210) };
  const outlined = { isBold: true, enableOutline: true, outlineColor: '#5a3a86', outlineWidth: 4 };
  addLabel(scene, {
    text: 'Star Catcher',
    fontSize: 76,
    color: '#ffe27a',
    look: outlined,
    ...title,
  });
  const panel = { name: 'Menu', parent: 'Canvas', size: size(320, 292), position: at(0, -40) };
  addSprite(scene, { image: 'panel', sliced: true, ...panel });
  edit.addComponent(scene, 'Canvas/Menu', {
    type: 'cc.Layout',
    properties: { type: 'VERTICAL', paddingTop: 30, paddingBottom: 30, spacingY: 20 },
  });
  edit.addComponent(scene, 'Canvas', { type: 'MenuView', properties: { title: 'Canvas/Title' } });
  for (const [index, name] of ['Play', 'Settings', 'Quit'].entries())
    addButton(scene, {
      name,
      text: name,
      parent: 'Canvas/Menu',
      position: at(0, 84 - 84 * index),
      calls: ['Canvas', 'MenuView', `on${name}`],
    });
  const corner = {
    name: 'Version',
    parent: 'Canvas',
    size: size(160, 28),
    position: at(388, -294),
  };
  const right = { horizontalAlign: 'RIGHT' };
  addLabel(scene, { text: 'v1.0.0', fontSize: 20, color: '#ffffffb0', look: right, ...corner });
  addWidget(scene, 'Canvas/Version', { alignFlags: ['BOT', 'RIGHT'], right: 12, bottom: 12 });
  addDialog(scene, 'SettingsDialog', {
    title: 'Settings',
    message: 'There is nothing to set yet.',
  });
  edit.setProperties(scene, 'Canvas:MenuView', { settings: 'Canvas/SettingsDialog' });
}

/** A dialog of the prefab with its texts, hidden until it is needed. */
function addDialog(scene, name, { title, message }) {
  edit.instantiatePrefab(scene, { prefab: dialogPrefab, parent: 'Canvas', name });
  const box = `Canvas/${name}/Box`;
  edit.setProperties(scene, `${box}/Title:cc.Label`, { string: title });
  edit.setProperties(scene, `${box}/Message:cc.Label`, { string: message });
  edit.updateNode(scene, `Canvas/${name}`, { active: false });
}

export function makeGame(workspace) {
  const scene = openNew(workspace, 'assets/scenes/game.scene');
  addBackground(scene, '#b8c4ff');
  addTopBar(scene);
  addRanking(scene);
  const hint = { name: 'Hint', parent: 'Canvas', element: 'RichText', position: at(-150, -280) };
  edit.createNode(scene, { ...hint, size: size(420, 40) });
  edit.setProperties(scene, 'Canvas/Hint:cc.RichText', {
    string: 'Catch <color=#ffe27a><b>stars</b></color>, avoid <color=#ff8a9a>comets</color>!',
    fontSize: 26,
    lineHeight: 40,
    horizontalAlign: 'CENTER',
  });
  addDialog(scene, 'PauseDialog', { title: 'Paused', message: 'Take a breath.' });
  const hearts = [0, 1, 2].map((index) => `Canvas/TopBar/Hearts/Heart${index + 1}`);
  edit.addComponent(scene, 'Canvas', {
    type: 'HudView',
    properties: {
      score: 'Canvas/TopBar/Score',
      health: 'Canvas/TopBar/Health',
      ranking: 'Canvas/Ranking/view/content',
      itemPrefab,
      pauseDialog: 'Canvas/PauseDialog',
      hearts,
    },
  });
  addButton(scene, {
    name: 'Pause',
    text: 'II',
    parent: 'Canvas/TopBar',
    position: at(424, 0),
    scale: { x: 0.75, y: 0.75, z: 1 },
    calls: ['Canvas', 'HudView', 'onPause'],
  });
  resize(scene, 'Canvas/TopBar/Pause', [80, 64]);
  resize(scene, 'Canvas/TopBar/Pause/Label', [60, 48]);
}

function addTopBar(scene) {
  const bar = { name: 'TopBar', parent: 'Canvas', size: size(960, 84), position: at(0, 278) };
  addSprite(scene, { image: 'panel', sliced: true, ...bar });
  const alignFlags = ['TOP', 'LEFT', 'RIGHT'];
  addWidget(scene, 'Canvas/TopBar', { alignFlags });
  const inBar = { parent: 'Canvas/TopBar' };
  const avatar = { name: 'Avatar', element: 'Mask', size: size(64, 64), position: at(-430, 0) };
  edit.createNode(scene, { ...inBar, ...avatar });
  edit.setProperties(scene, 'Canvas/TopBar/Avatar:cc.Mask', { type: 'GRAPHICS_ELLIPSE' });
  const portrait = { name: 'Portrait', parent: 'Canvas/TopBar/Avatar', size: size(64, 64) };
  addSprite(scene, { image: 'portrait', ...portrait });
  const health = { name: 'Health', element: 'ProgressBar', position: at(-230, 14) };
  edit.createNode(scene, { ...inBar, ...health });
  edit.setProperties(scene, 'Canvas/TopBar/Health/Bar:cc.Sprite', { color: '#5ecb6b' });
  edit.setProperties(scene, 'Canvas/TopBar/Health:cc.ProgressBar', { progress: 0.5 });
  const row = { name: 'Hearts', element: 'Layout', size: size(108, 32), position: at(-326, -16) };
  edit.createNode(scene, { ...inBar, ...row });
  edit.setProperties(scene, 'Canvas/TopBar/Hearts:cc.Layout', { type: 'HORIZONTAL', spacingX: 8 });
  for (const index of [0, 1, 2])
    addSprite(scene, {
      name: `Heart${index + 1}`,
      parent: 'Canvas/TopBar/Hearts',
      image: 'heart',
      size: size(30, 28),
      position: at(-39 + 38 * index, 0),
    });
  const score = { name: 'Score', size: size(240, 48), position: at(130, 0) };
  const bold = { isBold: true, horizontalAlign: 'RIGHT' };
  addLabel(scene, { text: '12 480', fontSize: 36, look: bold, ...inBar, ...score });
}

function addRanking(scene) {
  const place = { name: 'Ranking', parent: 'Canvas', element: 'ScrollView' };
  edit.createNode(scene, { ...place, size: size(280, 320), position: at(320, 50) });
  const inside = 'Canvas/Ranking/view/content';
  resize(scene, 'Canvas/Ranking/view', [280, 320]);
  resize(scene, 'Canvas/Ranking/scrollBar', [12, 320]);
  resize(scene, inside, [264, 400]);
  resize(scene, 'Canvas/Ranking/scrollBar/bar', [10, 256]);
  edit.setTransform(scene, 'Canvas/Ranking/scrollBar/bar', { position: at(-11, -96) });
  edit.setTransform(scene, inside, { position: at(-6, 160) });
  edit.setTransform(scene, 'Canvas/Ranking/scrollBar', { position: at(140, 0) });
  const players = [
    ['Ada', '15 200'],
    ['Linus', '12 480'],
    ['Grace', '9 310'],
    ['Alan', '7 040'],
    ['Edsger', '5 555'],
  ];
  for (const [index, [name, score]] of players.entries()) {
    const position = at(0, -32 - index * 54);
    const item = { prefab: itemPrefab, parent: inside, name: `Line${index + 1}`, position };
    edit.instantiatePrefab(scene, item);
    edit.setProperties(scene, `${inside}/Line${index + 1}/Name:cc.Label`, { string: name });
    edit.setProperties(scene, `${inside}/Line${index + 1}/Score:cc.Label`, { string: score });
  }
  edit.setProperties(scene, `${inside}/Line2:cc.Sprite`, { color: '#ffe27a' });
}
