// Writes a large project of Cocos Creator, the same in every run: scenes, prefabs, images, scripts and data.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { withUuids } from '../../../packages/cocos/dist/document/index.js';
import {
  addComponent,
  assignSprite,
  createNode,
  createPrefab,
  createScene,
  importImage,
  instantiatePrefab,
  openDocument,
  openWorkspace,
  setProperties,
} from '../../../packages/cocos/dist/edit/index.js';
import { openProject } from '../../../packages/cocos/dist/project/index.js';

/** The scene with most nodes. */
export const largeScene = 'assets/scenes/large.scene';

/** A scene with nothing in it. */
export const emptyScene = 'assets/scenes/empty.scene';

/** A uuid that is the same for the same name. */
function uuidFor(name) {
  const hex = createHash('md5').update(name).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
}

function countingUuids() {
  let count = 0;
  return () => uuidFor(`object ${count++}`);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A square of one colour, as a PNG. */
export function squarePng(side, [red, green, blue]) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 6], 8);
  const row = Buffer.alloc(1 + side * 4);
  for (let x = 0; x < side; x++) row.set([red, green, blue, 255], 1 + x * 4);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const end = Buffer.alloc(0);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', end)]);
}

function writeAt(folder, name, text) {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function writeAsset(folder, { name, importer, text }) {
  const uuid = uuidFor(name);
  const meta = {
    ver: '1.0.0',
    importer,
    imported: true,
    uuid,
    files: [],
    subMetas: {},
    userData: {},
  };
  if (text !== undefined) writeAt(folder, name, text);
  else mkdirSync(path.join(folder, name), { recursive: true });
  writeAt(folder, `${name}.meta`, `${JSON.stringify(meta, null, 2)}\n`);
}

const scriptText = (name) => `import { _decorator, Component, Label, Node } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('${name}')
export class ${name} extends Component {
  @property(Label)
  title: Label | null = null;

  @property([Node])
  items: Node[] = [];

  @property
  speed = 1;

  onPressed(): void {
    this.speed += 1;
  }
}
`;

/** What needs no scene: folders, scripts and data. */
function writeFiles(folder, { scripts, data }) {
  const manifest = {
    name: 'large-game',
    uuid: uuidFor('large-game'),
    version: '3.8.6',
    creator: { version: '3.8.6' },
  };
  writeAt(folder, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of ['scripts', 'data', 'images', 'prefabs', 'scenes']) {
    writeAsset(folder, { name: `assets/${name}`, importer: 'directory' });
  }
  for (let index = 0; index < scripts; index++) {
    const name = `Behaviour${index}`;
    const text = scriptText(name);
    writeAsset(folder, { name: `assets/scripts/${name}.ts`, importer: 'typescript', text });
  }
  for (let index = 0; index < data; index++) {
    const text = JSON.stringify({ index });
    writeAsset(folder, { name: `assets/data/level-${index}.json`, importer: 'json', text });
  }
}

async function importImages(workspace, count, uuids) {
  for (let index = 0; index < count; index++) {
    const bytes = squarePng(8, [index % 256, (index * 7) % 256, (index * 31) % 256]);
    const path = `assets/images/icon-${index}.png`;
    const image = { bytes, path, type: 'sprite-frame', onConflict: 'fail' };
    await withUuids(uuids, () => importImage(workspace, image));
  }
}

/** A panel of eight nodes: a background, two texts, an icon, a button, and two that hold nothing yet. */
function addPanel(document, parent, { name, images, at }) {
  const { node: panel } = createNode(document, { parent, name, element: 'Sprite' });
  const image = `assets/images/icon-${at % images}.png`;
  assignSprite(document, panel, { spriteFrame: image, sizeMode: 'CUSTOM' });
  const { node: title } = createNode(document, { parent: panel, name: 'Title', element: 'Label' });
  setProperties(document, `${title}:cc.Label`, { string: `Panel ${at}` });
  for (const [child, element] of Object.entries(panelParts)) {
    createNode(document, { parent: panel, name: child, element });
  }
  return panel;
}

/** A button brings a label. */
const panelParts = { Icon: 'Sprite', Value: 'Label', Open: 'Button', Slot: 'Node', Badge: 'Node' };

function makePrefabs(workspace, { prefabs, images }) {
  const scene = createScene(workspace, { path: 'assets/scenes/main.scene' });
  const document = openDocument(workspace, scene.path);
  const paths = [];
  for (let index = 0; index < prefabs; index++) {
    const name = `panel-${index}`;
    const panel = addPanel(document, 'Canvas', { name, images, at: index });
    const made = createPrefab(document, panel, { path: `assets/prefabs/${name}.prefab` });
    paths.push(made.path);
  }
  return paths;
}

function makeScene(workspace, { nodes, images, prefabs, scripts }) {
  createScene(workspace, { path: emptyScene, empty: true });
  createScene(workspace, { path: largeScene });
  const document = openDocument(workspace, largeScene);
  const count = () => [...document.view.items()].filter(({ kind }) => kind === 'node').length;
  const perPanel = 8;
  let made = count();
  for (let at = 0; made < nodes - 100; at++) {
    const { node: group } = createNode(document, { parent: 'Canvas', name: `Group${at}` });
    made += 1;
    for (let index = 0; index < 10 && made < nodes - 100; index++) {
      const panel = addPanel(document, group, {
        name: `Panel${index}`,
        images,
        at: at * 10 + index,
      });
      if (index === 0) addComponent(document, panel, { type: `Behaviour${at % scripts}` });
      made += perPanel;
    }
  }
  const { node: shelf } = createNode(document, { parent: 'Canvas', name: 'Shelf' });
  for (let at = 0; at < 10; at++) {
    const prefab = prefabs[at % prefabs.length];
    instantiatePrefab(document, { prefab, parent: shelf, name: `Item${at}` });
  }
  for (let at = 0; count() < nodes; at++) {
    createNode(document, { parent: shelf, name: `Mark${at}` });
    if (at > 200) break;
  }
  return count();
}

/**
 * Writes the project into an empty folder; answers how many nodes its largest scene and how many assets it has.
 * `nodes` and `assets` are as many as wanted at least.
 */
export async function makeLargeProject(folder, { nodes = 5000, assets = 2000 } = {}) {
  const prefabs = Math.max(1, Math.round(assets / 20));
  const scripts = Math.max(1, Math.round(assets / 20));
  const data = Math.round(assets / 4);
  const images = assets - prefabs - scripts - data;
  writeFiles(folder, { scripts, data });
  const project = await openProject(folder);
  try {
    const uuids = countingUuids();
    const first = await openWorkspace(project);
    await importImages(first, images, uuids);
    await project.commit(first.draft, 'images');
    const second = await openWorkspace(project);
    const made = withUuids(uuids, () => {
      const paths = makePrefabs(second, { prefabs, images });
      return makeScene(second, { nodes, images, prefabs: paths, scripts });
    });
    await project.commit(second.draft, 'scenes');
    return { nodes: made, assets: [...project.assets()].length };
  } finally {
    project[Symbol.dispose]();
  }
}
