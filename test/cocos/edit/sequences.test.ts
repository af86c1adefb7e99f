import {
  checkTable,
  CocosError,
  entryAt,
  infoOf,
  instanceOf,
  type Json,
  parseTable,
  printTable,
  refIndices,
  rootOf,
  SceneView,
  typeOf,
  type ViewItem,
} from '@mcp-kit/cocos/document';
import {
  addComponent,
  applyOverrides,
  assignSprite,
  createNode,
  createPrefab,
  deleteNode,
  duplicateNode,
  instantiatePrefab,
  listOverrides,
  moveAsset,
  moveNode,
  nodeElements,
  openDocument,
  openWorkspace,
  readComponent,
  removeComponent,
  revertOverrides,
  type SceneDocument,
  setComponentEnabled,
  setProperties,
  setTransform,
  unpackPrefab,
  updateNode,
  type Workspace,
} from '@mcp-kit/cocos/edit';
import { openProject, type Project } from '@mcp-kit/cocos/project';
import { array, assert, asyncProperty, nat, sample, tuple } from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { metaFor, TestProject, uuidFor } from '../../support/cocos/project.ts';
import { looksOf, seen } from '../../support/cocos/sample.ts';

const steps = 50;
/** Two hundred where nobody waits. */
const sequences = Math.max(10, Math.round(Number(process.env['PROPERTY_RUNS'] ?? 0) / 100));

const script = `
import { _decorator, Component, Node, Label } from 'cc';
@_decorator.ccclass('Links')
export class Links extends Component {
  @_decorator.property(Node) one: Node = null;
  @_decorator.property([Node]) many: Node[] = [];
  @_decorator.property(Label) label: Label = null;
  @_decorator.property count = 1;
  go() {}
}
`;

/** A project with a scene, a prefab in a prefab, and a script that points at things. */
async function prepare(game: TestProject): Promise<Project> {
  game.write({ 'assets/links.ts': script, 'assets/links.ts.meta': metaFor('links', 'typescript') });
  const project = await openProject(game.folder);
  const workspace = await openWorkspace(project);
  const scene = openDocument(workspace, 'assets/main.scene');
  createNode(scene, { element: 'Label', name: 'Text', createCanvas: true });
  createNode(scene, { element: 'Button', name: 'Inner' });
  createNode(scene, { element: 'Node', name: 'Outer' });
  addComponent(scene, 'Canvas/Inner', { type: 'Links', properties: { one: 'Canvas/Text' } });
  const inner = createPrefab(scene, 'Canvas/Inner', { path: 'assets/inner.prefab' });
  moveNode(scene, inner.node, { parent: 'Canvas/Outer' });
  createPrefab(scene, 'Canvas/Outer', { path: 'assets/outer.prefab' });
  await project.commit(workspace.draft, 'prepare');
  return project;
}

/** Chooses by the numbers of a step. */
interface Choice {
  readonly document: SceneDocument;
  readonly step: number;
  readonly next: <Element>(elements: readonly Element[]) => Element;
  readonly node: () => string;
  readonly component: (type?: RegExp) => string;
}

type Step = readonly [operation: number, ...choices: number[]];

function choose(workspace: Workspace, [, ...numbers]: Step, step: number): Choice {
  let used = 0;
  const next: Choice['next'] = (elements) => {
    const number = numbers[used++ % numbers.length] ?? 0;
    const element = elements[number % elements.length];
    if (element === undefined) throw new CocosError('E_NOT_FOUND', 'Nothing to choose from.');
    return element;
  };
  const paths = [...workspace.draft.assets()]
    .filter(({ importer }) => importer === 'prefab')
    .map((asset) => asset.path);
  const document = openDocument(
    workspace,
    next(['assets/main.scene', 'assets/main.scene', ...paths.sort()]),
  );
  const pick = (wanted: (item: ViewItem) => boolean): string =>
    next([...document.view.items()].filter(wanted)).handle;
  return {
    document,
    step,
    next,
    node: () => pick(({ kind }) => kind === 'node'),
    component: (type = /./) =>
      pick(({ kind, index }) => kind === 'component' && type.test(typeOf(document.view.at(index)))),
  };
}

const types = [
  'cc.Sprite',
  'cc.Label',
  'cc.Widget',
  'cc.Button',
  'cc.Mask',
  'cc.AudioSource',
  'Links',
];

const texts = ['', 'Play', 'ü"\\\n', '\u{1F600}'];

