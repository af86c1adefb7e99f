import { eachReference, type Json, type Table } from '#cocos/document';
import { type AssetSpot, scanObject, type Spot } from './scan.ts';
import { kindsOf, type ObjectKinds } from './walk.ts';

/** What each object of a file is and uses; it holds for as long as the object is the same. */
export interface KnownObjects {
  readonly table: Table;
  readonly kinds: ObjectKinds;
  /** The uses of assets, by the number of the object. */
  readonly assets: readonly (readonly AssetSpot[] | undefined)[];
  /** Where a reference leads nowhere. */
  readonly dangling: readonly Spot[];
  /** The objects that are not as they were, with those that came and went; absent where nothing was known. */
  readonly changed?: readonly number[] | undefined;
}

/** Looks at the objects of a file: only at those that are not as they were, where what they were is known. */
export function lookAtObjects(table: Table, before?: KnownObjects): KnownObjects {
  const changed = before && changedSince(table, before.table);
  if (changed === undefined || before === undefined) return lookAtAll(table);
  const isOther = changed.length > 10 + table.objects.length / 8;
  if (isOther || before.dangling.length > 0 || losesTargets(table, changed)) {
    return lookAtAll(table);
  }
  const { objects } = table;
  const { kinds, look } = kindsOf(objects.length, before.kinds);
  const assets = before.assets.slice(0, objects.length);
  const dangling: Spot[] = [];
  const leads = leadsIn(table);
  for (const index of changed) {
    if (index >= objects.length) continue;
    const entry = objects[index];
    look(entry, index);
    assets[index] = entry && scanObject(entry, index, { leads, dangling });
  }
  return { table, kinds, assets, dangling, changed };
}

function lookAtAll(table: Table): KnownObjects {
  const { objects } = table;
  const { kinds, look } = kindsOf(objects.length);
  const dangling: Spot[] = [];
  const leads = leadsIn(table);
  const assets = objects.map((entry, index) => {
    look(entry, index);
    return entry && scanObject(entry, index, { leads, dangling });
  });
  return { table, kinds, assets, dangling };
}

const leadsIn =
  ({ objects }: Table) =>
  (to: Json): boolean =>
    typeof to === 'number' && objects[to] !== undefined;

function changedSince(table: Table, before: Table): number[] {
  const changed: number[] = [];
  const count = Math.max(table.objects.length, before.objects.length);
  for (let index = 0; index < count; index += 1) {
    if (table.objects[index] !== before.objects[index]) changed.push(index);
  }
  return changed;
}

/** Whether something refers to an object that has gone. */
function losesTargets(table: Table, changed: readonly number[]): boolean {
  const gone = new Set(changed.filter((index) => table.objects[index] === undefined));
  let loses = false;
  if (gone.size > 0) {
    eachReference(table, (_, to) => {
      loses ||= gone.has(to);
    });
  }
  return loses;
}
