import {
  duplicateNode,
  entryAt,
  getValue,
  holderOf,
  infoOf,
  insertComponent,
  insertNode,
  instanceOf,
  moveNode,
  overridesOf,
  parseTable,
  prefabFrom,
  printTable,
  ref,
  refIndices,
  removeComponent,
  removeNode,
  restoreComponent,
  revertOverrides,
  SceneView,
  setValue,
  takeFragment,
  unpackInstance,
} from '@mcp-kit/cocos/document';
import type { Table } from '@mcp-kit/cocos/document';
import { describe, expect, test } from 'vitest';
import {
  branchUuid,
  component,
  countingIds,
  firstComponent,
  instance,
  leafUuid,
  nodeWithComponent,
  sample,
  seen,
} from '../../support/cocos/sample.ts';

/** What a file reads as once it is written and opened again. */
function reopened(view: SceneView, resolve: (uuid: string) => Table | undefined): SceneView {
  return new SceneView(parseTable(printTable(view.table)), resolve);
}

/** A scene, written by hand, with one instance of Leaf that has something of everything. */
describe('an edit of the tree', () => {
  test('inserts where it is told, with the ids that the kind of file needs', () => {
    const { scene, leaf, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const parent = view.get('Canvas').index;
    const { index, changes } = insertNode(view, nodeWithComponent('New'), {
      parent,
      at: 1,
      newId: countingIds('dd'),
    });
    expect(view.children(parent).map((child) => view.name(child.index))).toEqual([
      'Plain',
      'New',
      'One',
      'Two',
    ]);
    expect(changes).toEqual([
      { type: 'create', target: 'ddAAAAAAAAAAAAAAAAAAA0', to: 'Canvas/New' },
    ]);
    expect(entryAt(scene, index)).toMatchObject({ _prefab: null, _id: 'ddAAAAAAAAAAAAAAAAAAA0' });
    const prefab = new SceneView(leaf, resolve);
    const inner = insertNode(prefab, nodeWithComponent('New'), { parent: prefab.root }).index;
    expect(entryAt(leaf, inner)['_id']).toBe('');
    expect(infoOf(leaf, entryAt(leaf, inner))).toMatchObject({
      root: ref(prefab.root),
      asset: ref(0),
      instance: null,
    });
    expect(infoOf(leaf, entryAt(leaf, firstComponent(prefab, inner)))?.['__type__']).toBe(
      'cc.CompPrefabInfo',
    );
  });

  test('mounts what goes on or below a node of an instance', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const one = view.get('Canvas/One').index;
    const { index } = insertNode(view, nodeWithComponent('Hat'), {
      parent: view.get('Canvas/One/MyLeaf/Tip').index,
    });
    insertComponent(view, { objects: [component()] }, { node: one });
    expect(view.path(index)).toBe('Canvas/One/MyLeaf/Tip/Hat');
    expect(entryAt(scene, index)).toMatchObject({
      _parent: ref(one),
      __editorExtras__: { mountedRoot: ref(one) },
    });
    expect(
      overridesOf(view, one)
        .map(({ kind }) => kind)
        .slice(4),
    ).toEqual(['mountedNode', 'mountedComponent']);
    moveNode(view, index, { parent: view.get('Canvas').index, at: 0 });
    expect(view.path(index)).toBe('Canvas/Hat');
    expect(entryAt(scene, index)).toMatchObject({
      _parent: ref(view.get('Canvas').index),
      __editorExtras__: {},
    });
    expect(instanceOf(scene, entryAt(scene, one))?.['mountedChildren']).toEqual([]);
    expect(seen(reopened(view, resolve))).toEqual(seen(view));
  });

  test('lets nothing refer to what it removes, and says so', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const canvas = view.get('Canvas').index;
    const holder = firstComponent(view, canvas);
    const plain = view.get('Canvas/Plain');
    const tip = view.get('Canvas/One/MyLeaf/Tip');
    const one = view.get('Canvas/One');
    setValue(view, holder, { path: ['target'], value: ref(tip.index) });
    setValue(view, holder, { path: ['targets'], value: [ref(plain.index), ref(one.index)] });
    const before = scene.objects.length;
    const { handle } = view.item(holder) ?? { handle: '' };
    expect(removeNode(view, one.index)).toEqual([
      { type: 'delete', target: one.handle, from: 'Canvas/One' },
      { type: 'update', target: handle, field: 'target', from: 'Canvas/One/MyLeaf/Tip', to: null },
      {
        type: 'update',
        target: handle,
        field: 'targets.1',
        from: 'Canvas/One',
        to: null,
      },
    ]);
    expect(scene.objects.length).toBe(before);
    expect(getValue(view, holder, ['targets'])).toEqual([ref(plain.index), null]);
    expect(refIndices(holderOf(scene)['nestedPrefabInstanceRoots'])).toEqual([
      view.get('Canvas/Two').index,
    ]);
    expect(parseTable(printTable(scene)).objects.length).toBeLessThan(before);
    expect(view.find(tip.handle)).toBeUndefined();
  });

  test('takes along what is mounted on a node that the prefab no longer has', () => {
    const { scene, leaf, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const canvas = view.get('Canvas').index;
    insertNode(view, instance(leaf, leafUuid, 'Last'), { parent: canvas });
    const hat = insertNode(view, instance(leaf, leafUuid, 'Hat'), {
      parent: view.get('Canvas/Last/Tip').index,
    }).index;
    const prefab = new SceneView(leaf, resolve);
    removeNode(prefab, prefab.get('Tip').index);
    view.refresh();
    expect(view.item(hat)).toBeUndefined();
    const copy = duplicateNode(view, view.get('Canvas/Last').index).index;
    const listed = (): number => refIndices(holderOf(scene)['nestedPrefabInstanceRoots']).length;
    expect(listed()).toBe(6);
    removeNode(view, copy);
    removeNode(view, view.get('Canvas/Last').index);
    expect(listed()).toBe(2);
    expect(refIndices(holderOf(scene)['nestedPrefabInstanceRoots'])).not.toContain(hat);
  });

  test('cannot remove a node of a prefab, but a component, which can come back', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const tip = view.get('Canvas/One/MyLeaf/Tip');
    expect(() => removeNode(view, tip.index)).toThrow(/belongs to a prefab/);
    expect(() => removeNode(view, view.root)).toThrow(/root/);
    const [item] = view.components(tip.index);
    removeComponent(view, item?.index ?? -1);
    expect(view.components(view.get(tip.handle).index)).toEqual([]);
    // Branch refers to it; in this Branch nothing is left to refer to in the tree.
    expect(reopened(view, resolve).components(view.get(tip.handle).index)).toEqual([]);
    expect(restoreComponent(view, view.get('Canvas/One').index, item?.localId ?? [])).toBe(true);
    expect(view.components(view.get(tip.handle).index)).toHaveLength(1);
  });

  test('cannot move a node into itself', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const canvas = view.get('Canvas').index;
    const plain = view.get('Canvas/Plain').index;
    expect(() => moveNode(view, canvas, { parent: plain })).toThrow(/into itself/);
    expect(() => moveNode(view, canvas, { parent: canvas })).toThrow(/into itself/);
    expect(moveNode(view, plain, { parent: canvas, at: 2 })).toEqual([
      { type: 'move', target: view.item(plain)?.handle, field: 'siblingIndex', from: 0, to: 2 },
    ]);
    expect(view.children(canvas).map(({ index }) => view.name(index))).toEqual([
      'One',
      'Two',
      'Plain',
    ]);
  });

  test('copies a node with references among its parts, and those that lead out of it', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const canvas = view.get('Canvas').index;
    const holder = firstComponent(view, canvas);
    const tip = view.get('Canvas/One/MyLeaf/Tip').index;
    setValue(view, holder, {
      path: ['targets'],
      value: [ref(tip), ref(view.get('Canvas/Plain').index), ref(view.root)],
    });
    const copy = duplicateNode(view, canvas).index;
    const targets = getValue(view, firstComponent(view, copy), ['targets']);
    expect(view.path(copy)).toBe('Canvas[1]');
    expect(targets).toEqual([
      ref(view.get('Canvas[1]/One/MyLeaf/Tip').index),
      ref(view.get('Canvas[1]/Plain').index),
      ref(view.root),
    ]);
    expect(refIndices(holderOf(scene)['nestedPrefabInstanceRoots'])).toHaveLength(4);
    expect(seen(reopened(view, resolve))).toEqual(seen(view));
  });
});