function valueFor({ node, next }: Choice, name: string): Json {
  const values: Record<string, () => Json> = {
    one: () => next([null, node()]),
    many: () => [node(), node()],
    label: () => next([null, node()]),
    count: () => next([0, -1.5, 1e21]),
    string: () => next(texts),
    color: () => next(['#000', '#12345678', { r: 1 }]),
    contentSize: () => ({ width: next([0, 1, 99.5]) }),
    'contentSize.height': () => next([3, 7]),
    target: () => next([null, node()]),
    clickEvents: () => next<Json>([[], [{ target: node(), component: 'Links', handler: 'go' }]]),
    alignFlags: () => next<Json>([45, ['TOP', 'LEFT']]),
  };
  return values[name]?.() ?? null;
}

const properties = [
  { type: /^.{23}$/, names: ['one', 'many', 'label', 'count'] },
  { type: /^cc\.Label$/, names: ['string', 'color'] },
  { type: /^cc\.UITransform$/, names: ['contentSize', 'contentSize.height'] },
  { type: /^cc\.Button$/, names: ['target', 'clickEvents'] },
  { type: /^cc\.Widget$/, names: ['alignFlags', 'target'] },
];

const operations: readonly ((choice: Choice) => unknown)[] = [
  ({ document, next, node }) =>
    createNode(document, {
      element: next(nodeElements),
      parent: node(),
      name: next(['A', 'B', 'C']),
      createCanvas: next([true, false]),
      siblingIndex: next([0, 1, 99]),
    }),
  ({ document, next, node }) =>
    moveNode(document, node(), {
      parent: node(),
      siblingIndex: next([0, 1, 99]),
      keepWorldTransform: next([true, false]),
    }),
  ({ document, node }) => deleteNode(document, node()),
  ({ document, node }) => duplicateNode(document, node()),
  ({ document, next, node }) =>
    updateNode(document, node(), {
      name: next(['A', 'B', 'Menu']),
      active: next([true, false]),
      locked: next([true, false]),
    }),
  ({ document, next, node }) =>
    setTransform(document, node(), {
      position: { x: next([0, 1.5, -7]) },
      rotation: { z: next([0, 30, 180]) },
      scale: { y: next([1, 2]) },
    }),
  ({ document, next, node }) => addComponent(document, node(), { type: next(types) }),
  ({ document, next, component }) =>
    removeComponent(document, component(), { force: next([true, false]) }),
  (choice) => {
    const { type, names } = choice.next(properties);
    const name = choice.next(names);
    setProperties(choice.document, choice.component(type), { [name]: valueFor(choice, name) });
  },
  (choice) =>
    setProperties(choice.document, choice.component(/^.{23}$/), {
      one: choice.node(),
      many: [choice.node(), choice.node()],
    }),
  ({ document, next, component }) =>
    setComponentEnabled(document, component(), next([true, false])),
  ({ document, next, node }) =>
    instantiatePrefab(document, {
      prefab: next(['assets/inner.prefab', 'assets/outer.prefab']),
      parent: node(),
      scale: { x: next([1, 2]) },
    }),
  ({ document, node, step }) => {
    const before = looksOf(document.view);
    createPrefab(document, node(), { path: `assets/made/${step}.prefab` });
    expectSame(looksOf(document.view), before);
  },
  ({ document, node, next }) => {
    const odd = next([0, 1]);
    return revertOverrides(document, node(), ({ property }) => property.length % 2 === odd);
  },
  ({ document, node }) => applyOverrides(document, node()),
  ({ document, node, next }) => {
    const before = looksOf(document.view);
    unpackPrefab(document, node(), { recursive: next([true, false]) });
    expectSame(looksOf(document.view), before);
  },
  ({ document, node }) =>
    assignSprite(document, node(), {
      spriteFrame: 'db://internal/default_ui/default_panel.png/spriteFrame',
    }),
  ({ document: { workspace }, step }) => {
    const [made] = [...workspace.draft.assets()].filter(({ path }) =>
      path.startsWith('assets/made/'),
    );
    moveAsset(workspace, { from: made?.path ?? 'none', to: `assets/moved/${step}.prefab` });
  },
  ({ document, node, component }) => {
    readComponent(document, component());
    listOverrides(document, node());
  },
];

/** Does one operation; what is refused must have changed nothing. */
function perform(workspace: Workspace, step: Step, position: number): void {
  const before = position % 5 === 0 ? textsOf(workspace) : undefined;
  if (attempt(workspace, step, position) || before === undefined) return;
  const after = textsOf(workspace);
  for (const [file, text] of Object.entries(before)) expect(after[file]).toBe(text);
}

