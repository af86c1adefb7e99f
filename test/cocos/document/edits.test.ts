import {
  checkTable,
  CocosError,
  duplicateNode,
  editTable,
  entryAt,
  heldSource,
  holderOf,
  insertComponent,
  insertNode,
  instanceOf,
  moveNode,
  noteSource,
  parseTable,
  print,
  printTable,
  readBack,
  ref,
  refIndices,
  removeComponent,
  removeNode,
  removeNodes,
  revertOverrides,
  SceneView,
  setValue,
  unpackInstance,
} from '@mcp-kit/cocos/document';
import type { Json, Table } from '@mcp-kit/cocos/document';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  branchUuid,
  component,
  countingIds,
  instance,
  leafUuid,
  looksOf,
  nodeWithComponent,
  sample,
  seen,
} from '../../support/cocos/sample.ts';
import type { Sample } from '../../support/cocos/sample.ts';

/** Tells that the file is sound, is in the order of the editor, and reads as the view that was edited shows it. */
function expectTrue(view: SceneView, { resolve }: Sample): void {
  const text = printTable(view.table);
  const table = editTable(parseTable(text));
  expect(checkTable(table)).toEqual([]);
  expect(table.arrangement().canonical).toBe(true);
  expect(printTable(table)).toBe(text);
  const fresh = new SceneView(table, resolve);
  expect(fresh.problems).toEqual([]);
  expect(seen(fresh)).toEqual(seen(view));
  const items = [...fresh.items()];
  const nodes = items.filter(({ kind }) => kind === 'node').length;
  expect([view.nodeCount(), fresh.nodeCount()]).toEqual([nodes, nodes]);
  expect(new Set(items.map(({ handle }) => handle)).size).toBe(items.length);
  expect(items.filter(({ handle }) => handle.includes('#'))).toEqual([]);
  const stubs = items
    .filter(({ index, inside }) => !inside && instanceOf(table, entryAt(table, index)))
    .map(({ index }) => index);
  const listed = refIndices(holderOf(table)['nestedPrefabInstanceRoots']);
  expect(new Set(listed)).toEqual(new Set(stubs));
  expect(listed.length).toBe(stubs.length);
}

type Pick = <Element>(elements: readonly Element[]) => Element;

/** Does one edit, or is refused; answers what it tried. */
function randomEdit(
  view: SceneView,
  { step, pick }: { readonly step: number; readonly pick: Pick },
  made: Sample,
): string {
  const items = [...view.items()];
  const nodes = items.filter(({ kind }) => kind === 'node');
  const components = items.filter(({ kind }) => kind === 'component');
  const newId = countingIds(`c${step.toString(16).padStart(3, '0')}`);
  const node = pick(nodes).index;
  const other = pick(nodes).index;
  const anything = pick(items).index;
  const one = pick(components.length > 0 ? components : nodes).index;
  const branch = view.table === made.branch ? [] : [instance(made.branch, branchUuid, `B${step}`)];
  const fragment = pick([instance(made.leaf, leafUuid, `L${step}`), ...branch]);
  const at = pick([0, 1, 9]);
  const set = (index: number, path: string, value: Json): unknown =>
    view.item(index)?.kind === 'node' && !path.startsWith('_')
      ? undefined
      : setValue(view, index, { path: path.split('.'), value });
  const size = { __type__: 'cc.Vec3', x: step, y: 1, z: 1 };
  const some = [ref(other), null, ref(anything)];
  const edits = {
    insert: () => insertNode(view, nodeWithComponent(`N${step}`), { parent: node, at, newId }),
    add: () => insertComponent(view, { objects: [component()] }, { node, newId }),
    instantiate: () => insertNode(view, fragment, { parent: node, newId }),
    remove: () => removeNode(view, node),
    removeSome: () => removeNodes(view, [node, other]),
    removeComponent: () => removeComponent(view, one),
    move: () => moveNode(view, node, { parent: other, at }),
    duplicate: () => duplicateNode(view, node, { newId }),
    rename: () => set(node, '_name', `n${step}`),
    moveBy: () => set(node, '_lpos.x', step),
    scale: () => set(node, '_lscale', size),
    text: () => set(one, 'text', `t${step}`),
    list: () => set(one, 'list', pick([[], [step], [step, 2, 3]])),
    target: () => set(one, 'target', pick([ref(other), null, ref(anything)])),
    targets: () => set(one, 'targets', some),
    element: () => set(one, 'targets.0', ref(other)),
    revert: () => revertOverrides(view, node, () => pick([true, false])),
    unpack: () => {
      const before = looksOf(view);
      unpackInstance(view, node, { recursive: pick([true, false]), newId });
      expect(looksOf(view)).toEqual(before);
    },
  };
  const name = pick(Object.keys(edits) as (keyof typeof edits)[]);
  const tried = `${name} ${view.path(node)} | ${view.path(other)} | ${view.path(one)}`;
  try {
    edits[name]();
  } catch (error) {
    if (!(error instanceof CocosError) || error.code === 'E_INTERNAL') throw error;
    return `${tried} (${error.message})`;
  }
  return tried;
}