describe('a prefab', () => {
  test('is made of a part of a scene, whose references out of it are told', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const canvas = view.get('Canvas').index;
    const holder = firstComponent(view, canvas);
    const tip = view.get('Canvas/One/MyLeaf/Tip').index;
    setValue(view, holder, { path: ['targets'], value: [ref(tip), ref(view.root)] });
    const { fragment, outside, order } = takeFragment(view, canvas);
    expect(order[0]).toBe(canvas);
    expect(outside).toEqual([{ from: holder, path: ['targets', '1'] }]);
    const prefab = prefabFrom(fragment, 'Menu');
    const made = new SceneView(parseTable(printTable(prefab)), resolve);
    expect(made.problems).toEqual([]);
    expect(made.table.arrangement().canonical).toBe(true);
    expect(made.name(made.root)).toBe('Menu');
    expect(getValue(made, firstComponent(made, made.root), ['targets'])).toEqual([
      ref(made.get('One/MyLeaf/Tip').index),
      null,
    ]);
    for (const { index } of [made.get('One'), made.get('Two')]) {
      expect(instanceOf(made.table, entryAt(made.table, index))?.['prefabRootNode']).toEqual(
        ref(made.root),
      );
    }
    const handles = [...made.items()].map(({ handle }) => handle);
    expect(new Set(handles).size).toBe(handles.length);
    expect(() =>
      prefabFrom(takeFragment(view, view.get('Canvas/One').index).fragment, 'No'),
    ).toThrow(/node of its own/);
  });

  test('gives back what an instance overrides, but for its name and place', () => {
    const { scene, resolve } = sample();
    const view = new SceneView(scene, resolve);
    const one = view.get('Canvas/One').index;
    const before = seen(view);
    const tip = view.get('Canvas/One/MyLeaf/Tip').index;
    setValue(view, tip, { path: ['_active'], value: false });
    setValue(view, firstComponent(view, tip), { path: ['list'], value: [] });
    setValue(view, firstComponent(view, one), { path: ['target'], value: ref(tip) });
    insertNode(view, nodeWithComponent('Hat'), { parent: tip });
    removeComponent(view, firstComponent(view, view.get('Canvas/One/MyLeaf').index));
    expect(revertOverrides(view, one, ({ path }) => path[0] === '_active')).toHaveLength(1);
    expect(getValue(view, view.get('Canvas/One/MyLeaf/Tip').index, ['_active'])).toBe(true);
    expect(revertOverrides(view, one).length).toBeGreaterThan(3);
    expect(seen(view)).toEqual(before);
  });

  test.each([false, true])(
    'is left behind when an instance is unpacked (recursively: %s)',
    (recursive) => {
      const { scene, resolve } = sample();
      const view = new SceneView(scene, resolve);
      const one = view.get('Canvas/One').index;
      const leafNode = view.get('Canvas/One/MyLeaf').index;
      const tip = view.get('Canvas/One/MyLeaf/Tip').index;
      setValue(view, tip, { path: ['_layer'], value: 7 });
      setValue(view, leafNode, { path: ['_layer'], value: 6 });
      setValue(view, firstComponent(view, view.get('Canvas/Plain').index), {
        path: ['target'],
        value: ref(tip),
      });
      insertNode(view, nodeWithComponent('Hat'), { parent: tip });
      unpackInstance(view, one, { recursive });
      const fresh = reopened(view, resolve);
      expect(fresh.problems).toEqual([]);
      expect(seen(fresh)).toEqual(seen(view));
      expect(fresh.get('Canvas/One').instance).toBeUndefined();
      expect(fresh.get('Canvas/One/MyLeaf').asset).toBe(recursive ? undefined : leafUuid);
      const newTip = fresh.get('Canvas/One/MyLeaf/Tip').index;
      expect(getValue(fresh, newTip, ['_layer'])).toBe(7);
      expect(getValue(fresh, fresh.get('Canvas/One/MyLeaf').index, ['_layer'])).toBe(6);
      expect(fresh.find('Canvas/One/MyLeaf/Tip/Hat')).toBeDefined();
      const plain = firstComponent(fresh, fresh.get('Canvas/Plain').index);
      expect(getValue(fresh, plain, ['target'])).toEqual(ref(newTip));
      const root = firstComponent(fresh, fresh.get('Canvas/One').index);
      expect(getValue(fresh, root, ['target'])).toEqual(ref(firstComponent(fresh, newTip)));
      expect(fresh.get('Canvas/Two').asset).toBe(branchUuid);
    },
  );
});
