import type { Change } from './change.ts';
import { infoOf, localIdOf, ownInfoOf, prefabInfo, propertyPathOf, targetInfo } from './entries.ts';
import type { Fragment } from './fragment.ts';
import { ref, refIndex, refIndices } from './json.ts';
import type { Entry, Json } from './json.ts';
import { instanceAt, isReserved, keep, ownInstanceAt } from './overrides.ts';
import { removeComponent, removeNode, removeUnseen } from './removal.ts';
import { entryAt, rootOf } from './table.ts';
import { describeValue } from './values.ts';
import type { SceneView, ViewItem } from './view.ts';

/** One thing that an instance has other than its prefab; `entry` is the object of the file that says it. */
export interface InstanceOverride {
  readonly kind: 'property' | 'reference' | 'mountedNode' | 'mountedComponent' | 'removedComponent';
  readonly entry: number;
  /** The node or component in question; none when the prefab no longer has it. */
  readonly target: ViewItem | undefined;
  readonly localId: readonly string[];
  readonly path: readonly string[];
  readonly value: Json;
  /** One of the four that every instance has: name, position, rotation of its root. */
  readonly reserved: boolean;
}

/** An instance of a prefab, to be inserted. */
export function instanceFragment(
  asset: { readonly uuid: string; readonly rootFileId: string; readonly name: string },
  values: {
    readonly position?: Json | undefined;
    readonly rotation?: Json | undefined;
    readonly euler?: Json | undefined;
  } = {},
): Fragment {
  const zero = { __type__: 'cc.Vec3', x: 0, y: 0, z: 0 };
  const reserved: [string, Json][] = [
    ['_name', asset.name],
    ['_lpos', values.position ?? zero],
    ['_lrot', values.rotation ?? { __type__: 'cc.Quat', x: 0, y: 0, z: 0, w: 1 }],
    ['_euler', values.euler ?? zero],
  ];
  const first = 4;
  const overrides = reserved.map(([key, value]) => ({
    __type__: 'CCPropertyOverrideInfo',
    targetInfo: ref(3),
    propertyPath: [key],
    value,
  }));
  const stub = {
    __type__: 'cc.Node',
    _objFlags: 0,
    _parent: null,
    _prefab: ref(1),
    __editorExtras__: {},
  };
  const info = prefabInfo({
    root: ref(0),
    asset: { __uuid__: asset.uuid, __expectedType__: 'cc.Prefab' },
    fileId: asset.rootFileId,
    instance: ref(2),
  });
  const instance = {
    __type__: 'cc.PrefabInstance',
    fileId: '',
    prefabRootNode: null,
    mountedChildren: [],
    mountedComponents: [],
    propertyOverrides: overrides.map((_, position) => ref(first + position)),
    removedComponents: [],
  };
  const objects = [stub, info, instance, targetInfo([asset.rootFileId]), ...overrides];
  return { objects };
}

/** Everything that an instance has other than its prefab. */
export function overridesOf(view: SceneView, index: number): InstanceOverride[] {
  const { table } = view;
  const instance = instanceAt(table, index);
  const about = (
    entry: number,
    info: Json | undefined,
  ): Pick<InstanceOverride, 'entry' | 'localId' | 'target'> => {
    const localId = localIdOf(table, info);
    return { entry, localId, target: view.target(index, localId) };
  };
  const properties = refIndices(instance['propertyOverrides']).map((entry): InstanceOverride => {
    const override = entryAt(table, entry);
    return {
      kind: 'property',
      ...about(entry, override['targetInfo']),
      path: propertyPathOf(override),
      value: override['value'] ?? null,
      reserved: isReserved(table, index, override),
    };
  });
  const plain = { path: [], value: null, reserved: false };
  const removed = refIndices(instance['removedComponents']).map((entry): InstanceOverride => ({
    kind: 'removedComponent',
    ...about(entry, ref(entry)),
    ...plain,
  }));
  return [...properties, ...referencesOf(view, index), ...mountsOf(view, instance), ...removed];
}

/** What objects of an instance refer to in this or other instances. */
function referencesOf(view: SceneView, index: number): InstanceOverride[] {
  const { table } = view;
  const holder = infoOf(table, entryAt(table, rootOf(table)));
  return refIndices(holder?.['targetOverrides']).flatMap((entry) => {
    const override = entryAt(table, entry);
    const localId = localIdOf(table, override['sourceInfo']);
    if (refIndex(override['source']) !== index || localId.length === 0) return [];
    const to = view.target(
      refIndex(override['target']) ?? -1,
      localIdOf(table, override['targetInfo']),
    );
    return {
      kind: 'reference' as const,
      entry,
      localId,
      target: view.target(index, localId),
      path: propertyPathOf(override),
      value: to ? ref(to.index) : null,
      reserved: false,
    };
  });
}

function mountsOf(view: SceneView, instance: Entry): InstanceOverride[] {
  const mounted = (kind: 'mountedNode' | 'mountedComponent', list: Json | undefined, key: string) =>
    refIndices(list).flatMap((at) => {
      const info = entryAt(view.table, at);
      const localId = localIdOf(view.table, info['targetInfo']);
      return refIndices(info[key]).map((entry) => ({
        kind,
        entry,
        localId,
        target: view.item(entry),
        path: [],
        value: null,
        reserved: false,
      }));
    });
  return [
    ...mounted('mountedNode', instance['mountedChildren'], 'nodes'),
    ...mounted('mountedComponent', instance['mountedComponents'], 'components'),
  ];
}

/** The property that an override is about, as a whole: a list makes no sense with only some of its overrides. */
const propertyOf = ({ localId, path }: InstanceOverride): string =>
  [...localId, path[0] ?? ''].join('\n');

/** Lets an instance be as its prefab in all properties and parts that `select` chooses; its name and place stay its own. */
export function revertOverrides(
  view: SceneView,
  index: number,
  select: (override: InstanceOverride) => boolean = () => true,
): Change[] {
  const { table } = view;
  const all = overridesOf(view, index).filter((one) => !one.reserved);
  const selected = new Set(all.filter(select));
  const isValue = ({ path }: InstanceOverride): boolean => path.length > 0;
  const properties = new Set([...selected].filter(isValue).map(propertyOf));
  const chosen = all.filter(
    (one) => selected.has(one) || (isValue(one) && properties.has(propertyOf(one))),
  );
  const instance = ownInstanceAt(table, index);
  const handle = view.item(index)?.handle ?? `#${index}`;
  const entries = new Set(chosen.map(({ entry }) => entry));
  const changes: Change[] = [];
  for (const { kind, target, path, value, entry } of chosen) {
    const isMount = kind === 'mountedNode' || kind === 'mountedComponent';
    if (isMount && !view.item(entry)) {
      changes.push(...removeUnseen(view, instance, entry));
    } else if (kind === 'mountedNode') {
      changes.push(...removeNode(view, entry));
    } else if (kind === 'mountedComponent') {
      changes.push(...removeComponent(view, entry));
    } else {
      const field = kind === 'removedComponent' ? 'removedComponents' : path.join('.');
      const type = kind === 'removedComponent' ? 'create' : 'update';
      const from = describeValue(view, value);
      changes.push({ type, target: target?.handle ?? handle, field, from });
    }
  }
  keep(instance['propertyOverrides'], (at) => !entries.has(at));
  keep(instance['removedComponents'], (at) => !entries.has(at));
  const holder = ownInfoOf(table, entryAt(table, rootOf(table)));
  keep(holder?.['targetOverrides'], (at) => !entries.has(at));
  view.refresh();
  return changes;
}
