import type { Change } from './change.ts';
import {
  extrasOf,
  isComponent,
  isNode,
  listIn,
  localIdOf,
  ownInfoOf,
  propertyPathOf,
  setField,
  targetInfo,
} from './entries.ts';
import { insideBase } from './expansion.ts';
import { adopt } from './identity.ts';
import { newObjectId } from './ids.ts';
import type { NewId } from './ids.ts';
import {
  cloneJson,
  eachRef,
  isList,
  isObject,
  ref,
  refIndex,
  refIndices,
  textOf,
  typeOf,
} from './json.ts';
import type { Entry, Json, OwnEntry } from './json.ts';
import { rememberLinks } from './links.ts';
import { instanceAt, keep, ownInstanceAt, writeOverride } from './overrides.ts';
import { ownNode } from './structure.ts';
import { append, entryAt, ownAt, rootOf } from './table.ts';
import type { SceneView } from './view.ts';

/** What becomes part of the file. */
interface Plan {
  /** Objects of the instance that are copied into the file. */
  readonly copied: Set<number>;
  /** Instances within the instance, which stay instances. */
  readonly nested: Set<number>;
  /** Ids of components that were mounted on these and are removed, so that nothing is left of them. */
  readonly gone: Set<string>;
}

/** Makes the nodes of an instance nodes of the file; instances within it stay so unless `recursive`. */
export function unpackInstance(
  view: SceneView,
  index: number,
  options: { readonly recursive?: boolean | undefined; readonly newId?: NewId | undefined } = {},
): Change[] {
  const { handle } = ownNode(view, index);
  instanceAt(view.table, index);
  const restoreLinks = rememberLinks(view);
  const plan = planOf(view, index, options.recursive ?? false);
  const numbers = copyInside(view, plan);
  moveMounts(view, { index, plan, numbers });
  moveOverrides(view, { index, plan, numbers });
  const { table } = view;
  const holder = ownInfoOf(table, entryAt(table, rootOf(table)));
  const touches = (at: number): boolean =>
    ['source', 'target'].some((side) => refIndex(entryAt(table, at)[side]) === index);
  keep(holder?.['targetOverrides'], (at) => !touches(at));
  keep(holder?.['nestedPrefabInstanceRoots'], (at) => at !== index);
  replaceStub(view, index, numbers);
  adopt(table, [index, ...numbers.values()], options.newId ?? newObjectId);
  view.refresh();
  restoreLinks();
  return [{ type: 'update', target: handle, field: '_prefab', to: null }];
}

function planOf(view: SceneView, index: number, recursive: boolean): Plan {
  const plan: Plan = { copied: new Set(), nested: new Set(), gone: new Set() };
  const waiting = [index];
  const add = (at: number): void => {
    if (at >= insideBase && !plan.copied.has(at)) waiting.push(at);
  };
  const isSeen = (at: number): boolean => view.item(at) !== undefined;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at !== index) plan.copied.add(at);
    const node = view.at(at);
    const instance = at === index ? undefined : instanceIn(view, node);
    if (instance && !recursive) {
      plan.nested.add(at);
      addParts(view, node['_prefab'] ?? null, plan.copied);
      for (const info of infosIn(view, instance)) {
        refIndices(info['nodes']).filter(isSeen).forEach(add);
        for (const component of refIndices(info['components'])) {
          if (isSeen(component)) addObject(view, component, plan);
          else plan.gone.add([...wayTo(view, at), fileIdOf(view, component)].join());
        }
      }
      continue;
    }
    for (const component of refIndices(node['_components'])) addObject(view, component, plan);
    refIndices(node['_children']).forEach(add);
  }
  return plan;
}

/** How overrides of the instance begin that are about what is in an instance within it. */
const wayTo = (view: SceneView, nested: number): readonly string[] =>
  view.item(nested)?.localId?.slice(0, -1) ?? [];

function fileIdOf(view: SceneView, component: number): string {
  const info = refIndex(view.peek(component)?.['__prefab']);
  return info === undefined ? '' : textOf(view.peek(info)?.['fileId']);
}

function instanceIn(view: SceneView, node: Entry): Entry | undefined {
  const info = refIndex(node['_prefab']);
  const instance = info === undefined ? undefined : refIndex(view.at(info)['instance']);
  return instance === undefined ? undefined : view.at(instance);
}

const infosIn = (view: SceneView, instance: Entry): Entry[] =>
  ['mountedChildren', 'mountedComponents'].flatMap((key) =>
    refIndices(instance[key]).map((at) => view.at(at)),
  );

/** Adds a component with what belongs to it. */
function addObject(view: SceneView, index: number, { copied }: Plan): void {
  if (index < insideBase) return;
  copied.add(index);
  for (const [key, value] of Object.entries(view.at(index))) {
    if (key !== '__prefab') addParts(view, value, copied);
  }
}

/** Adds the objects that a value leads to and that are neither nodes nor components. */
function addParts(view: SceneView, value: Json, copied: Set<number>): void {
  eachRef(value, (at) => {
    const entry = at < insideBase || copied.has(at) || view.item(at) ? undefined : view.at(at);
    // A component that is not in the tree was removed: nobody has it any more.
    if (!entry || isNode(entry) || isComponent(entry) || entry['__type__'] === 'cc.Prefab') return;
    copied.add(at);
    addParts(view, entry, copied);
  });
}

