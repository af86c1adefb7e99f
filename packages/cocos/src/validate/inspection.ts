import {
  type Change,
  cloneJson,
  CocosError,
  eachRef,
  entryAt,
  equalJson,
  type Entry,
  follow,
  isComponent,
  isList,
  isNode,
  ownAt,
  ownerAt,
  placesIn,
  put,
  rootOf,
  SceneView,
  type Table,
  textOf,
  typeOf,
  valueAt,
} from '#cocos/document';
import { typeName, type Workspace } from '#cocos/edit';
import type { Asset } from '#cocos/project';
import type { FindingCode, Severity } from './finding.ts';
import { type KnownObjects, lookAtObjects } from './known-objects.ts';
import type { Spot } from './scan.ts';
import { type ObjectKinds, type TreeNode, walkTree } from './walk.ts';

/** What a rule says: where in the file, what, what to do, and how to put it right where there is only one way. */
export interface Issue {
  readonly code: FindingCode;
  /** The number of the object. */
  readonly at: number;
  /** The way from there. */
  readonly path?: readonly (string | number)[] | undefined;
  readonly message: string;
  readonly suggestion: string;
  /** Where it is other than that of the rule. */
  readonly severity?: Severity | undefined;
  /** Changes the table of the inspection. */
  readonly fix?: (() => Change[]) | undefined;
}

/** A scene or prefab with what the rules need to look at it. */
export interface Inspection {
  readonly workspace: Workspace;
  readonly file: string;
  /** Absent for a file without meta. */
  readonly asset: Asset | undefined;
  /** As the file is. */
  readonly table: Table;
  /** As it opens, without references that lead nowhere; absent where it cannot be opened. */
  readonly view: SceneView | undefined;
  /** Where in the file each object is. */
  readonly places: Int32Array;
  /** What the objects of the table are, each for itself. */
  readonly objects: KnownObjects;
  readonly kinds: ObjectKinds;
  /** The nodes of the view. */
  readonly tree: readonly TreeNode[];
  readonly issues: Issue[];
}

/** A scene or prefab to be inspected. */
export interface Subject {
  readonly file: string;
  readonly table: Table;
  /** The table as it opens, where somebody has opened it already. */
  readonly view?: SceneView | undefined;
  /** What was found before, where what did not change need not be looked at again. */
  readonly memory?: Memory | undefined;
}

/** What is remembered of a file between two looks at it. */
export interface Memory {
  objects?: KnownObjects | undefined;
  /** Whether the tree was as it should be. */
  isSound?: boolean | undefined;
}

/** Looks at a file and reports what is wrong with its references, so that the rules may follow the others. */
export function inspect(workspace: Workspace, subject: Subject): Inspection {
  const { file, table, view: opened, memory } = subject;
  const issues: Issue[] = [];
  const objects = lookAtObjects(table, memory?.objects);
  const { dangling, kinds } = objects;
  for (const { at, path } of dangling) issues.push(danglingIssue(table, at, path));
  const sound = dangling.length === 0 ? table : withoutDangling(table);
  const view = opened?.table === sound ? opened : openView(workspace, sound, issues);
  const asset = workspace.draft.assetAt(file);
  const tree = view === undefined ? [] : walkTree(view);
  const places = placesIn(table);
  return { workspace, file, asset, table, view, places, objects, kinds, tree, issues };
}

/** Lists in which an empty place means nothing. */
const closingLists = new Set<string | number>([
  '_children',
  '_components',
  'nestedPrefabInstanceRoots',
  'targetOverrides',
  'propertyOverrides',
  'mountedChildren',
  'mountedComponents',
  'removedComponents',
]);

function danglingIssue(table: Table, at: number, path: Spot['path']): Issue {
  const field = path.join('.');
  const closes = path.length === 2 && closingLists.has(path[0] ?? '');
  const steps = path.map(String);
  const last = steps.at(-1) ?? '';
  const from = valueAt(entryAt(table, at), steps, () => undefined) ?? null;
  return {
    code: 'danglingId',
    at,
    path,
    message: `"${field}" refers to an object that the file does not have.`,
    suggestion: closes
      ? 'Repair takes it out of the list.'
      : 'Repair leaves it empty; then set it to what was meant.',
    fix: () => {
      const owner = ownerAt(ownAt(table, at), steps, () => undefined);
      if (owner === undefined) return [];
      // Others may have left the list by now.
      if (isList(owner) && closes) {
        owner.splice(
          owner.findIndex((element) => equalJson(element, from)),
          1,
        );
      } else put(owner, last, null);
      return [{ type: 'update', target: `#${at}`, field, from, to: null }];
    },
  };
}

/** The same objects, with null where a reference leads nowhere. */
function withoutDangling(table: Table): Table {
  const known = (index: number): number | null =>
    table.objects[index] === undefined ? null : index;
  return { ...table, objects: table.objects.map((entry) => entry && cloneJson(entry, known)) };
}

function openView(workspace: Workspace, table: Table, issues: Issue[]): SceneView | undefined {
  try {
    return new SceneView(table, (uuid) => readPrefab(workspace, uuid));
  } catch (error) {
    if (!(error instanceof CocosError)) throw error;
    issues.push({
      code: 'prefabCycle',
      at: 0,
      message: `The file cannot be opened: ${error.message}.`,
      suggestion: error.suggestion ?? 'Look at the prefabs it has instances of.',
    });
    return undefined;
  }
}

/** The prefab of a uuid; one that is broken has findings of its own and counts as none here. */
export function readPrefab({ draft }: Workspace, uuid: string): Table | undefined {
  try {
    return draft.prefab(uuid);
  } catch (error) {
    if (error instanceof CocosError) return undefined;
    throw error;
  }
}

/** What people call an object: its class, with its name or that of its node, else with its place in the file. */
export function describe({ workspace, table, places }: Inspection, at: number): string {
  const entry = table.objects[at];
  const type = (typeName(workspace, typeOf(entry)) || 'Object').replace(/^cc\./, '');
  const name = textOf(entry?.['_name']);
  if (name !== '') return `${type} "${name}"`;
  const node = isComponent(entry) ? textOf(follow(table, entry?.['node'])?.['_name']) : '';
  return node === '' ? `${type} (object ${places[at]})` : `${type} of "${node}"`;
}

/** Finds the node or component that an object belongs to. */
export function ownersOf({ table }: Inspection): (index: number) => number | undefined {
  const { objects } = table;
  let owners: Map<number, number> | undefined;
  return (index) => {
    // Everything in a prefab refers to its head.
    if (index === 0) return rootOf(table);
    if (isMember(objects[index])) return index;
    owners ??= allOwners(objects);
    return owners.get(index);
  };
}

function isMember(entry: Entry | undefined): boolean {
  return isNode(entry) || isComponent(entry);
}

function allOwners(objects: Table['objects']): Map<number, number> {
  const owners = new Map<number, number>();
  const waiting = [...objects.keys()].filter((index) => isMember(objects[index]));
  for (const index of waiting) owners.set(index, index);
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const owner = owners.get(index) ?? index;
    eachRef(objects[index] ?? null, (to) => {
      if (to === 0 || objects[to] === undefined || owners.has(to)) return;
      owners.set(to, owner);
      waiting.push(to);
    });
  }
  return owners;
}
