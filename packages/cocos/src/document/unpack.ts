import type { Change } from './change.ts';
import {
  extrasOf,
  infoOf,
  listIn,
  localIdOf,
  propertyPathOf,
  setField,
  targetInfo,
} from './entries.ts';
import { insideBase } from './expansion.ts';
import { adopt } from './identity.ts';
import { newObjectId } from './ids.ts';
import type { NewId } from './ids.ts';
import { cloneJson, eachRef, isObject, ref, refIndex, refIndices } from './json.ts';
import type { Entry, Json } from './json.ts';
import { instanceAt, keep, writeOverride } from './overrides.ts';
import { ownNode } from './structure.ts';
import { append, entryAt, rootOf } from './table.ts';
import { setValue } from './values.ts';
import type { SceneView } from './view.ts';

/** A node or component before and after: a number that is mapped, or a place in an instance that stays one. */
interface Spot {
  readonly index: number;
  readonly nested?: { readonly root: number; readonly localId: readonly string[] };
}

interface Link {
  readonly from: Spot;
  readonly path: readonly string[];
  readonly to: Spot;
}

/** What becomes part of the file. */
interface Plan {
  /** Objects of the instance that are copied into the file. */
  readonly copied: Set<number>;
  /** Instances within the instance, which stay instances. */
  readonly nested: Set<number>;
  readonly links: Link[];
}

/** Makes the nodes of an instance nodes of the file; instances within it stay so unless `recursive`. */
export function unpackInstance(
  view: SceneView,
  index: number,
  options: { readonly recursive?: boolean; readonly newId?: NewId } = {},
): Change[] {
  const { handle } = ownNode(view, index);
  instanceAt(view.table, index);
  const plan = planOf(view, index, options.recursive ?? false);
  const numbers = copyInside(view, plan);
  moveMounts(view, { index, plan, numbers });
  moveOverrides(view, { index, plan, numbers });
  const { table } = view;
  const holder = infoOf(table, entryAt(table, rootOf(table)));
  const touches = (at: number): boolean =>
    ['source', 'target'].some((side) => refIndex(entryAt(table, at)[side]) === index);
  keep(holder?.['targetOverrides'], (at) => !touches(at));
  keep(holder?.['nestedPrefabInstanceRoots'], (at) => at !== index);
  replaceStub(view, index, numbers);
  adopt(table, [index, ...numbers.values()], options.newId ?? newObjectId);
  view.refresh();
  for (const { from, path, to } of plan.links) {
    const [source, target] = [from, to].map((spot) => present(view, spot, numbers));
    if (source !== undefined && target !== undefined) {
      setValue(view, source, { path, value: ref(target) });
    }
  }
  return [{ type: 'update', target: handle, field: '_prefab', to: null }];
}

function present(
  view: SceneView,
  { index, nested }: Spot,
  numbers: ReadonlyMap<number, number>,
): number | undefined {
  const root = nested && numbers.get(nested.root);
  if (nested && root !== undefined) return view.target(root, nested.localId)?.index;
  return index < insideBase ? index : numbers.get(index);
}

function planOf(view: SceneView, index: number, recursive: boolean): Plan {
  const plan: Plan = { copied: new Set(), nested: new Set(), links: [] };
  const waiting = [index];
  const add = (at: number): void => {
    if (at >= insideBase && !plan.copied.has(at)) waiting.push(at);
  };
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at !== index) plan.copied.add(at);
    const node = view.at(at);
    const instance = at === index ? undefined : instanceIn(view, node);
    if (instance && !recursive) {
      plan.nested.add(at);
      addParts(view, node['_prefab'] ?? null, plan.copied);
      for (const info of infosIn(view, instance)) {
        refIndices(info['nodes']).forEach(add);
        for (const component of refIndices(info['components'])) addObject(view, component, plan);
      }
      continue;
    }
    for (const component of refIndices(node['_components'])) addObject(view, component, plan);
    refIndices(node['_children']).forEach(add);
  }
  plan.links.push(...linksOf(view, index, plan));
  return plan;
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
    if (!entry || entry['__type__'] === 'cc.Node' || entry['__type__'] === 'cc.Prefab') return;
    copied.add(at);
    addParts(view, entry, copied);
  });
}

