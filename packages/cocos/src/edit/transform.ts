import { makeValue } from '#cocos/components';
import {
  type Change,
  CocosError,
  isObject,
  type Json,
  setValue,
  type ViewItem,
} from '#cocos/document';
import { requireInnerNode } from './references.ts';
import {
  eulerFromQuat,
  placedIn,
  type Placement,
  type Quat,
  quatFromEuler,
  relativeTo,
  type Vec3,
} from './transform-math.ts';
import type { SceneDocument } from './workspace.ts';

/** The place of a node relative to its parent; angles in degrees. */
export interface Transform {
  readonly position: Vec3;
  readonly rotation: Vec3;
  readonly scale: Vec3;
}

/** The parts of a transform to set; parts of a part that are left out stay. */
export interface TransformChange {
  readonly position?: Partial<Vec3> | undefined;
  /** Degrees around each axis. */
  readonly rotation?: Partial<Vec3> | undefined;
  /** Instead of `rotation`. */
  readonly quaternion?: Quat | undefined;
  readonly scale?: Partial<Vec3> | undefined;
}

/** What setting a transform did, and what may undo it at run time. */
export interface TransformSet {
  readonly before: Transform;
  readonly after: Transform;
  readonly warnings: readonly string[];
  readonly changes: readonly Change[];
}

/** Reads the transform of a node. */
export function readTransform({ view }: SceneDocument, { index }: ViewItem): Transform {
  const node = view.at(index);
  return {
    position: vec3(node['_lpos'], 0),
    rotation: vec3(node['_euler'], 0),
    scale: vec3(node['_lscale'], 1),
  };
}

function vec3(value: Json | undefined, initial: number): Vec3 {
  const part = (key: string): number => {
    const number = isObject(value) ? value[key] : undefined;
    return typeof number === 'number' ? number : initial;
  };
  return { x: part('x'), y: part('y'), z: part('z') };
}

/** Sets the place, the rotation and the scale of a node; inside an instance these become overrides. */
export function setTransform(
  document: SceneDocument,
  reference: string,
  change: TransformChange,
): TransformSet {
  const item = requireInnerNode(document, reference);
  checkChange(change);
  const before = readTransform(document, item);
  const changes = writeTransform(document, item, change);
  const after = readTransform(document, item);
  return { before, after, warnings: warningsOf(document, item, change), changes };
}

/** Writes a checked change of a transform. */
export function writeTransform(
  document: SceneDocument,
  item: ViewItem,
  { position, rotation, quaternion, scale }: TransformChange,
): Change[] {
  const now = readTransform(document, item);
  const set = (field: string, value: Json): Change[] =>
    setValue(document.view, item.index, { path: [field], value });
  const changes: Change[] = [];
  if (position !== undefined) {
    changes.push(...set('_lpos', stored({ ...now.position, ...position })));
  }
  if (quaternion !== undefined || rotation !== undefined) {
    const euler =
      quaternion === undefined ? { ...now.rotation, ...rotation } : eulerFromQuat(quaternion);
    const { x, y, z, w } = quaternion ?? quatFromEuler(euler);
    changes.push(
      ...set('_lrot', makeValue('cc.Quat', x, y, z, w)),
      ...set('_euler', stored(euler)),
    );
  }
  if (scale !== undefined) changes.push(...set('_lscale', stored({ ...now.scale, ...scale })));
  return changes;
}

function stored({ x, y, z }: Vec3): Record<string, Json> {
  return makeValue('cc.Vec3', x, y, z);
}

/** Refuses numbers that a file cannot hold. */
export function checkChange({ position, rotation, quaternion, scale }: TransformChange): void {
  for (const [name, value] of Object.entries({ position, rotation, quaternion, scale })) {
    for (const [part, number] of Object.entries(value ?? {})) {
      if (/^[xyzw]$/.test(part) && typeof number === 'number' && Number.isFinite(number)) continue;
      throw new CocosError(
        'E_INVALID_ARGUMENT',
        `${name} must have finite numbers x, y and z; ${part} was ${String(number)}.`,
      );
    }
  }
}

function warningsOf(document: SceneDocument, item: ViewItem, change: TransformChange): string[] {
  const { view } = document;
  const has = (index: number | undefined, type: string): boolean =>
    index !== undefined &&
    view.components(index).some((part) => view.at(part.index)['__type__'] === type);
  const warnings: string[] = [];
  const { position, rotation, scale } = readTransform(document, item);
  if (has(item.index, 'cc.UITransform')) {
    if (change.position?.z !== undefined && position.z !== 0) {
      warnings.push('A 2D node is not moved by z; use the order of siblings.');
    }
    if (change.rotation !== undefined && (rotation.x !== 0 || rotation.y !== 0)) {
      warnings.push('A 2D node turned around x or y may not be drawn.');
    }
  }
  if (change.scale !== undefined && Object.values(scale).includes(0)) {
    warnings.push('A scale of 0 hides the node.');
  }
  if (change.position !== undefined && has(item.owner, 'cc.Layout')) {
    warnings.push('The cc.Layout of the parent will place the node again.');
  }
  if (change.position !== undefined && has(item.index, 'cc.Widget')) {
    warnings.push('The cc.Widget of the node may place it again.');
  }
  return warnings;
}

/** The change that keeps a node where it is in the world when it moves to another parent. */
export function keptInWorld(
  document: SceneDocument,
  item: ViewItem,
  parent: ViewItem,
): TransformChange {
  const { position, rotation, scale } = relativeTo(
    worldOf(document, parent),
    worldOf(document, item),
  );
  return { position, quaternion: rotation, scale };
}

function worldOf(document: SceneDocument, item: ViewItem): Placement {
  const { position, rotation, scale } = readTransform(document, item);
  const own = { position, rotation: quatFromEuler(rotation), scale };
  const above = item.owner === undefined ? undefined : document.view.item(item.owner);
  return above === undefined ? own : placedIn(worldOf(document, above), own);
}
