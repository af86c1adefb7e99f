import {
  type Change,
  CocosError,
  insertComponent,
  insertNode,
  type InstanceOverride,
  isComponent,
  isList,
  isNode,
  type Json,
  overridesOf,
  ref,
  refIndex,
  removeComponent,
  revertOverrides,
  takeFragment,
  type ViewItem,
} from '#cocos/document';
import { componentSpec } from './component-class.ts';
import { applyPlan } from './properties.ts';
import { contains, prefabsIn, requireInstance } from './prefabs.ts';
import { openDocument, refreshOthers, type SceneDocument } from './workspace.ts';

/** What applying did. */
export interface OverridesApplied {
  readonly prefab: string;
  readonly applied: number;
  /** What only the document can say, such as references out of the instance. */
  readonly kept: number;
  readonly changes: readonly Change[];
}

interface Applying {
  readonly document: SceneDocument;
  readonly prefab: SceneDocument;
  readonly instance: ViewItem;
  readonly changes: Change[];
}

/** Makes what an instance has other than its prefab part of the prefab, so that all instances have it. */
export function applyOverrides(document: SceneDocument, reference: string): OverridesApplied {
  const instance = requireInstance(document, reference);
  const prefab = openDocument(document.workspace, instance.asset ?? '');
  if (prefab === document) {
    throw new CocosError('E_CONFLICT', 'A prefab cannot be applied to itself.');
  }
  const on: Applying = { document, prefab, instance, changes: [] };
  const overrides = overridesOf(document.view, instance.index).filter(({ reserved }) => !reserved);
  const applied = new Set<number>();
  const done = new Set<string>();
  for (const override of overrides) {
    const key = `${override.localId.join()} ${override.path[0] ?? override.entry}`;
    if (done.has(key) || applyOne(on, override)) {
      applied.add(override.entry);
      done.add(key);
    }
  }
  revertOverrides(document.view, instance.index, ({ entry }) => applied.has(entry));
  refreshOthers(prefab);
  const kept = overrides.length - applied.size;
  return { prefab: prefab.path, applied: applied.size, kept, changes: on.changes };
}

function applyOne(on: Applying, override: InstanceOverride): boolean {
  const { document, prefab, changes } = on;
  const target = inPrefab(on, override.localId);
  const source = override.target;
  if (target === undefined) return false;
  const isMounted = override.kind === 'mountedNode' || override.kind === 'mountedComponent';
  // What is mounted on something that was removed is not seen.
  if (isMounted && document.view.item(override.entry) === undefined) return false;
  switch (override.kind) {
    case 'property':
    case 'reference':
      return (
        source !== undefined && applyField(on, { target, source, field: override.path[0] ?? '' })
      );
    case 'removedComponent':
      changes.push(...removeComponent(prefab.view, target.index));
      return true;
    case 'mountedNode': {
      const { fragment } = takeFragment(document.view, override.entry);
      // It would contain itself.
      if (contains(document.workspace, prefabsIn(fragment.objects), prefab.uuid)) return false;
      changes.push(...insertNode(prefab.view, fragment, { parent: target.index }).changes);
      return true;
    }
    case 'mountedComponent': {
      const { fragment } = takeFragment(document.view, override.entry);
      changes.push(...insertComponent(prefab.view, fragment, { node: target.index }).changes);
      return true;
    }
  }
}

/** A whole field is applied at once: parts of lists make no sense alone. */
function applyField(
  on: Applying,
  { target, source, field }: { target: ViewItem; source: ViewItem; field: string },
): boolean {
  const { document, prefab, changes } = on;
  const stored = document.view.at(source.index)[field];
  const objects: string[][] = [];
  const value = stored === undefined ? undefined : translate({ ...on, objects }, stored, []);
  if (value === undefined) return false;
  const plan = [{ path: [field], value, objects }];
  const spec = target.kind === 'component' ? componentSpec(prefab, target) : undefined;
  changes.push(...applyPlan(prefab, target, { spec, plan }));
  return true;
}

interface Translating extends Applying {
  /** The places of objects that belong in the object table, inner ones first. */
  readonly objects: string[][];
}

/** The same value in the prefab; undefined where it points out of the instance. */
function translate(on: Translating, value: Json, path: string[]): Json | undefined {
  const index = refIndex(value);
  if (index !== undefined) return translateReference(on, index, path);
  if (typeof value !== 'object' || value === null) return value;
  const parts: [string, Json][] = [];
  for (const [key, part] of Object.entries(value)) {
    const translated = translate(on, part, [...path, key]);
    if (translated === undefined) return undefined;
    parts.push([key, translated]);
  }
  return isList(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function translateReference(on: Translating, index: number, path: string[]): Json | undefined {
  const { view } = on.document;
  const item = view.item(index);
  if (item === undefined) {
    const entry = view.at(index);
    if (isNode(entry) || isComponent(entry)) return undefined;
    const object = translate(on, entry, path);
    on.objects.push(path);
    return object;
  }
  if (item.instance !== on.instance.index || item.localId === undefined) return undefined;
  const same = inPrefab(on, item.localId);
  return same === undefined ? undefined : ref(same.index);
}

/** The object of the prefab that an override of an instance names. */
function inPrefab(
  { prefab: { view } }: Applying,
  localId: readonly string[],
): ViewItem | undefined {
  const [first = '', ...rest] = localId;
  const item = view.find(first);
  return item === undefined || rest.length === 0 ? item : view.target(item.index, rest);
}
