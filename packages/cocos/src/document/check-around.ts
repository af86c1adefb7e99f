import { isComponent, isNode } from './entries.ts';
import { eachRef, refIndex, refIndices, textOf, typeOf } from './json.ts';
import type { Entry } from './json.ts';
import type { Table } from './table.ts';

/** What a table has become. */
export interface Changed {
  readonly table: Table;
  readonly before: Table;
  /** The objects that are not as they were; all others still lead to objects that are there. */
  readonly changed: readonly number[];
}

/**
 * Whether what was changed surely hangs together with the rest as it should; where that takes a look at everything, the answer
 * is no.
 */
export function isSoundAround(change: Changed): boolean {
  const { changed } = change;
  return changed.every((index) => isSoundAt(change, index)) && hasOwnIds(change);
}

function isSoundAt({ table: { objects }, before }: Changed, index: number): boolean {
  const [now, then] = [objects[index] ?? {}, before.objects[index]];
  if (typeOf(now).startsWith('cc.Mounted') || !hasMountsAsBefore(now, then)) return false;
  if (then !== undefined && typeOf(then) !== typeOf(now)) return false;
  let leads = true;
  eachRef(now, (to) => {
    leads &&= objects[to] !== undefined;
  });
  return leads && listsItsOwn(objects, index) && hasLeft(objects, index, then);
}

/** Whether no other nodes and components hang on an instance than before; a new one has none. */
function hasMountsAsBefore(now: Entry, then: Entry | undefined): boolean {
  return ['mountedChildren', 'mountedComponents'].every((key) => {
    const mounted = refIndices(then?.[key]);
    const listed = refIndices(now[key]);
    return listed.length === mounted.length && listed.every((to, at) => to === mounted[at]);
  });
}

/** Whether a node lists nodes and components that are its own, each once. */
function listsItsOwn(objects: Table['objects'], index: number): boolean {
  const node = objects[index];
  if (!isNode(node)) return true;
  const [children, components] = [
    refIndices(node?.['_children']),
    refIndices(node?.['_components']),
  ];
  const members = new Set([...children, ...components]);
  return (
    members.size === children.length + components.length &&
    children.every((to) => isNode(objects[to]) && refIndex(objects[to]?.['_parent']) === index) &&
    components.every((to) => refIndex(objects[to]?.['node']) === index)
  );
}

/** Whether what has another place is no longer listed where it was. */
function hasLeft(objects: Table['objects'], index: number, then: Entry | undefined): boolean {
  const [up, list] = isNode(then) ? ['_parent', '_children'] : ['node', '_components'];
  const owner = isNode(then) || isComponent(then) ? refIndex(then?.[up]) : undefined;
  if (owner === undefined || refIndex(objects[index]?.[up]) === owner) return true;
  return !refIndices(objects[owner]?.[list]).includes(index);
}

/** Whether ids that are new are those of one object each. */
function hasOwnIds({ table, before, changed }: Changed): boolean {
  const ids = new Set<string>();
  let objects = 0;
  for (const index of changed) {
    const id = textOf(table.objects[index]?.['_id']);
    if (id === '' || id === before.objects[index]?.['_id']) continue;
    ids.add(id);
    objects += 1;
  }
  if (ids.size === 0) return true;
  const named = table.objects.filter((entry) => ids.has(textOf(entry?.['_id'])));
  return named.length === ids.size && ids.size === objects;
}