/** Answers whether the operation was done; nothing but a refusal may hinder it. */
function attempt(workspace: Workspace, step: Step, position: number): boolean {
  try {
    operations[step[0] % operations.length]?.(choose(workspace, step, position));
    return true;
  } catch (error) {
    if (error instanceof CocosError && error.code !== 'E_INTERNAL') return false;
    throw error;
  }
}

function textsOf({ draft, documents }: Workspace): Record<string, string> {
  const files = [...documents.values()].map(({ path, view }) => [
    path,
    JSON.stringify(view.table.objects),
  ]);
  const others = draft.folders().created.map((folder) => [folder, '']);
  return Object.fromEntries([...files, ...others]) as Record<string, string>;
}

/** The file is sound, is as the editor orders it, and reads as the open document shows it. */
function expectSound({ view, path, workspace }: SceneDocument): void {
  const text = printTable(view.table);
  const table = parseTable(text, path);
  expect(checkTable(table)).toEqual([]);
  expect(table.arrangement().canonical).toBe(true);
  expect(printTable(table)).toBe(text);
  const fresh = new SceneView(table, (uuid) => workspace.draft.prefab(uuid));
  expectSame(seen(fresh), seen(view));
  const items = [...fresh.items()];
  expect(new Set(items.map(({ handle }) => handle)).size).toBe(items.length);
  const isInstance = ({ index, inside }: ViewItem): boolean =>
    !inside && instanceOf(table, entryAt(table, index)) !== undefined;
  const instances = items.filter(isInstance).map(({ index }) => index);
  const holder = infoOf(table, entryAt(table, rootOf(table)));
  const listed = refIndices(holder?.['nestedPrefabInstanceRoots']);
  expect(listed).toEqual(expect.arrayContaining(instances));
  expect(new Set(listed).size).toBe(listed.length);
}

const sequence = array(tuple(nat(), nat(), nat(), nat(), nat(), nat()), {
  minLength: steps,
  maxLength: steps,
});

/** A project, and all that is true of it whatever is done. */
async function opened(): Promise<{
  readonly game: TestProject;
  readonly project: Project;
  readonly hold: (planned: readonly Step[]) => Promise<void>;
}> {
  const game = new TestProject();
  const project = await prepare(game);
  const before = game.snapshot();
  const hold = async (planned: readonly Step[]): Promise<void> => {
    const workspace = await openWorkspace(project);
    for (const [position, step] of planned.entries()) perform(workspace, step, position);
    for (const file of workspace.documents.keys()) expectSound(openDocument(workspace, file));
    expectSame(game.snapshot(), before);
    const done = await project.commit(workspace.draft, 'sequence');
    if (done === undefined) return;
    for (const document of workspace.documents.values()) {
      expect(game.read(document.path)).toBe(printTable(document.view.table));
    }
    await project.undo(done.id);
    expectSame(game.snapshot(), before);
  };
  return { game, project, hold };
}

/** To find out how things differ takes many times as long as to find out whether they do. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

test(
  'Any sequence of edits keeps the files sound, writes nothing before the commit, and is undone to the byte',
  { timeout: 900_000 },
  async () => {
    const { game, project, hold } = await opened();
    using _game = game;
    using _project = project;
    // Fifty steps are not made fewer by shrinking; the seed repeats them.
    await assert(asyncProperty(sequence, hold), { numRuns: sequences, endOnFailure: true });
    expect(project.asset(uuidFor('links'))).toBeDefined();
  },
);

test.each([
  ['a component that requires another is added inside an instance', -299_054_230, '415'],
  ['a rotation comes to negative zero', 1_766_260_426, '457'],
  ['another instance of its prefab refers to one that is unpacked', -1_420_757_719, '329'],
  ['what was mounted on an inner instance was removed before it is unpacked', 1_665_304_231, '11'],
  ['an instance in an inner instance keeps its overrides', 14_094_729, '9'],
  ['what is mounted on something removed is not applied', 1_152_127_386, '28'],
  ['a node among those mounted becomes a prefab', 1_226_599_497, '6'],
  ['a node mounted on the second of two instances becomes a prefab', 3_886_737, '35'],
  ['a prefab is renamed that an open document has an instance of', 911_899_354, '23'],
])('So does one in which %s', async (_, seed, path) => {
  const { game, project, hold } = await opened();
  using _game = game;
  using _project = project;
  for (const planned of sample(sequence, { seed, path, numRuns: 1 })) await hold(planned);
});
