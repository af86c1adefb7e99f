import { type OwnEntry, type OwnJson, ref, refIndex, textOf } from '@mcp-kit/cocos/document';
import type { FindingCode } from '@mcp-kit/cocos/validate';

/** One way to break a file of the sample: what the validator must say then, and nothing else. */
export interface Defect {
  readonly code: FindingCode;
  readonly file: string;
  readonly change: (objects: OwnEntry[]) => void;
  /** How many findings there are; 1 when absent. */
  readonly count?: number;
  /** Whether repair gives back the very bytes; where it cannot be repaired, absent. */
  readonly repair?: 'exact' | 'other';
}

export const menu = 'assets/scenes/menu.scene';
export const game = 'assets/scenes/game.scene';
export const button = 'assets/prefabs/button.prefab';
export const dialog = 'assets/prefabs/dialog.prefab';

/** The number of the node of a name. */
export function nodeAt(objects: readonly OwnEntry[], name: string): number {
  return objects.findIndex((entry) => entry['__type__'] === 'cc.Node' && entry['_name'] === name);
}

/** The object of a number. */
export function at(objects: readonly OwnEntry[], index: number | undefined): OwnEntry {
  const entry = objects[index ?? -1];
  if (entry === undefined) throw new Error(`no object ${index}`);
  return entry;
}

const node = (objects: readonly OwnEntry[], name: string): OwnEntry =>
  at(objects, nodeAt(objects, name));

/** The component of a class on the node of a name. */
function part(objects: readonly OwnEntry[], name: string, type: string): OwnEntry {
  const index = nodeAt(objects, name);
  const found = objects.find(
    (entry) => entry['__type__'] === type && refIndex(entry['node']) === index,
  );
  if (found === undefined) throw new Error(`no ${type} on ${name}`);
  return found;
}

const first = (objects: readonly OwnEntry[], type: string): OwnEntry =>
  at(
    objects,
    objects.findIndex((entry) => entry['__type__'] === type),
  );

const listOf = (entry: OwnEntry, field: string): OwnJson[] => {
  const list = entry[field];
  if (!Array.isArray(list)) throw new Error(`no list ${field}`);
  return list;
};

const script = (objects: readonly OwnEntry[]): OwnEntry =>
  at(
    objects,
    objects.findIndex((entry) => 'gameScene' in entry),
  );

function drop(list: OwnJson[], index: number): void {
  list.splice(
    list.findIndex((element) => refIndex(element) === index),
    1,
  );
}

function move(objects: OwnEntry[], name: string, parent: number): void {
  const index = nodeAt(objects, name);
  const entry = at(objects, index);
  drop(listOf(at(objects, refIndex(entry['_parent'])), '_children'), index);
  listOf(at(objects, parent), '_children').push(ref(index));
  entry['_parent'] = ref(parent);
}

const assetIn = (value: OwnJson | undefined): Record<string, OwnJson> =>
  value as Record<string, OwnJson>;

const sprite = (objects: readonly OwnEntry[]): OwnEntry => part(objects, 'Background', 'cc.Sprite');

/** A file of the sample with a defect. */
export function broken(text: string, { change }: Defect): string {
  const objects = JSON.parse(text) as OwnEntry[];
  change(objects);
  return JSON.stringify(objects, null, 2);
}