/** Edits in any sequence, and expects after each, and what `settle` makes of it, that all is well; answers the last view. */
function editAtRandom(
  numbers: readonly number[],
  made: Sample,
  { from, settle }: { readonly from: SceneView; readonly settle?: (view: SceneView) => SceneView },
): SceneView {
  let view = from;
  const waiting = [...numbers];
  const pick: Pick = (elements) => elements[(waiting.pop() ?? 0) % elements.length] as never;
  const log: string[] = [];
  for (let step = 0; waiting.length > 0 && view.table.objects.length < 3000; step += 1) {
    try {
      log.push(randomEdit(view, { step, pick }, made));
      view = settle?.(view) ?? view;
      expectTrue(view, made);
    } catch (error) {
      throw new Error(`after\n${log.join('\n')}`, { cause: error });
    }
  }
  return view;
}

const runs = Math.max(10, Math.round(Number(process.env['PROPERTY_RUNS']) / 100));
const manyNumbers = fc.array(fc.nat(), { minLength: 100, maxLength: 500 });
const limits = { numRuns: runs, interruptAfterTimeLimit: 10_000 };

test.each(['scene', 'branch'] as const)(
  'any sequence of edits leaves a sound %s that reads as it was edited',
  (which) => {
    fc.assert(
      fc.property(manyNumbers, (numbers) => {
        const made = sample();
        editAtRandom(numbers, made, { from: new SceneView(made[which], made.resolve) });
      }),
      limits,
    );
  },
);

/** The view of what a file has become, for the next edits: with the numbers, and what is known, of the view that was edited. */
function written(view: SceneView, { resolve }: Sample): SceneView {
  const printed = print(view.table);
  if (printed === undefined) return view;
  const text = Buffer.from(printed.bytes).toString();
  const table = readBack(printed, 'the file');
  noteSource(table, heldSource(printed.bytes));
  // The places that are written are those that the objects have.
  expect(printTable(editTable(parseTable(text)))).toBe(text);
  expect(checkTable(table)).toEqual([]);
  const base = new SceneView(table, resolve, table === printed.table ? view : undefined);
  return new SceneView(editTable(table), resolve, base);
}

test('any sequence of edits and writes leaves a sound file, whose objects keep their numbers', () => {
  let longest = 0;
  fc.assert(
    fc.property(manyNumbers, (numbers) => {
      const made = sample();
      const from = new SceneView(editTable(parseTable(printTable(made.scene))), made.resolve);
      const settle = (view: SceneView): SceneView => written(view, made);
      const { table } = editAtRandom(numbers, made, { from, settle });
      longest = Math.max(longest, table.objects.length - fileLength(table));
    }),
    limits,
  );
  // Some were gone whose numbers stayed empty.
  expect(longest).toBeGreaterThan(0);
});

const fileLength = ({ objects }: Table): number =>
  objects.filter((entry) => entry !== undefined).length;

test('a table most of whose objects are gone is read anew when it is written', () => {
  const made = sample();
  let view = new SceneView(editTable(parseTable(printTable(made.scene))), made.resolve);
  const parent = view.get('Canvas').index;
  const added = Array.from({ length: 900 }, (_, at) =>
    insertNode(view, nodeWithComponent(`N${at}`), { parent }),
  ).map(({ index }) => index);
  view = written(view, made);
  const most = view.table.objects.length;
  removeNodes(view, added);
  view = written(view, made);
  expect(fileLength(view.table)).toBe(view.table.objects.length);
  expect(view.table.objects.length).toBeLessThan(most / 2);
  expectTrue(view, made);
});

test.each([['null', null] as const, ['absent', undefined] as const])(
  'a file whose list of instances is %s, as old ones are, gets one of all of them',
  (_, list) => {
    const made = sample();
    const view = new SceneView(made.scene, made.resolve);
    const tip = view.get('Canvas/One/MyLeaf/Tip').index;
    insertNode(view, instance(made.leaf, leafUuid, 'Hat'), { parent: tip });
    const holder = holderOf(made.scene);
    expect(refIndices(holder['nestedPrefabInstanceRoots'])).toHaveLength(3);
    if (list === null) holder['nestedPrefabInstanceRoots'] = null;
    else delete holder['nestedPrefabInstanceRoots'];
    removeNode(view, view.get('Canvas/Two').index);
    insertNode(view, instance(made.leaf, leafUuid, 'Last'), { parent: view.get('Canvas').index });
    expectTrue(view, made);
    expect(refIndices(holder['nestedPrefabInstanceRoots'])).toHaveLength(3);
  },
);
