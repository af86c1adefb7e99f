import {
  type Change,
  eachEntry,
  type Entry,
  instanceOf,
  isList,
  isObject,
  type Json,
  ownAt,
  ref,
  refIndex,
  refIndices,
  rootOf,
  type Table,
} from '#cocos/document';
import { describe, type Inspection } from './inspection.ts';
import { isComponentAt, isNodeAt, type ObjectKinds, typeAt } from './walk.ts';

type Check = (kinds: ObjectKinds, index: number) => boolean;

interface Expectation {
  readonly field: string;
  readonly kind: string;
  readonly fits: Check;
  readonly list?: boolean | undefined;
}

const ofType =
  (type: string): Check =>
  (kinds, index) =>
    typeAt(kinds, index) === type;

const expect = (field: string, kind: string, fits: Check = ofType(kind)): Expectation => ({
  field,
  kind,
  fits,
});

const expectList = (field: string, kind: string, fits: Check = ofType(kind)): Expectation => ({
  field,
  kind,
  fits,
  list: true,
});

const nodeExpectations = [
  expect('_parent', 'node', isNodeAt),
  expectList('_children', 'node', ofType('cc.Node')),
  expectList('_components', 'component', isComponentAt),
  expect('_prefab', 'cc.PrefabInfo'),
];

const componentExpectations = [
  expect('node', 'node', isNodeAt),
  expect('__prefab', 'cc.CompPrefabInfo'),
];

const none: readonly Expectation[] = [];

const typeExpectations: Readonly<Record<string, readonly Expectation[]>> = {
  'cc.PrefabInfo': [
    expect('instance', 'cc.PrefabInstance'),
    expectList('nestedPrefabInstanceRoots', 'node', isNodeAt),
    expectList('targetOverrides', 'cc.TargetOverrideInfo'),
  ],
  'cc.PrefabInstance': [
    expectList('propertyOverrides', 'CCPropertyOverrideInfo'),
    expectList('mountedChildren', 'cc.MountedChildrenInfo'),
    expectList('mountedComponents', 'cc.MountedComponentsInfo'),
    expectList('removedComponents', 'cc.TargetInfo'),
  ],
};

function expectationsOf(kinds: ObjectKinds, at: number): readonly Expectation[] {
  if (isNodeAt(kinds, at)) return nodeExpectations;
  if (isComponentAt(kinds, at)) return componentExpectations;
  return typeExpectations[typeAt(kinds, at)] ?? none;
}

/** `typeMismatch`, `nullChild`, `nullComponent`: what the structure of a file refers to is of the right kind. */
export function checkKinds(inspection: Inspection): void {
  eachEntry(inspection.table, (entry, at) => checkKindsAt(inspection, entry, at));
}

/** The same for one object. */
export function checkKindsAt(inspection: Inspection, entry: Entry, at: number): void {
  for (const expectation of expectationsOf(inspection.kinds, at)) {
    const value = entry[expectation.field];
    if (value === null || value === undefined) continue;
    if (expectation.list !== true) {
      checkKind(inspection, { at, value, expectation, path: [] });
    } else if (isList(value)) {
      value.forEach((element, position) => {
        if (element === null) reportNull(inspection, { at, expectation, position });
        else checkKind(inspection, { at, value: element, expectation, path: [position] });
      });
    }
  }
}

interface Place {
  readonly at: number;
  readonly value: Json;
  readonly expectation: Expectation;
  readonly path: readonly number[];
}

function checkKind(inspection: Inspection, { at, value, expectation, path }: Place): void {
  const { field, kind, fits } = expectation;
  const to = refIndex(value);
  if (to !== undefined && fits(inspection.kinds, to)) return;
  const isReference = isObject(value) && '__id__' in value;
  // A reference that leads nowhere has a finding of its own.
  if (isReference && (to === undefined || inspection.table.objects[to] === undefined)) return;
  inspection.issues.push({
    code: 'typeMismatch',
    at,
    path: [field, ...path],
    message: `"${field}" of ${describe(inspection, at)} refers to ${
      to === undefined ? 'nothing' : describe(inspection, to)
    }, which is no ${kind}.`,
    suggestion: `Let it refer to a ${kind}, or restore the file from version control.`,
  });
}

