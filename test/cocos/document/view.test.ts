import {
  createTable,
  duplicateNode,
  entryAt,
  getValue,
  holderOf,
  infoOf,
  insertNode,
  overridesOf,
  ownAt,
  parseTable,
  prefabFrom,
  printTable,
  ref,
  refIndices,
  rootOf,
  SceneView,
  setValue,
  textOf,
} from '@mcp-kit/cocos/document';
import type { Entry, Json, Table } from '@mcp-kit/cocos/document';
import { describe, expect, test } from 'vitest';
import {
  component,
  emptyScene,
  firstComponent,
  instance,
  leafUuid,
  node,
  nodeWithComponent,
  sample,
  seen,
} from '../../support/cocos/sample.ts';

/** What a file reads as once it is written and opened again. */
function reopened(view: SceneView, resolve: (uuid: string) => Table | undefined): SceneView {
  return new SceneView(parseTable(printTable(view.table)), resolve);
}

/** A scene, written by hand, with one instance of Leaf that has something of everything. */
function handWritten(leaf: Table): Table {
  const [root, tip] = [1, 0].map((back) => {
    const nodes = leaf.objects.filter((entry) => entry?.['__type__'] === 'cc.Node');
    return nodes[nodes.length - 1 - back] as Entry;
  }) as [Entry, Entry];
  const fileId = (entry: Entry): string => infoOf(leaf, entry)?.['fileId'] as string;
  const componentOf = (entry: Entry): Entry =>
    entryAt(leaf, refIndices(entry['_components'])[0] ?? -1);
  const target = (...localID: string[]): Entry => ({ __type__: 'cc.TargetInfo', localID });
  const override = (info: number, propertyPath: string[], value: Json): Entry => ({
    __type__: 'CCPropertyOverrideInfo',
    targetInfo: ref(info),
    propertyPath,
    value,
  });
  const [head, scene, globals] = emptyScene().objects;
  const info = {
    __type__: 'cc.PrefabInfo',
    root: ref(3),
    asset: { __uuid__: leafUuid, __expectedType__: 'cc.Prefab' },
    fileId: fileId(root),
    instance: ref(5),
    targetOverrides: null,
    nestedPrefabInstanceRoots: null,
  };
  const stub = {
    __type__: 'cc.Node',
    _objFlags: 512,
    _parent: ref(1),
    _prefab: ref(4),
    __editorExtras__: {},
  };
  return createTable([
    head as Entry,
    { ...scene, _children: [ref(3)], _prefab: ref(18) },
    globals as Entry,
    stub,
    info,
    {
      __type__: 'cc.PrefabInstance',
      fileId: '59H08KPE9KIrsVoKNgJyQL',
      prefabRootNode: null,
      mountedChildren: [ref(6)],
      mountedComponents: [ref(9)],
      propertyOverrides: [11, 12, 13, 14, 15, 19].map(ref),
      removedComponents: [ref(16)],
    },
    { __type__: 'cc.MountedChildrenInfo', targetInfo: ref(7), nodes: [ref(8)] },
    target(fileId(tip)),
    {
      ...node('Mounted'),
      _parent: ref(3),
      __editorExtras__: { mountedRoot: ref(3) },
      _id: 'mounted',
    },
    { __type__: 'cc.MountedComponentsInfo', targetInfo: ref(7), components: [ref(10)] },
    { ...component({ text: 'mounted' }), node: ref(3), _id: 'mountedComponent' },
    override(17, ['_name'], 'Renamed'),
    override(20, ['list', 'length'], 3),
    override(20, ['list', '2'], 7),
    override(20, ['list', '3'], 'out of range'),
    override(21, ['text'], 'nobody'),
    target(fileId(componentOf(root)), 'never mind'),
    target(fileId(root)),
    {
      __type__: 'cc.PrefabInfo',
      root: null,
      asset: null,
      fileId: '',
      instance: null,
      targetOverrides: null,
      nestedPrefabInstanceRoots: [ref(3)],
    },
    override(7, ['_lpos', 'x'], 5),
    target(infoOf(leaf, componentOf(tip))?.['fileId'] as string),
    target('not there'),
  ]);
}

