import { isComponent, isNode } from './entries.ts';
import { ref, refIndex, typeOf } from './json.ts';
import type { Json } from './json.ts';
import { getValue, setValue } from './values.ts';
import type { SceneView, ViewItem } from './view.ts';

/** A property that points at a node or component. */
export interface ObjectLink {
  readonly from: number;
  readonly path: readonly string[];
  readonly to: number;
}

/** The fields that make the tree, and tie objects to their prefabs. */
export const structureFields: ReadonlySet<string> = new Set([
  '_parent',
  '_children',
  '_components',
  '_prefab',
  'node',
  '__prefab',
  '__editorExtras__',
]);

/** The properties of some nodes and components that point at others, also through objects of theirs such as events. */
export function linksOf(view: SceneView, sources: Iterable<ViewItem>): ObjectLink[] {
  const links: ObjectLink[] = [];
  for (const { index: from } of sources) {
    const passed = new Set<number>();
    const search = (value: Json, path: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) return;
      const to = refIndex(value);
      if (to === undefined) {
        for (const [key, part] of Object.entries(value)) search(part, [...path, key]);
        return;
      }
      if (view.item(to) !== undefined) links.push({ from, path, to });
      const part = view.peek(to);
      // What was removed from the tree may still be pointed at.
      if (part === undefined || isNode(part) || isComponent(part) || passed.has(to)) return;
      passed.add(to);
      search(part, path);
    };
    for (const [key, value] of Object.entries(view.at(from))) {
      if (!structureFields.has(key)) search(value, [key]);
    }
  }
  return links;
}

/** Notes what everything in a tree points at; has it so again when the same tree is of other objects. */
export function rememberLinks(view: SceneView): () => void {
  const before = [...view.items()];
  const places = new Map(before.map(({ index }, place) => [index, place]));
  const types = before.map(({ index }) => typeOf(view.at(index)));
  const links = linksOf(view, before);
  return () => {
    const after = [...view.items()];
    const now = (index: number): number | undefined => {
      const place = places.get(index) ?? -1;
      const item = after[place];
      return item && typeOf(view.at(item.index)) === types[place] ? item.index : undefined;
    };
    for (const { from, path, to } of links) {
      const [source, target] = [now(from), now(to)];
      if (source === undefined || target === undefined) continue;
      if (refIndex(getValue(view, source, path)) === target) continue;
      setValue(view, source, { path, value: ref(target) });
    }
  };
}