/** The references that a plain copy would lose: those that end in an instance, now or then. */
function linksOf(view: SceneView, index: number, plan: Plan): Link[] {
  const { table } = view;
  const links: Link[] = [];
  const spotOf = (at: number): Spot => {
    const item = view.item(at);
    const root = [...plan.nested].find(
      (nested) => view.item(nested)?.localId?.[0] === item?.localId?.[0] && at >= insideBase,
    );
    if (root === undefined || plan.copied.has(at) || !item?.localId) return { index: at };
    return { index: at, nested: { root, localId: item.localId.slice(1) } };
  };
  const search = (value: Json, path: readonly string[], from: number): void => {
    if (typeof value !== 'object' || value === null) return;
    const to = refIndex(value);
    if (to === undefined) {
      for (const [key, part] of Object.entries(value)) search(part, [...path, key], from);
    } else if (to >= insideBase && !plan.copied.has(to) && view.item(to)) {
      links.push({ from: { index: from }, path, to: spotOf(to) });
    }
  };
  for (const at of plan.copied) {
    if (view.item(at)?.kind !== 'component') continue;
    for (const [key, value] of Object.entries(view.at(at))) {
      if (key !== 'node' && key !== '__prefab') search(value, [key], at);
    }
  }
  const holder = infoOf(table, entryAt(table, rootOf(table)));
  for (const at of refIndices(holder?.['targetOverrides'])) {
    const override = entryAt(table, at);
    const ends = (['source', 'target'] as const).map((side) => {
      const end = refIndex(override[side]) ?? -1;
      const localId = localIdOf(table, override[`${side}Info`]);
      return { end, at: localId.length > 0 ? view.target(end, localId)?.index : end };
    });
    const [from, to] = ends.map((end) => end.at);
    if (!ends.some(({ end }) => end === index) || from === undefined || to === undefined) continue;
    links.push({ from: spotOf(from), path: propertyPathOf(override), to: spotOf(to) });
  }
  return links;
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
    const owner = view.item(at)?.owner;
    const up = view.item(at)?.kind === 'component' ? 'node' : '_parent';
    if (owner !== undefined) copy[up] = ref(renumber(owner) ?? nestedRoot(view, owner, numbers));
    else if (copy['__type__'] === 'cc.PrefabInstance') copy['prefabRootNode'] = null;
    append(table, copy);
  }
  return numbers;
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
  const stub = entryAt(view.table, index);
  const whole = cloneJson(view.at(index), (at) =>
    at < insideBase ? at : (numbers.get(at) ?? null),
  );
  for (const key of Object.keys(stub)) delete stub[key];
  Object.assign(stub, whole, { _prefab: null });
}

interface Moving {
  /** The instance that is unpacked. */
  readonly index: number;
  readonly plan: Plan;
  readonly numbers: ReadonlyMap<number, number>;
}

/** The instance that stays one, by its new number, to which a local id of the unpacked one leads. */
function heirOf(view: SceneView, localId: readonly string[], moving: Moving): number | undefined {
  if (localId.length < 2) return undefined;
  // What the unpacked prefab had mounted on an inner instance is now in the file itself.
  const target = view.target(moving.index, localId)?.index ?? -1;
  if (moving.numbers.has(target) && !moving.plan.nested.has(target)) return undefined;
  const root = [...moving.plan.nested].find((at) => view.item(at)?.localId?.[0] === localId[0]);
  return root === undefined ? undefined : moving.numbers.get(root);
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
      const info = entryAt(table, at);
      const localId = localIdOf(table, info['targetInfo']);
      const heir = heirOf(view, localId, moving);
      if (heir !== undefined) {
        info['targetInfo'] = ref(append(table, targetInfo(localId.slice(1))));
        listIn(instanceAt(table, heir), key).push(ref(at));
      }
      for (const member of refIndices(info[members])) {
        const entry = entryAt(table, member);
        const owner = view.item(member)?.owner ?? index;
        setField(entry, {
          key: up,
          value: ref(heir ?? moving.numbers.get(owner) ?? (owner < insideBase ? owner : index)),
        });
        const { mountedRoot: _, ...extras } = extrasOf(entry);
        if (isObject(entry['__editorExtras__'])) {
          entry['__editorExtras__'] =
            heir === undefined ? extras : { ...extras, mountedRoot: ref(heir) };
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
    const heir = heirOf(view, localId, moving);
    if (heir === undefined) continue;
    const key = { instance: heir, localId: localId.slice(1), path: propertyPathOf(override) };
    writeOverride(table, key, cloneJson(override['value'] ?? null));
  }
  for (const at of refIndices(instance['removedComponents'])) {
    const localId = localIdOf(table, ref(at));
    const heir = heirOf(view, localId, moving);
    if (heir === undefined) continue;
    const info = ref(append(table, targetInfo(localId.slice(1))));
    listIn(instanceAt(table, heir), 'removedComponents').push(info);
  }
}