function reportNull(
  inspection: Inspection,
  { at, expectation, position }: { at: number; expectation: Expectation; position: number },
): void {
  const { field } = expectation;
  if (field !== '_children' && field !== '_components') return;
  const what = field === '_children' ? 'child' : 'component';
  inspection.issues.push({
    code: field === '_children' ? 'nullChild' : 'nullComponent',
    at,
    path: [field, position],
    message: `${describe(inspection, at)} has an empty place among its ${field.slice(1)}.`,
    suggestion: `Repair takes it out; the editor drops such a ${what} when it imports the file.`,
    fix: () => dropNulls(inspection.table, at, field),
  });
}

function dropNulls(table: Table, at: number, field: string): Change[] {
  const list = ownAt(table, at)[field];
  if (!isList(list)) return [];
  const kept = list.filter((element) => element !== null);
  if (kept.length === list.length) return [];
  const change: Change = {
    type: 'update',
    target: `#${at}`,
    field,
    from: `${list.length} entries`,
    to: `${kept.length} entries`,
  };
  list.splice(0, list.length, ...kept);
  return [change];
}

/** Where an object is listed. */
interface Listing {
  readonly by: number;
  readonly position: number;
}

const families = [
  {
    list: '_children',
    up: '_parent',
    code: 'childParentMismatch',
    is: ofType('cc.Node'),
    owner: 'parent',
  },
  { list: '_components', up: 'node', code: 'compNodeMismatch', is: isComponentAt, owner: 'node' },
] as const;

type Family = (typeof families)[number];

/** `childParentMismatch`, `compNodeMismatch`, `orphan`, `cycle`: both directions of the tree agree. */
export function checkTree(inspection: Inspection): void {
  const { table, kinds } = inspection;
  const mounted = mountedOf(inspection);
  const root = rootOf(table);
  for (const family of families) {
    const counts = countListings(inspection, family);
    if (counts === undefined) {
      for (const [index, places] of listingsOf(inspection, family)) {
        checkListed(inspection, family, { index, places });
      }
    }
    const listed = counts ?? countListings(inspection, family, true);
    listed?.forEach((times, index) => {
      if (times !== 0 || index === root || !family.is(kinds, index)) return;
      if (!mounted.has(index)) checkOrphan(inspection, family, index);
    });
  }
  checkCycles(inspection);
}

/** How often each object is listed; nothing where one is listed twice, or by another than it names. */
function countListings(
  { table: { objects }, kinds }: Inspection,
  { list, up, is }: Family,
  anyway = false,
): Uint8Array | undefined {
  const counts = new Uint8Array(objects.length);
  for (const [by, entry] of objects.entries()) {
    const elements = isNodeAt(kinds, by) ? entry?.[list] : undefined;
    if (!isList(elements)) continue;
    for (const element of elements) {
      const index = refIndex(element);
      if (index === undefined || !is(kinds, index)) continue;
      const isExtra = counts[index] !== 0 || refIndex(objects[index]?.[up]) !== by;
      if (!anyway && isExtra) return undefined;
      counts[index] = 1;
    }
  }
  return counts;
}

function listingsOf({ table, kinds }: Inspection, { list, is }: Family): Map<number, Listing[]> {
  const listings = new Map<number, Listing[]>();
  eachEntry(table, (entry, by) => {
    const elements = isNodeAt(kinds, by) ? entry[list] : undefined;
    if (!isList(elements)) return;
    elements.forEach((element, position) => {
      const index = refIndex(element);
      if (index === undefined || !is(kinds, index)) return;
      const places = listings.get(index);
      if (places === undefined) listings.set(index, [{ by, position }]);
      else places.push({ by, position });
    });
  });
  return listings;
}

/** What instances have besides what their prefabs have. */
function mountedOf({ table, kinds }: Inspection): Set<number> {
  const infos = table.objects.filter((_, index) => mountings.has(typeAt(kinds, index)));
  return new Set(
    infos.flatMap((info) => [...refIndices(info?.['nodes']), ...refIndices(info?.['components'])]),
  );
}

const mountings = new Set(['cc.MountedChildrenInfo', 'cc.MountedComponentsInfo']);

