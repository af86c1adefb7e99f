import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CocosBackend, type Edit, openHeadless } from '@mcp-kit/cocos/backend';
import type { ToolExample } from 'mcp-kit/tools';
import { borderedPng } from './game.ts';
import { inMemory, metaFor, TestProject } from './project.ts';
import { sampleFolder } from './sample-project.ts';

const menuSource = `
import { _decorator, Component, Label, Node, SpriteFrame } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('Menu')
export class Menu extends Component {
  @property(Node) panel: Node = null;
  @property(Label) heading: Label = null;
  @property(SpriteFrame) icon: SpriteFrame = null;
  onStart() {}
}
`;

const playerSource = `
import { _decorator, Component } from 'cc';
const { ccclass, property } = _decorator;

@ccclass('Player')
export class Player extends Component {
  @property speed = 3;
  @property title = 'go';
}
`;

/** What a small project has in it. */
const edits: readonly Edit[] = [
  { op: 'create_scene', assetPath: 'assets/scenes/main.scene' },
  {
    op: 'import_image',
    sourcePath: 'art/logo.png',
    assetPath: 'assets/images/logo.png',
    type: 'sprite-frame',
  },
  {
    op: 'import_image',
    sourcePath: 'art/spare.png',
    assetPath: 'assets/images/spare.png',
    type: 'sprite-frame',
  },
  { op: 'create_node', name: 'World', element: 'Empty' },
  { op: 'create_node', name: 'Menu', element: 'Node', parentUuid: 'Canvas' },
  { op: 'create_node', name: 'Title', element: 'Label', parentUuid: 'Canvas/Menu' },
  { op: 'create_node', name: 'Start', element: 'Button', parentUuid: 'Canvas/Menu' },
  { op: 'create_node', name: 'Logo', element: 'Sprite', parentUuid: 'Canvas/Menu' },
  { op: 'assign_sprite', nodeUuid: 'Canvas/Menu/Logo', spriteFrame: 'assets/images/logo.png' },
  { op: 'create_node', name: 'Item', element: 'Node', parentUuid: 'Canvas' },
  { op: 'create_node', name: 'Icon', element: 'Sprite', parentUuid: 'Canvas/Item' },
  { op: 'create_node', name: 'Text', element: 'Label', parentUuid: 'Canvas/Item' },
  { op: 'create_prefab', nodeUuid: 'Canvas/Item', assetPath: 'assets/prefabs/item.prefab' },
  {
    op: 'set_properties',
    componentUuid: 'Canvas/Item/Text:cc.Label',
    properties: { string: 'Sword' },
  },
  { op: 'create_node', name: 'Other', element: 'Node', parentUuid: 'Canvas' },
  { op: 'create_prefab', nodeUuid: 'Canvas/Other', assetPath: 'assets/prefabs/other.prefab' },
];

/** Makes a small project, by the engine itself. */
async function makeTemplate(): Promise<Record<string, string>> {
  using project = new TestProject();
  rmSync(path.join(project.folder, 'assets/main.scene'));
  rmSync(path.join(project.folder, 'assets/main.scene.meta'));
  project.write({
    'assets/scripts.meta': metaFor('scripts', 'directory'),
    'assets/scripts/menu.ts': menuSource,
    'assets/scripts/menu.ts.meta': metaFor('menu', 'typescript'),
    'assets/scripts/player.ts': playerSource,
    'assets/scripts/player.ts.meta': metaFor('player', 'typescript'),
    'art/logo.png': borderedPng(8, 6),
    'art/spare.png': borderedPng(9, 7),
    'art/coin.png': borderedPng(12, 10),
  });
  await using backend = await openHeadless(project.folder);
  const planned = await backend.plan(edits, {
    document: 'assets/scenes/main.scene',
    newId: (label) => `template ${label}`,
  });
  await planned.commit('template');
  const text = project.read('assets/scenes/main.scene');
  project.write({
    'assets/scenes/broken.scene': text.replace('"_children": [', '"_children": [null, '),
    'assets/scenes/broken.scene.meta': metaFor('broken', 'scene'),
    'assets/scenes/torn.scene': text.replace(
      /[-0-9a-f]{36}@f9941/,
      `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}@f9941`,
    ),
    'assets/scenes/torn.scene.meta': metaFor('torn', 'scene'),
  });
  return project.snapshot();
}

