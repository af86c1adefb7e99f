import {
  append,
  checkTable,
  editTable,
  insertNode,
  isSoundAround,
  listIn,
  ownAt,
  parseTable,
  print,
  printTable,
  ref,
  refIndices,
  SceneView,
  setValue,
  type OwnEntry,
  type Table,
} from '@mcp-kit/cocos/document';
import { describe, expect, test } from 'vitest';
import { firstComponent, instance, leafUuid, sample } from '../../support/cocos/sample.ts';

/** A scene in which a node has two nodes below it, to be edited. */
function scene(): { table: Table; node: number; child: number; other: number } {
  const table = editTable(parseTable(printTable(sample().scene)));
  const node = table.objects.findIndex((entry) => entry?.['_name'] === 'Canvas');
  const [child = -1, other = -1] = refIndices(table.objects[node]?.['_children']);
  return { table, node, child, other };
}

/** What a look at the changes alone says, and what a look at everything does. */
function judged(table: Table): { around: boolean; faults: number } {
  const printed = print(table);
  const { base, anew } = printed ?? {};
  if (!printed || !base || !anew) throw new Error('nothing changed, or all was printed anew');
  const now = printed.table;
  const around = isSoundAround({ table: now, before: base, changed: anew });
  return { around, faults: checkTable(now).length };
}

const children = (table: Table, node: number) => listIn(ownAt(table, node), '_children');

describe('a look at what was changed', () => {
  test('is enough where a node was moved as it should be', () => {
    const { table, node, child, other } = scene();
    const list = children(table, node);
    list.splice(0, 1);
    children(table, other).push(ref(child));
    ownAt(table, child)['_parent'] = ref(other);
    expect(judged(table)).toEqual({ around: true, faults: 0 });
  });

  test('is enough where an instance came, or has one override more', () => {
    const { table, node } = scene();
    const { resolve } = sample();
    const view = new SceneView(table, resolve);
    const leaf = resolve(leafUuid);
    if (leaf === undefined) throw new Error('the sample has no such prefab');
    const { index } = insertNode(view, instance(leaf, leafUuid, 'New'), { parent: node });
    setValue(view, firstComponent(view, index), { path: ['_enabled'], value: false });
    expect(judged(table)).toEqual({ around: true, faults: 0 });
  });

  test('is not enough where other nodes hang on an instance than before', () => {
    const { table, child } = scene();
    const at = table.objects.findIndex((entry) => entry?.['__type__'] === 'cc.PrefabInstance');
    ownAt(table, at)['mountedChildren'] = [ref(child)];
    expect(judged(table).around).toBe(false);
  });

  const faults: readonly [string, (on: ReturnType<typeof scene>) => void][] = [
    [
      'a node that says it is below another',
      ({ table, child, other }) => {
        ownAt(table, child)['_parent'] = ref(other);
      },
    ],
    [
      'a node that is listed twice',
      ({ table, node, child }) => {
        children(table, node).push(ref(child));
      },
    ],
    [
      'a node that is listed by two',
      ({ table, child, other }) => {
        children(table, other).push(ref(child));
      },
    ],
    [
      'a node that has moved and is still listed',
      ({ table, child, other }) => {
        children(table, other).push(ref(child));
        ownAt(table, child)['_parent'] = ref(other);
      },
    ],
    [
      'something else in the place of a node',
      ({ table, node }) => {
        children(table, node).push(
          ref(append(table, { __type__: 'cc.Color', _parent: ref(node) })),
        );
      },
    ],
    [
      'an id of another',
      ({ table, node, child }) => {
        ownAt(table, child)['_id'] = ownAt(table, node)['_id'] as string;
      },
    ],
    [
      'two new ones with one id',
      ({ table, node, child }) => {
        for (const _ of [1, 2]) {
          const copy: OwnEntry = {
            ...ownAt(table, child),
            _id: 'new',
            _children: [],
            _components: [],
          };
          children(table, node).push(ref(append(table, { ...copy, _prefab: null })));
        }
      },
    ],
  ];
  test.each(faults)('sees %s', (_, harm) => {
    const on = scene();
    harm(on);
    const { around, faults: found } = judged(on.table);
    expect(found).toBeGreaterThan(0);
    expect(around).toBe(false);
  });
});
