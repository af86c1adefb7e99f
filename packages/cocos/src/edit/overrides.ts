import {
  type Change,
  CocosError,
  describeValue,
  type InstanceOverride,
  type Json,
  overridesOf,
  revertOverrides as revertIn,
  type ViewItem,
} from '#cocos/document';
import { labelOf } from './component-class.ts';
import { updateNode } from './nodes.ts';
import { findAsset } from './find-asset.ts';
import { requireInstance } from './prefabs.ts';
import { setProperties } from './properties.ts';
import { shownProperty, shownValue } from './read-component.ts';
import { requireComponentItem } from './references.ts';
import { setTransform } from './transform.ts';
import type { SceneDocument } from './workspace.ts';

/** Something that an instance has other than its prefab. */
export interface OverrideReading {
  readonly kind: InstanceOverride['kind'];
  /** The handle of the node or component; absent where the prefab no longer has it. */
  readonly target: string | undefined;
  /** `Panel/Title`, `Panel/Title:cc.Label`. */
  readonly path: string | undefined;
  /** As the editor calls it: `contentSize`. */
  readonly property: string;
  /** As it is stored: `_contentSize`. */
  readonly stored: string;
  readonly value: Json;
  /** Name and place of the root, which every instance has of its own. */
  readonly reserved: boolean;
}

/** What an instance has other than its prefab. */
export function listOverrides(document: SceneDocument, reference: string): OverrideReading[] {
  const { index } = requireInstance(document, reference);
  const all = overridesOf(document.view, index).map((override) => read(document, override));
  const turned = new Set(all.flatMap(({ stored, target }) => (stored === '_euler' ? target : [])));
  // Where the angles are told, they say the same.
  return all.filter(({ stored, target }) => stored !== '_lrot' || !turned.has(target));
}

function read(document: SceneDocument, override: InstanceOverride): OverrideReading {
  const { view, workspace } = document;
  const { kind, target, path, value, reserved } = override;
  const stored = path.join('.');
  const shown = target && shownProperty(document, target, stored);
  return {
    kind,
    target: target?.handle,
    path: target && labelOf(document, target),
    property: shown?.name ?? stored,
    stored,
    value: shownValue(workspace, shown?.kind ?? { kind: 'any' }, describeValue(view, value)),
    reserved,
  };
}

/** Whether an override is of the property of a name, be it the editor's or the stored one; a rotation is stored as two. */
export const isOfProperty = ({ property, stored }: OverrideReading, name: string): boolean =>
  name === property || name === stored || (name === 'rotation' && stored === '_lrot');

/** A part of an instance: named as anywhere, or by the way to it from the root of the instance. */
export function partOfInstance(
  document: SceneDocument,
  root: ViewItem,
  reference: string,
): ViewItem {
  const { view } = document;
  const found = view.find(reference);
  if (found !== undefined) return found;
  const separator = reference.startsWith(':') ? '' : '/';
  const below = `${view.path(root.index)}${separator}${reference}`;
  if (!reference.includes(':')) return view.get(below);
  const node = below.slice(0, below.lastIndexOf(':'));
  return requireComponentItem(document, view.find(node) === undefined ? reference : below);
}

/** Lets an instance be as its prefab, in all or in what is selected; its name and place stay its own. */
export function revertOverrides(
  document: SceneDocument,
  reference: string,
  select: (override: OverrideReading) => boolean = () => true,
): { changes: Change[] } {
  const { index } = requireInstance(document, reference);
  const changes = revertIn(document.view, index, (override) => select(read(document, override)));
  return { changes };
}

/** What an instance shall have other than its prefab. */
export interface InstanceUpdate {
  /** Fails where the instance is not of this prefab. */
  readonly prefab?: string | undefined;
  /** First lets the instance be as its prefab. */
  readonly revert?: boolean | undefined;
  readonly overrides?: readonly OverrideChange[] | undefined;
}

/** A property of a part of an instance. */
export interface OverrideChange {
  /** A handle, or a path below the instance; the root of the instance where absent. */
  readonly target?: string | undefined;
  /** Of a node: name, active, layer, position, rotation, scale; of a component: one of its properties. */
  readonly property: string;
  readonly value: Json;
}

/** What updating an instance did to what it has other than its prefab. */
export interface InstanceUpdated {
  readonly node: string;
  readonly diff: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  readonly changes: readonly Change[];
}

/** Changes what an instance has other than its prefab. */
export function updateInstance(
  document: SceneDocument,
  reference: string,
  { prefab, revert = false, overrides = [] }: InstanceUpdate,
): InstanceUpdated {
  const item = requireInstance(document, reference);
  if (
    prefab !== undefined &&
    findAsset(document.workspace, prefab, 'cc.Prefab').uuid !== item.asset
  ) {
    throw new CocosError('E_CONFLICT', `"${reference}" is not an instance of "${prefab}".`, {
      details: { prefab: item.asset },
    });
  }
  const before = summary(document, item.handle);
  const changes: Change[] = [];
  if (revert) changes.push(...revertOverrides(document, item.handle).changes);
  for (const override of overrides) changes.push(...applyOverride(document, item.handle, override));
  const after = summary(document, item.handle);
  const added = [...after.keys()].filter((key) => !before.has(key));
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const changed = [...after].filter(([key, value]) => (before.get(key) ?? value) !== value);
  return {
    node: item.handle,
    diff: { added, changed: changed.map(([key]) => key), removed },
    changes,
  };
}

function summary(document: SceneDocument, handle: string): Map<string, string> {
  return new Map(
    listOverrides(document, handle).map(({ kind, path = '?', property, value }) => {
      const what = kind === 'property' || kind === 'reference' ? property : kind;
      return [`${path}.${what}`, JSON.stringify(value)];
    }),
  );
}

function applyOverride(
  document: SceneDocument,
  instance: string,
  { target, property, value }: OverrideChange,
): readonly Change[] {
  const root = document.view.get(instance);
  const item = target === undefined ? root : partOfInstance(document, root, target);
  if (item.kind === 'component') {
    return setProperties(document, item.handle, { [property]: value }).changes;
  }
  if (/^(position|rotation|scale)$/.test(property) && typeof value === 'object' && value !== null) {
    return setTransform(document, item.handle, { [property]: value }).changes;
  }
  if (/^(name|active|layer)$/.test(property)) {
    return updateNode(document, item.handle, { [property]: value }).changes;
  }
  throw new CocosError('E_INVALID_ARGUMENT', `A node has no property "${property}" to override.`, {
    suggestion:
      'Properties: name, active, layer, position, rotation, scale. Or name a component as target.',
  });
}