/** Copies the planned objects into the file; answers their new numbers. */
function copyInside(view: SceneView, plan: Plan): Map<number, number> {
  const { table } = view;
  const start = table.objects.length;
  const numbers = new Map([...plan.copied].map((at, position) => [at, start + position]));
  const renumber = (at: number): number | null =>
    at < insideBase ? at : (numbers.get(at) ?? null);
  for (const at of plan.copied) {
    const whole = view.at(at);
    const entry = plan.nested.has(at) ? stubOf(whole) : whole;
    const copy = cloneJson(entry, renumber);
    if (typeOf(copy).startsWith('cc.Mounted')) dropRemoved(copy);
    const owner = view.item(at)?.owner;
    const up = view.item(at)?.kind === 'component' ? 'node' : '_parent';
    if (owner !== undefined) copy[up] = ref(renumber(owner) ?? nestedRoot(view, owner, numbers));
    else if (copy['__type__'] === 'cc.PrefabInstance') copy['prefabRootNode'] = null;
    append(table, copy);
  }
  return numbers;
}

function dropRemoved(info: OwnEntry): void {
  for (const key of ['nodes', 'components']) {
    const members = info[key];
    if (isList(members)) info[key] = members.filter((member) => member !== null);
  }
}

/** The new number of the instance that a node which stays inside belongs to. */
function nestedRoot(view: SceneView, inside: number, numbers: ReadonlyMap<number, number>): number {
  let at: number | undefined = inside;
  while (at !== undefined && !numbers.has(at)) at = view.item(at)?.owner;
  return numbers.get(at ?? -1) ?? rootOf(view.table);
}

const stubOf = (node: Entry): Entry => ({
  __type__: 'cc.Node',
  _objFlags: node['_objFlags'] ?? 0,
  _parent: node['_parent'] ?? null,
  _prefab: node['_prefab'] ?? null,
  __editorExtras__: {},
});

function replaceStub(view: SceneView, index: number, numbers: ReadonlyMap<number, number>): void {
  const stub = ownAt(view.table, index);
  const whole = cloneJson(view.at(index), (at) =>
    at < insideBase ? at : (numbers.get(at) ?? null),
  );
  for (const key of Object.keys(stub)) delete stub[key];
  Object.assign(stub, whole, { _prefab: null });
}

interface NestedTarget {
  readonly number: number;
  readonly localId: readonly string[];
}

interface Moving {
  /** The instance that is unpacked. */
  readonly index: number;
  readonly plan: Plan;
  readonly numbers: ReadonlyMap<number, number>;
}

/** The innermost instance that stays one to which a local id of the unpacked one leads: its new number, and the rest of the id. */
function nestedTargetOf(
  view: SceneView,
  localId: readonly string[],
  moving: Moving,
): NestedTarget | undefined {
  // What the unpacked prefab had mounted on an inner instance is now in the file itself.
  const target = view.target(moving.index, localId)?.index ?? -1;
  if (moving.numbers.has(target) && !moving.plan.nested.has(target)) return undefined;
  let nested: NestedTarget | undefined;
  let deepest = 0;
  for (const at of moving.plan.nested) {
    const way = wayTo(view, at);
    const number = moving.numbers.get(at);
    const leads = way.every((step, place) => localId[place] === step);
    if (number === undefined || !leads || way.length <= deepest || way.length >= localId.length) {
      continue;
    }
    deepest = way.length;
    nested = { number, localId: localId.slice(way.length) };
  }
  return nested;
}

/** What was mounted on the instance hangs on the copies, or is mounted on the instances that stay. */
function moveMounts(view: SceneView, moving: Moving): void {
  const { table } = view;
  const { index } = moving;
  const instance = instanceAt(table, index);
  for (const [key, members, up] of [
    ['mountedChildren', 'nodes', '_parent'],
    ['mountedComponents', 'components', 'node'],
  ] as const) {
    for (const at of refIndices(instance[key])) {
      const info = ownAt(table, at);
      const localId = localIdOf(table, info['targetInfo']);
      const nested = nestedTargetOf(view, localId, moving);
      if (nested !== undefined) {
        info['targetInfo'] = ref(append(table, targetInfo(nested.localId)));
        listIn(ownInstanceAt(table, nested.number), key).push(ref(at));
      }
      for (const member of refIndices(info[members])) {
        const entry = ownAt(table, member);
        const owner = view.item(member)?.owner ?? index;
        setField(entry, {
          key: up,
          value: ref(
            nested?.number ?? moving.numbers.get(owner) ?? (owner < insideBase ? owner : index),
          ),
        });
        const { mountedRoot: _, ...extras } = extrasOf(entry);
        if (isObject(entry['__editorExtras__'])) {
          entry['__editorExtras__'] =
            nested === undefined ? extras : { ...extras, mountedRoot: ref(nested.number) };
        }
      }
    }
  }
}

/** What the instance said of instances within it is said of these. */
function moveOverrides(view: SceneView, moving: Moving): void {
  const { table } = view;
  const instance = instanceAt(table, moving.index);
  for (const at of refIndices(instance['propertyOverrides'])) {
    const override = entryAt(table, at);
    const localId = localIdOf(table, override['targetInfo']);
    const nested = nestedTargetOf(view, localId, moving);
    if (nested === undefined) continue;
    const key = {
      instance: nested.number,
      localId: nested.localId,
      path: propertyPathOf(override),
    };
    writeOverride(table, key, cloneJson(override['value'] ?? null));
  }
  for (const at of refIndices(instance['removedComponents'])) {
    const localId = localIdOf(table, ref(at));
    const nested = nestedTargetOf(view, localId, moving);
    if (nested === undefined || moving.plan.gone.has(localId.join())) continue;
    const info = ref(append(table, targetInfo(nested.localId)));
    listIn(ownInstanceAt(table, nested.number), 'removedComponents').push(info);
  }
}
