import {
  type Change,
  isComponent,
  isNode,
  type Json,
  ref,
  refIndex,
  setValue,
  type ViewItem,
} from '#cocos/document';
import type { SceneDocument } from './workspace.ts';

/** A property that points at a node or component. */
export interface ObjectLink {
  readonly from: number;
  readonly path: readonly string[];
  readonly to: number;
}

const structure = new Set([
  '_parent',
  '_children',
  '_components',
  '_prefab',
  'node',
  '__prefab',
  '__editorExtras__',
]);

/** The properties of some nodes and components that point at others, also through objects of theirs such as events. */
export function* linksOf(
  { view }: SceneDocument,
  sources: Iterable<ViewItem>,
): Generator<ObjectLink> {
  function* search(value: Json, path: readonly string[], from: number): Generator<ObjectLink> {
    if (typeof value !== 'object' || value === null) return;
    const to = refIndex(value);
    if (to !== undefined && view.item(to) !== undefined) yield { from, path, to };
    else if (to !== undefined && !isNode(view.at(to)) && !isComponent(view.at(to)))
      yield* search(view.at(to), path, from);
    else if (to === undefined)
      for (const [key, part] of Object.entries(value))
        if (path.length > 0 || !structure.has(key)) yield* search(part, [...path, key], from);
  }
  for (const { index } of sources) yield* search(view.at(index), [], index);
}

/** Lets a property point at a node or component. */
export function setLink({ view }: SceneDocument, { from, path, to }: ObjectLink): Change[] {
  return setValue(view, from, { path, value: ref(to) });
}
