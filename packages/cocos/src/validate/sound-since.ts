import {
  type Entry,
  infoOf,
  isComponent,
  isNode,
  refIndex,
  refIndices,
  rootOf,
  type Table,
  typeOf,
} from '#cocos/document';
import type { KnownObjects } from './known-objects.ts';
import { typeAt } from './walk.ts';

const families = [
  { list: '_children', up: '_parent' },
  { list: '_components', up: 'node' },
] as const;

/**
 * Whether the tree of a file surely is as it should be, given that it was before some objects changed. Where that takes a look at
 * everything, the answer is no.
 */
export function isSoundSince(now: KnownObjects, before: KnownObjects): boolean {
  const { changed, table } = now;
  if (changed === undefined || rootOf(table) !== rootOf(before.table)) return false;
  const change: Changing = { now, before, changed: new Set(changed) };
  return changed.every((index) => isSoundAt(change, index));
}

interface Changing {
  readonly now: KnownObjects;
  readonly before: KnownObjects;
  readonly changed: ReadonlySet<number>;
}

function isSoundAt(change: Changing, index: number): boolean {
  const { now, before } = change;
  const [entry, then] = [now.table.objects[index], before.table.objects[index]];
  return (
    isOfSameKind(change, index, then) &&
    !typeOf(entry ?? then).startsWith('cc.Mounted') &&
    keepsInstance(change, entry, then) &&
    families.every(
      (family) =>
        leavesNone(change, index, family) &&
        listsItsOwn(now, index, family) &&
        isListedOnce(change, index, family),
    ) &&
    (!isNode(entry) || isBelowRoot(now.table, index))
  );
}

type Family = (typeof families)[number];

/** What is gone, or has come, is no other thing than it was. */
function isOfSameKind({ now, before }: Changing, index: number, then: Entry | undefined): boolean {
  if (then === undefined || now.table.objects[index] === undefined) return true;
  return (
    typeAt(now.kinds, index) === typeAt(before.kinds, index) &&
    now.kinds.codes[index] === before.kinds.codes[index]
  );
}

/** What hangs on an instance need not be listed, so a node must not cease to be one. */
function keepsInstance(
  { now, before }: Changing,
  entry: Entry | undefined,
  then: Entry | undefined,
): boolean {
  if (entry === undefined || then === undefined) return true;
  if (typeOf(entry) === 'cc.PrefabInfo') {
    return refIndex(entry['instance']) === refIndex(then['instance']);
  }
  if (!isNode(entry)) return true;
  const instanceAt = (table: Table, node: Entry): number | undefined =>
    refIndex(infoOf(table, node)?.['instance']);
  return instanceAt(now.table, entry) === instanceAt(before.table, then);
}

/** What an object listed, and lists no longer, has changed as well. */
function leavesNone({ now, before, changed }: Changing, index: number, { list }: Family): boolean {
  const then = before.table.objects[index];
  if (!isNode(then)) return true;
  const listed = new Set(refIndices(now.table.objects[index]?.[list]));
  return refIndices(then?.[list]).every((at) => listed.has(at) || changed.has(at));
}

/** What a node lists is its own, each once. */
function listsItsOwn({ table: { objects } }: KnownObjects, index: number, family: Family): boolean {
  const node = objects[index];
  if (!isNode(node)) return true;
  const listed = refIndices(node?.[family.list]);
  return (
    new Set(listed).size === listed.length &&
    listed.every((at) => refIndex(objects[at]?.[family.up]) === index)
  );
}

/** What belongs to a node is listed by it, and no longer by the one that it belonged to. */
function isListedOnce({ now, before }: Changing, index: number, family: Family): boolean {
  const { objects } = now.table;
  const entry = objects[index];
  const isMember = family.list === '_children' ? isNode : isComponent;
  const ownerBefore = refIndex(before.table.objects[index]?.[family.up]);
  const owner = isMember(entry) ? refIndex(entry?.[family.up]) : undefined;
  const lists = (at: number | undefined): boolean =>
    at !== undefined && refIndices(objects[at]?.[family.list]).includes(index);
  if (ownerBefore !== owner && lists(ownerBefore)) return false;
  return !isMember(entry) || index === rootOf(now.table) || lists(owner);
}

/** Whether the parents of a node lead to the root. */
function isBelowRoot(table: Table, index: number): boolean {
  const root = rootOf(table);
  const seen = new Set<number>();
  for (let at: number | undefined = index; at !== root;) {
    if (at === undefined || seen.has(at)) return false;
    seen.add(at);
    at = refIndex(table.objects[at]?.['_parent']);
  }
  return true;
}
