import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { scriptTypeOf } from '@mcp-kit/cocos/document';
import { openWorkspace } from '@mcp-kit/cocos/edit';
import { openProject } from '@mcp-kit/cocos/project';
import { cocosToolList } from '@mcp-kit/cocos/tools';
import { validateProject, type Report } from '@mcp-kit/cocos/validate';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { inMemory } from '../support/cocos/project.ts';
import { CocosWorld } from '../support/cocos/world.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

/** Objects of a file as they are, read without any of our own code. */
type Objects = readonly Readonly<Record<string, unknown>>[];

const folder = path.join(root, 'examples/cocos');
const examples = readdirSync(folder);

/** A task, from the first call of a client over the wire to the files that are left. */
class Chain implements Disposable {
  readonly folder = mkdtempSync(path.join(inMemory, 'cocos-chain-'));

  /** Runs an example; what it printed. */
  async run(name: string): Promise<string> {
    const file = path.join(folder, name);
    const project = path.join(this.folder, 'project');
    await using child = new Child(process.execPath, [file, '--project', project]);
    const { code } = await child.ended;
    if (code !== 0 || child.stderr !== '') {
      throw new Error(`${name} ended with ${code}: ${child.stderr}`);
    }
    return child.stdout;
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, 'project', name), 'utf8');
  }

  objects(name: string): Objects {
    const text = this.read(name);
    const objects = JSON.parse(text) as Objects;
    if (JSON.stringify(objects, null, 2) !== text) {
      throw new Error(`the editor writes ${name} otherwise`);
    }
    return objects;
  }

  async validate(): Promise<Report> {
    using project = await openProject(path.join(this.folder, 'project'));
    return validateProject(await openWorkspace(project));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function at(objects: Objects, ref: unknown): Readonly<Record<string, unknown>> {
  const index = (ref as { readonly __id__: number }).__id__;
  const found = objects[index];
  if (found === undefined) throw new Error(`no object ${index}`);
  return found;
}

function node(objects: Objects, name: string): Readonly<Record<string, unknown>> {
  const found = objects.find((each) => each['__type__'] === 'cc.Node' && each['_name'] === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
}

function component(
  objects: Objects,
  name: string,
  type: string,
): Readonly<Record<string, unknown>> {
  const refs = node(objects, name)['_components'] as readonly unknown[];
  const found = refs.map((ref) => at(objects, ref)).find((each) => each['__type__'] === type);
  if (found === undefined) throw new Error(`${name} has no ${type}`);
  return found;
}

const all = (objects: Objects, type: string): Objects =>
  objects.filter((each) => each['__type__'] === type);

interface Meta {
  readonly uuid: string;
  readonly subMetas: Readonly<Record<string, { readonly userData: object }>>;
}

/** What is to be seen of each task in the files, besides that nothing is wrong with them. */
const outcomes: Readonly<Record<string, (chain: Chain, printed: string) => void>> = {
  'menu.mjs'(chain) {
    const objects = chain.objects('assets/scenes/first-menu.scene');
    const { uuid } = JSON.parse(chain.read('assets/scripts/menu-view.ts.meta')) as Meta;
    const script = component(objects, 'Canvas', scriptTypeOf(uuid));
    expect(at(objects, script['title'])).toBe(component(objects, 'Title', 'cc.Label'));
    const events = all(objects, 'cc.ClickEvent');
    expect(events.map(({ handler }) => handler)).toEqual(['onPlay', 'onSettings', 'onQuit']);
    for (const event of events) {
      expect(event['_componentId']).toBe(scriptTypeOf(uuid));
      expect(at(objects, event['target'])).toBe(node(objects, 'Canvas'));
    }
  },
  'hud.mjs'(chain, printed) {
    expect(printed).toContain('one node: E_CONFLICT, and 0 nodes are left of it');
    const objects = chain.objects('assets/scenes/level.scene');
    expect(component(objects, 'Score', 'cc.Widget')).toMatchObject({
      _alignFlags: 1 | 8,
      _top: 20,
      _left: 24,
    });
    expect(component(objects, 'Health', 'cc.ProgressBar')).toMatchObject({ _progress: 0.75 });
    const { uuid } = JSON.parse(chain.read('assets/textures/heart.png.meta')) as Meta;
    expect(component(objects, 'Heart2', 'cc.Sprite')['_spriteFrame']).toEqual({
      __uuid__: `${uuid}@f9941`,
      __expectedType__: 'cc.SpriteFrame',
    });
  },
  'list.mjs'(chain, printed) {
    const objects = chain.objects('assets/scenes/ranking.scene');
    const instances = all(objects, 'cc.PrefabInstance');
    expect(instances).toHaveLength(5);
    const scene = all(objects, 'cc.Scene')[0];
    const { nestedPrefabInstanceRoots } = at(objects, scene?.['_prefab']);
    expect(nestedPrefabInstanceRoots).toHaveLength(5);
    const texts = all(objects, 'CCPropertyOverrideInfo').filter(
      ({ propertyPath }) => String(propertyPath) === '_string',
    );
    expect(texts.map(({ value }) => value)).toEqual([
      'Ada',
      'Grace',
      'Edsger',
      'Barbara',
      'Niklaus',
    ]);
    const colors = all(objects, 'CCPropertyOverrideInfo').filter(
      ({ propertyPath }) => String(propertyPath) === '_color',
    );
    expect(colors.map(({ value }) => value)).toMatchObject([{ r: 255, g: 226, b: 122 }]);
    expect(printed).toContain('As an instance of another prefab: E_CONFLICT');
  },
  'dialog.mjs'(chain, printed) {
    const prefab = chain.objects('assets/prefabs/question.prefab');
    expect(component(prefab, 'Text', 'cc.Label')).toMatchObject({ _string: 'Are you sure?' });
    expect(component(prefab, 'question', 'cc.Sprite')).toMatchObject({ _type: 1, _sizeMode: 0 });
    expect(all(prefab, 'cc.PrefabInfo')).toHaveLength(all(prefab, 'cc.Node').length);
    expect(printed).toContain('In the scene: Are you sure?');
    expect(printed).toContain('inactive');
  },
  'settings.mjs'(chain) {
    const objects = chain.objects('assets/scenes/settings.scene');
    expect(component(objects, 'Volume', 'cc.Slider')).toMatchObject({ _progress: 0.6 });
    expect(component(objects, 'Music', 'cc.Toggle')).toMatchObject({ _isChecked: true });
    expect(component(objects, 'Vibration', 'cc.Toggle')).toMatchObject({ _isChecked: false });
    expect(component(objects, 'PlayerName', 'cc.EditBox')).toMatchObject({ _maxLength: 12 });
  },
  'prefab-overrides.mjs'(chain, printed) {
    const prefab = chain.objects('assets/prefabs/coin.prefab');
    expect(component(prefab, 'coin', 'cc.Sprite')['_color']).toMatchObject({
      r: 255,
      g: 215,
      b: 0,
    });
    expect(printed).toContain('Both are #ffd700 #ffd700');
    // What every instance has of its own, and nothing else.
    const objects = chain.objects('assets/scenes/coins.scene');
    expect(all(objects, 'CCPropertyOverrideInfo')).toHaveLength(8);
  },
  'import-sprites.mjs'(chain, printed) {
    const meta = JSON.parse(chain.read('assets/art/badge.png.meta')) as Meta;
    const heart = JSON.parse(chain.read('assets/textures/heart.png.meta')) as Meta;
    // The same picture, but for the image that it is of.
    const frameOf = ({ uuid, subMetas }: Meta): string =>
      JSON.stringify(subMetas['f9941']?.userData).replaceAll(uuid, '');
    expect(frameOf(meta)).toBe(frameOf(heart));
    expect(printed).toMatch(/again: nothing to do\nOther bytes: the same uuid\n/);
  },
  'bind-script.mjs'(chain) {
    const objects = chain.objects('assets/scenes/playing.scene');
    const { uuid } = JSON.parse(chain.read('assets/scripts/hud-view.ts.meta')) as Meta;
    const script = component(objects, 'Canvas', scriptTypeOf(uuid));
    expect(script['lives']).toBe(5);
    const hearts = script['hearts'] as readonly unknown[];
    expect(hearts.map((ref) => at(objects, ref)['_name'])).toEqual(['Score', 'Ranking']);
    // What it refers to is inside an instance.
    expect(all(objects, 'cc.TargetOverrideInfo')).toHaveLength(1);
    expect(all(objects, 'cc.TargetOverrideInfo')[0]?.['propertyPath']).toEqual(['pauseDialog']);
  },
  'place-nodes.mjs'(chain, printed) {
    const objects = chain.objects('assets/scenes/menu.scene');
    expect(node(objects, 'Title')['_lpos']).toMatchObject({ x: 0, y: 240, z: 0 });
    const stars = all(objects, 'cc.Node').filter(({ _name }) => _name === 'Star');
    expect(stars.map(({ _lpos }) => _lpos)).toMatchObject([
      { x: 260, y: 0 },
      { x: 130, y: 225 },
      { x: -130, y: 225 },
      { x: -260, y: 0 },
      { x: -130, y: -225 },
      { x: 130, y: -225 },
    ]);
    expect(printed).toContain('The title would go from 210 up to 240');
    expect(printed).toMatch(/A button in a Layout: .*Layout/);
    expect(printed).toContain('Where warnings are failures: E_PRECONDITION_FAILED');
  },
  'open-and-validate.mjs'(chain, printed) {
    expect(printed).toContain(
      'Only without errors: E_PRECONDITION_FAILED; open is still assets/scenes/game.scene',
    );
    expect(printed).toMatch(/errors; the first: missing\w+ at Canvas\/Stars\/Star/);
    expect(printed).toContain('The star is back, valid: true; open is assets/scenes/menu.scene');
    for (const name of ['assets/textures/star.png.meta', 'assets/scenes/menu.scene']) {
      const original = path.join(root, 'packages/cocos/sample', name);
      expect(chain.read(name)).toBe(readFileSync(original, 'utf8'));
    }
  },
  'repair.mjs'(chain) {
    const original = path.join(root, 'packages/cocos/sample/assets/scenes/menu.scene');
    expect(chain.read('assets/scenes/menu.scene')).toBe(readFileSync(original, 'utf8'));
  },
  'move-assets.mjs'(chain, printed) {
    expect(printed).toContain('The same uuid: true');
    const heart = JSON.parse(chain.read('assets/art/heart.png.meta')) as Meta;
    const objects = chain.objects('assets/scenes/menu.scene');
    expect(component(objects, 'Star', 'cc.Sprite')['_spriteFrame']).toMatchObject({
      __uuid__: `${heart.uuid}@f9941`,
    });
    expect(() => chain.read('assets/art/icons/star.png')).toThrow('ENOENT');
    expect(() => chain.read('assets/textures/heart.png')).toThrow('ENOENT');
  },
  'undo.mjs'(chain, printed) {
    expect(printed).toContain('A plan that something else overtook: E_CONFLICT');
    expect(printed).toContain('Copied once: true');
    expect(printed).toContain('As it was, byte for byte: true');
  },
  'tile-map.mjs'(chain, printed) {
    const objects = chain.objects('assets/scenes/board.scene');
    expect(node(objects, 'Board')['_children']).toHaveLength(48);
    expect(node(objects, 'Tile0')['_lpos']).toMatchObject({ x: -245, y: 175, z: 0 });
    expect(printed).toContain('48 tiles');
  },
  'two-clients.mjs'(chain) {
    const objects = chain.objects('assets/scenes/together.scene');
    const names = all(objects, 'cc.Node').map(({ _name }) => String(_name));
    expect(names.filter((name) => /^(Left|Right)\d$/.test(name))).toHaveLength(10);
  },
};

describe('a task over MCP', () => {
  oneIn(3)(examples)('%s ends with files that are right', async (name) => {
    using chain = new Chain();
    const printed = await chain.run(name);
    const { findings } = await chain.validate();
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    const look = outcomes[name];
    if (look === undefined) throw new Error(`Nobody looks at what ${name} does.`);
    look(chain, printed);
  });
});

test('Every workflow has a script of its own, which the documentation names', async () => {
  const rows = readFileSync(path.join(root, 'docs/cocos.md'), 'utf8').matchAll(
    /^\| `(workflow_\w+)` \|.*\]\(\.\.\/examples\/cocos\/([\w-]+\.mjs)\) \|$/gm,
  );
  const scripts = new Map([...rows].map(([, workflow, script]) => [workflow, script]));
  await using world = CocosWorld.ofSample();
  const names = cocosToolList(world.backend).map(({ name }) => name);
  expect([...scripts.keys()]).toEqual(names.filter((name) => name.startsWith('workflow_')));
  expect(new Set(scripts.values()).size).toBe(scripts.size);
  for (const [workflow, script = ''] of scripts) {
    expect(readFileSync(path.join(folder, script), 'utf8')).toContain(`'${workflow}'`);
  }
});