describe('an instance', () => {
  test('is its prefab with everything applied that the file says', () => {
    const { leaf, resolve } = sample();
    const table = handWritten(leaf);
    const removed = infoOf(
      leaf,
      entryAt(leaf, refIndices(entryAt(leaf, rootOf(leaf))['_components'])[0] ?? 0),
    );
    ownAt(table, 16)['localID'] = [textOf(removed?.['fileId'])];
    const view = new SceneView(table, resolve);
    const root = view.get('Renamed');
    expect(root.handle).toBe('59H08KPE9KIrsVoKNgJyQL');
    expect(view.at(root.index)['_objFlags']).toBe(512);
    expect(view.components(root.index)).toEqual([]);
    const tip = view.get('Renamed/Tip');
    expect(getValue(view, tip.index, ['_lpos', 'x'])).toBe(5);
    expect(view.components(tip.index).map(({ handle }) => handle)).toEqual([
      `59H08KPE9KIrsVoKNgJyQL${tip.localId && view.components(tip.index)[0]?.localId?.at(-1)}`,
      'mountedComponent',
    ]);
    expect(getValue(view, firstComponent(view, tip.index), ['list'])).toEqual([1, 2, 7]);
    expect(view.get('Renamed/Tip/Mounted').handle).toBe('mounted');
    expect(view.item(8)).toMatchObject({ owner: tip.index, inside: false, instance: undefined });
    expect(view.problems.map(({ code, at }) => [code, at])).toEqual([
      ['overrideTargetMissing', 14],
      ['overrideTargetMissing', 15],
    ]);
    // Looking changes nothing.
    expect(table.objects[8]?.['_parent']).toEqual(ref(3));
    expect(entryAt(leaf, rootOf(leaf))['_name']).toBe('Leaf');
  });

  test('within an instance is named by the ids of both', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const one = view.get('Canvas/One');
    const nested = view.get('Canvas/One/MyLeaf');
    const tip = view.get('Canvas/One/MyLeaf/Tip');
    expect(nested.handle).toBe(`${one.handle}b1AAAAAAAAAAAAAAAAAAA0`);
    expect(tip.handle).toBe(`${nested.handle}1fAAAAAAAAAAAAAAAAAAA0`);
    expect(tip.localId).toEqual(['b1AAAAAAAAAAAAAAAAAAA0', '1fAAAAAAAAAAAAAAAAAAA0']);
    expect(tip.asset).toBe(leafUuid);
    expect(view.get(tip.handle)).toBe(tip);
    expect(view.target(one.index, tip.localId ?? [])).toBe(tip);
    // The reference that Branch has into its Leaf holds in each Branch.
    const target = getValue(view, firstComponent(view, one.index), ['target']);
    expect(target).toEqual(ref(firstComponent(view, tip.index)));
  });

  test('of a prefab that is missing, or contains itself, is there with its name', () => {
    const { scene, branch, leaf } = sample();
    const view = new SceneView(scene, () => undefined);
    expect(view.children(view.get('Canvas').index).map(({ index }) => view.name(index))).toEqual([
      'Plain',
      'One',
      'Two',
    ]);
    expect(view.problems.map(({ code }) => code)).toEqual([
      'prefabAssetMissing',
      'prefabAssetMissing',
    ]);
    setValue(view, view.get('Canvas/One').index, { path: ['_name'], value: 'First' });
    expect(view.name(view.get('Canvas/First').index)).toBe('First');
    // Leaf is now a Branch, which contains a Leaf.
    const cyclic = new SceneView(scene, (uuid) => (uuid === leafUuid ? branch : branch));
    expect(cyclic.problems.map(({ code }) => code)).toContain('prefabCycle');
    expect(leaf.kind).toBe('prefab');
  });

  test('cannot multiply without end', () => {
    const tables = new Map<string, Table>();
    const resolve = (uuid: string): Table | undefined => tables.get(uuid);
    let below: { readonly uuid: string; readonly table: Table } | undefined;
    for (let level = 0; level < 9; level += 1) {
      const table = prefabFrom(nodeWithComponent(`P${level}`), `P${level}`);
      if (below) {
        const view = new SceneView(table, () => undefined);
        for (let copy = 0; copy < 10; copy += 1) {
          insertNode(view, instance(below.table, below.uuid, `c${copy}`), { parent: view.root });
        }
      }
      below = { uuid: `level-${level}`, table };
      tables.set(below.uuid, table);
    }
    expect(() => new SceneView(below?.table ?? emptyScene(), resolve)).toThrow(
      /over 300000 objects/,
    );
  });
});

describe('a path', () => {
  test('counts brothers of the same name from 0, and says which names are near when it leads nowhere', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const copy = duplicateNode(view, view.get('Canvas/Plain').index).index;
    expect(view.path(copy)).toBe('Canvas/Plain[1]');
    expect(view.get('Canvas/Plain[1]').index).toBe(copy);
    expect(view.get('/Canvas/Plain[0]/')).toBe(view.get('Canvas/Plain'));
    expect(view.get('sample/Canvas')).toBe(view.get('Canvas'));
    expect(view.get('').index).toBe(view.root);
    expect(view.find('Canvas/Plain[2]')).toBeUndefined();
    expect(() => view.get('Canvas/plai')).toThrow(
      expect.objectContaining({
        code: 'E_NOT_FOUND',
        suggestion: 'Did you mean "Canvas/Plain" or "Canvas/Plain[1]"?',
      }),
    );
  });
});