/** Every rule that one change to an object can break. */
export const defects: readonly Defect[] = [
  {
    code: 'danglingId',
    file: menu,
    change: (objects) => (script(objects)['title'] = ref(99_999)),
    repair: 'other',
  },
  {
    code: 'danglingId',
    file: menu,
    change: (objects) => listOf(node(objects, 'Canvas'), '_children').unshift(ref(-1)),
    repair: 'exact',
  },
  {
    code: 'typeMismatch',
    file: menu,
    change: (objects) => (part(objects, 'Title', 'cc.Label')['__prefab'] = ref(1)),
  },
  {
    code: 'nullChild',
    file: menu,
    change: (objects) => listOf(node(objects, 'Canvas'), '_children').splice(1, 0, null, null),
    count: 2,
    repair: 'exact',
  },
  {
    code: 'nullComponent',
    file: menu,
    change: (objects) => listOf(node(objects, 'Title'), '_components').push(null),
    repair: 'exact',
  },
  {
    code: 'childParentMismatch',
    file: menu,
    change: (objects) => (node(objects, 'Title')['_parent'] = ref(nodeAt(objects, 'Stars'))),
    repair: 'exact',
  },
  {
    code: 'childParentMismatch',
    file: menu,
    change: (objects) =>
      listOf(node(objects, 'Stars'), '_children').push(ref(nodeAt(objects, 'Title'))),
    repair: 'exact',
  },
  {
    code: 'childParentMismatch',
    file: menu,
    // What lists something above it must not be gone round in for ever.
    change: (objects) =>
      listOf(node(objects, 'Stars'), '_children').push(ref(nodeAt(objects, 'Canvas'))),
    repair: 'exact',
  },
  {
    code: 'compNodeMismatch',
    file: menu,
    change: (objects) =>
      (part(objects, 'Title', 'cc.Label')['node'] = ref(nodeAt(objects, 'Version'))),
    repair: 'exact',
  },
  {
    code: 'orphan',
    file: menu,
    change: (objects) =>
      drop(listOf(node(objects, 'Canvas'), '_children'), nodeAt(objects, 'Title')),
  },
  {
    code: 'cycle',
    file: menu,
    change: (objects) => move(objects, 'Stars', nodeAt(objects, 'Star')),
  },
  {
    code: 'dupId',
    file: menu,
    change: (objects) => (node(objects, 'Title')['_id'] = node(objects, 'Stars')['_id'] ?? ''),
    repair: 'other',
  },
  {
    code: 'dupFileId',
    file: button,
    change: (objects) => {
      const [one, other] = objects.filter((entry) => entry['__type__'] === 'cc.CompPrefabInfo');
      if (one && other) other['fileId'] = one['fileId'] ?? '';
    },
  },
  {
    code: 'missingScript',
    file: menu,
    change: (objects) => (script(objects)['__type__'] = '00000AAAAAAAAAAAAAAAAAA'),
  },
  {
    code: 'unknownClass',
    file: menu,
    change: (objects) => (part(objects, 'Title', 'cc.Label')['__type__'] = 'cc.Lable'),
  },
  {
    code: 'unknownClass',
    file: menu,
    change: (objects) => (first(objects, 'cc.ClickEvent')['__type__'] = 'NoSuchEvent'),
  },
  {
    code: 'missingAsset',
    file: menu,
    change: (objects) => {
      const value = assetIn(sprite(objects)['_spriteFrame']);
      value['__uuid__'] = '00000000-0000-4000-8000-000000000000@f9941';
    },
  },
  {
    code: 'missingSubAsset',
    file: menu,
    change: (objects) => {
      const value = assetIn(sprite(objects)['_spriteFrame']);
      value['__uuid__'] = textOf(value['__uuid__']).replace('f9941', '12345');
    },
  },
  {
    code: 'wrongAssetType',
    file: menu,
    change: (objects) => {
      const value = assetIn(sprite(objects)['_spriteFrame']);
      value['__uuid__'] = textOf(value['__uuid__']).replace('f9941', '6c48a');
    },
  },
  {
    code: 'prefabNodeWithoutInfo',
    file: button,
    change: (objects) => (node(objects, 'Label')['_prefab'] = null),
    repair: 'other',
  },
  {
    code: 'prefabCompWithoutInfo',
    file: button,
    change: (objects) => (part(objects, 'Label', 'cc.Label')['__prefab'] = null),
    repair: 'other',
  },
  {
    code: 'nestedRootsMismatch',
    file: menu,
    change: (objects) => {
      const holder = at(objects, refIndex(at(objects, 1)['_prefab']));
      listOf(holder, 'nestedPrefabInstanceRoots').pop();
    },
    repair: 'exact',
  },
  {
    code: 'nestedRootsMismatch',
    file: menu,
    change: (objects) => {
      const holder = at(objects, refIndex(at(objects, 1)['_prefab']));
      listOf(holder, 'nestedPrefabInstanceRoots').push(ref(nodeAt(objects, 'Title')));
    },
    repair: 'exact',
  },
  {
    code: 'overrideTargetMissing',
    file: dialog,
    change: (objects) => {
      const names = objects.filter((entry) => entry['__type__'] === 'cc.TargetInfo');
      at(names, names.length - 1)['localID'] = ['00AAAAAAAAAAAAAAAAAAAA'];
    },
    // The length of a list, and what is in it.
    count: 2,
  },
  {
    code: 'prefabAssetMissing',
    file: dialog,
    change: (objects) => {
      const info = objects.find((entry) => entry['instance']);
      assetIn(info?.['asset'])['__uuid__'] = '00000000-0000-4000-8000-000000000000';
    },
  },
  {
    code: 'sceneIdMismatch',
    file: menu,
    change: (objects) => (at(objects, 1)['_id'] = '00000000-0000-4000-8000-000000000000'),
    repair: 'exact',
  },
  {
    code: 'assetName',
    file: menu,
    change: (objects) => (at(objects, 0)['_name'] = 'other'),
    repair: 'exact',
  },
  {
    code: 'assetName',
    file: button,
    change: (objects) => (node(objects, 'button')['_name'] = 'Other'),
    repair: 'exact',
  },
  {
    code: 'missingRequired',
    file: menu,
    change: (objects) =>
      (part(objects, 'Title', 'cc.UITransform')['__type__'] = 'cc.BlockInputEvents'),
    count: 2,
    repair: 'other',
  },
  {
    code: 'doubleRenderer',
    file: menu,
    change: (objects) => (part(objects, 'Star', 'cc.UIOpacity')['__type__'] = 'cc.Graphics'),
  },
  {
    code: 'doubleRenderer',
    file: menu,
    change: (objects) => (part(objects, 'Star', 'cc.UIOpacity')['__type__'] = 'cc.UITransform'),
  },
  { code: 'uiWithoutCanvas', file: menu, change: (objects) => move(objects, 'Title', 1) },
  {
    code: 'canvasWithoutCamera',
    file: menu,
    change: (objects) => (first(objects, 'cc.Canvas')['_cameraComponent'] = null),
    repair: 'exact',
  },
  {
    code: 'layerNotSeen',
    file: menu,
    change: (objects) => (node(objects, 'Title')['_layer'] = 1),
  },
  {
    code: 'performance',
    file: menu,
    change: (objects) => {
      const stars = nodeAt(objects, 'Stars');
      for (let count = 0; count < 1000; count += 1) {
        const extra = { ...node(objects, 'Stars'), _children: [], _components: [] };
        const _id = `00${String(count).padStart(20, 'A')}`;
        objects.push({ ...extra, _parent: ref(stars), _id });
        listOf(at(objects, stars), '_children').push(ref(objects.length - 1));
      }
    },
  },
];