function checkListed(
  inspection: Inspection,
  { list, up, code, owner }: Family,
  { index, places }: { readonly index: number; readonly places: readonly Listing[] },
): void {
  const { table } = inspection;
  const entry = table.objects[index] ?? {};
  const named = refIndex(entry[up]);
  const right =
    places.find(({ by }) => by === named) ?? (places.length === 1 ? places[0] : undefined);
  for (const place of places) {
    if (place === right && place.by === named) continue;
    const what = describe(inspection, index);
    const says = named === undefined ? 'none' : describe(inspection, named);
    const isRight = place === right;
    const extra =
      right === undefined ? undefined : () => dropListing(table, list, { place, index });
    const name = (): Change[] => {
      ownAt(table, index)[up] = ref(place.by);
      const from = named === undefined ? null : `#${named}`;
      return [{ type: 'update', target: `#${index}`, field: up, from, to: `#${place.by}` }];
    };
    inspection.issues.push({
      code,
      at: place.by,
      path: [list, place.position],
      message: `${describe(inspection, place.by)} lists ${what}, which names ${says} as its ${owner}${
        places.length > 1 ? ' and is listed elsewhere, too' : ''
      }.`,
      suggestion:
        right === undefined
          ? 'Decide which one it belongs to, and take it out of the other list.'
          : isRight
            ? `Repair sets its ${owner} to the one that lists it.`
            : 'Repair takes it out of this list.',
      fix: isRight ? name : extra,
    });
  }
}

function dropListing(
  table: Table,
  list: string,
  { place, index }: { readonly place: Listing; readonly index: number },
): Change[] {
  const elements = ownAt(table, place.by)[list];
  if (!isList(elements)) return [];
  // From the end: of two places in one list the first stays.
  const position = elements.findLastIndex((element) => refIndex(element) === index);
  if (position < 0) return [];
  elements.splice(position, 1);
  return [{ type: 'update', target: `#${place.by}`, field: list, from: `#${index}`, to: null }];
}

function checkOrphan(inspection: Inspection, { up, list, owner }: Family, index: number): void {
  const { table, kinds } = inspection;
  const named = refIndex(table.objects[index]?.[up]);
  const above = named === undefined ? undefined : table.objects[named];
  // Old files keep what hangs on an instance without listing it, and what names a wrong object has a finding already.
  if (
    above !== undefined &&
    (instanceOf(table, above) !== undefined || !isNodeAt(kinds, named ?? -1))
  ) {
    return;
  }
  const what = describe(inspection, index);
  inspection.issues.push({
    code: 'orphan',
    at: index,
    path: [up],
    message:
      named === undefined
        ? `${what} belongs to no ${owner} and is listed by none.`
        : `${what} names ${describe(inspection, named)} as its ${owner}, which does not list it.`,
    suggestion: `Add it to "${list}" of its ${owner}, or remove it from the file.`,
  });
}

/** Each circle of parents once, at the node that comes first in the file. */
function checkCycles(inspection: Inspection): void {
  const { kinds, table } = inspection;
  const { objects } = table;
  // The number of the walk that first came by.
  const walks = new Uint32Array(objects.length);
  const parentOf = (index: number): number | undefined => refIndex(objects[index]?.['_parent']);
  for (const start of objects.keys()) {
    if (!isNodeAt(kinds, start)) continue;
    let at: number | undefined = start;
    while (at !== undefined && walks[at] === 0 && isNodeAt(kinds, at)) {
      walks[at] = start + 1;
      at = parentOf(at);
    }
    if (at === undefined || walks[at] !== start + 1) continue;
    const circle = [at];
    for (let next = parentOf(at); next !== undefined && next !== at; next = parentOf(next)) {
      circle.push(next);
    }
    reportCycle(inspection, circle);
  }
}

function reportCycle(inspection: Inspection, circle: readonly number[]): void {
  inspection.issues.push({
    code: 'cycle',
    at: Math.min(...circle),
    path: ['_parent'],
    message: `${circle.map((index) => describe(inspection, index)).join(' is below ')} is below itself.`,
    suggestion: 'Give one of them a parent outside of the circle, or restore the file.',
  });
}