describe('a value', () => {
  test('that already is so changes nothing', () => {
    const { scene, resolve } = sample();
    const before = printTable(scene);
    const view = new SceneView(scene, resolve);
    for (const path of ['Canvas', 'Canvas/One', 'Canvas/One/MyLeaf/Tip']) {
      expect(setValue(view, view.get(path).index, { path: ['_active'], value: true })).toEqual([]);
    }
    expect(printTable(scene)).toBe(before);
  });

  test('in an instance is one override, beside those of the same object', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const one = view.get('Canvas/One').index;
    const tip = view.get('Canvas/One/MyLeaf/Tip');
    setValue(view, tip.index, { path: ['_active'], value: false });
    setValue(view, tip.index, { path: ['_layer'], value: 1 });
    setValue(view, tip.index, { path: ['_layer'], value: 2 });
    const own = overridesOf(view, one).filter(({ reserved }) => !reserved);
    expect(own.map(({ path, value, localId }) => ({ path, value, localId }))).toEqual([
      { path: ['_active'], value: false, localId: tip.localId },
      { path: ['_layer'], value: 2, localId: tip.localId },
    ]);
    const [first, second] = own.map(({ entry }) => entryAt(scene, entry)['targetInfo']);
    expect(second).toEqual(first);
    expect(seen(reopened(view, resolve))).toEqual(seen(view));
    expect(getValue(view, view.get('Canvas/Two/MyLeaf/Tip').index, ['_layer'])).toBe(33554432);
  });

  test('that is the name or place of an instance is one of the four overrides that it has', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const { index } = view.get('Canvas/One');
    const lines = printTable(scene).split('\n').length;
    setValue(view, index, { path: ['_name'], value: 'Renamed' });
    setValue(view, index, { path: ['_lpos'], value: { __type__: 'cc.Vec3', x: 1, y: 2, z: 3 } });
    expect(printTable(scene).split('\n').length).toBe(lines);
    expect(overridesOf(view, index).every(({ reserved }) => reserved)).toBe(true);
    setValue(view, index, { path: ['_objFlags'], value: 512 });
    expect(entryAt(scene, index)['_objFlags']).toBe(512);
  });

  test('that is a list in an instance is its length and its elements, in this order', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const one = view.get('Canvas/One').index;
    const tip = firstComponent(view, view.get('Canvas/One/MyLeaf/Tip').index);
    const paths = (): string[] =>
      overridesOf(view, one)
        .filter(({ reserved }) => !reserved)
        .map(({ path }) => path.join('.'));
    setValue(view, tip, { path: ['list'], value: [7, 8, 9] });
    expect(paths()).toEqual(['list.length', 'list.0', 'list.1', 'list.2']);
    setValue(view, tip, { path: ['list'], value: [4] });
    expect(paths()).toEqual(['list.length', 'list.0']);
    expect(getValue(view, tip, ['list'])).toEqual([4]);
    expect(seen(reopened(view, resolve))).toEqual(seen(view));
  });

  test('that refers into an instance is null in its place, and named by the root of the file', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const plain = firstComponent(view, view.get('Canvas/Plain').index);
    const one = view.get('Canvas/One');
    const tip = view.get('Canvas/One/MyLeaf/Tip');
    const overrides = (): number[] => refIndices(holderOf(scene)['targetOverrides']);
    const [change] = setValue(view, plain, { path: ['target'], value: ref(tip.index) });
    expect(change?.to).toBe('Canvas/One/MyLeaf/Tip');
    expect(entryAt(scene, plain)['target']).toBeNull();
    expect(overrides().map((index) => entryAt(scene, index))).toMatchObject([
      { source: ref(plain), sourceInfo: null, propertyPath: ['target'], target: ref(one.index) },
    ]);
    expect(getValue(view, plain, ['target'])).toEqual(ref(tip.index));
    // The root of an instance is in the file.
    setValue(view, plain, { path: ['target'], value: ref(one.index) });
    expect(entryAt(scene, plain)['target']).toEqual(ref(one.index));
    expect(overrides()).toEqual([]);
    // From one instance into another, and out of one.
    const inside = firstComponent(view, view.get('Canvas/Two').index);
    setValue(view, inside, { path: ['targets'], value: [ref(tip.index), ref(plain), null] });
    expect(overrides().map((index) => entryAt(scene, index)['propertyPath'])).toEqual([
      ['targets', '0'],
    ]);
    const fresh = reopened(view, resolve);
    expect(fresh.problems).toEqual([]);
    expect(seen(fresh)).toEqual(seen(view));
  });

  test('that has no place is refused', () => {
    const { scene, resolve } = sample();
    const before = printTable(scene);
    const view = new SceneView(scene, resolve);
    const plain = firstComponent(view, view.get('Canvas/Plain').index);
    for (const path of [
      [],
      ['no', 'x'],
      ['list', '2'],
      ['list', 'x'],
      ['text', 'x'],
      ['__proto__', 'x'],
    ]) {
      expect(() => setValue(view, plain, { path, value: 1 })).toThrow(/There is no place for/);
    }
    expect(printTable(scene)).toBe(before);
  });
});