type OpenBackend = (folder: string) => Promise<CocosBackend>;

/** A copy of that project, or of the sample, and the engine on it, which opens when first used. */
export class CocosWorld implements AsyncDisposable {
  readonly folder: string;
  readonly backend: CocosBackend;
  #opened: Promise<CocosBackend> | undefined;

  /** With the project opened otherwise than by the files alone, where that is given. */
  constructor(
    open: OpenBackend = openHeadless,
    files: Readonly<Record<string, string>> = template,
  ) {
    this.folder = mkdtempSync(path.join(inMemory, 'cocos-world-'));
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.folder, name);
      if (name.endsWith('/')) {
        mkdirSync(file, { recursive: true });
      } else {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, content, 'base64');
      }
    }
    this.backend = lazily(() => (this.#opened ??= open(this.folder)));
  }

  /** The sample project: what the examples of the tools are about. */
  static ofSample(open?: OpenBackend): CocosWorld {
    return new CocosWorld(open, sampleFiles);
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'utf8');
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(path.join(this.folder, name), content);
  }

  /** All files of the project, but not what is kept for undoing. */
  snapshot(): Record<string, string> {
    return filesIn(this.folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened;
    await opened?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** All files below a folder, but not what is kept for undoing; folders end with a slash. */
function filesIn(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).replaceAll('\\', '/');
    if (name.startsWith('local')) continue;
    if (entry.isFile()) found[name] = readFileSync(file, 'base64');
    else found[`${name}/`] = '';
  }
  return found;
}

const template = await makeTemplate();
const sampleFiles = filesIn(sampleFolder);

/** What the titles of examples say that was before, and how it comes about. */
const preparations: Readonly<Record<string, (world: CocosWorld) => unknown>> = {
  'Before a scene is opened': () => undefined,
  'Before anything is written': () => undefined,
  // Who runs an example asks for the project first.
  'After a call': () => undefined,
  async 'After a write'({ backend }) {
    const edit = { op: 'create_folder', assetPath: 'assets/levels' } as const;
    const planned = await backend.plan([edit], { newId: (label) => label });
    await planned.commit('a folder');
  },
  'After a merge went wrong'(world) {
    const scene = 'assets/scenes/menu.scene';
    world.write(scene, world.read(scene).replace('"_children": [', '"_children": [null, '));
  },
  'After a texture was lost'({ folder }) {
    const image = path.join(folder, 'assets/textures/star.png');
    for (const file of [image, `${image}.meta`]) rmSync(file);
  },
};

/** Makes a copy of the sample so that an example ends as it says. */
export async function prepareExample(world: CocosWorld, example: ToolExample): Promise<void> {
  const [when = ''] = (example.title ?? '').split(', ');
  if (!/^(After|Before) /.test(when)) return;
  const prepare = preparations[when];
  if (prepare === undefined) throw new Error(`Nobody knows how it comes to "${when}"`);
  await prepare(world);
}

function lazily(open: () => Promise<CocosBackend>): CocosBackend {
  const keys: CocosBackend['keys'] = {
    known: async (key) => (await open()).keys.known(key),
    remember: async (note) => (await open()).keys.remember(note),
    forget: async (key, expected) => (await open()).keys.forget(key, expected),
  };
  return new Proxy({ kind: 'headless', keys } as CocosBackend, {
    get(target, name) {
      if (name === 'kind' || name === 'keys') return target[name];
      return async (...args: unknown[]) => {
        const backend = await open();
        const method: unknown = Reflect.get(backend, name);
        return typeof method === 'function' ? Reflect.apply(method, backend, args) : method;
      };
    },
  });
}
