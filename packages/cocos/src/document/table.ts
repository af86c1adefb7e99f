import { Buffer } from 'node:buffer';
import { CocosError } from './cocos-error.ts';
import { cloneJson, isList, isObject, refIndex, typeOf } from './json.ts';
import type { Entry, Json, OwnEntry } from './json.ts';
import { pushKnownRefs } from './print/layout.ts';
import { visitOrder } from './print/order.ts';
import { heldSource, noteSource } from './print/source.ts';
import type { ReadSource } from './print/source.ts';
import { parseText, tableStyle } from './text.ts';
import type { TextStyle } from './text.ts';

/**
 * The objects of a scene or prefab, by numbers that hold for as long as the table and those that it becomes are kept: new
 * objects are appended, and the numbers of those that are gone stay empty. In the file each is called by its place.
 */
export interface Table {
  readonly kind: 'scene' | 'prefab';
  readonly objects: readonly (Entry | undefined)[];
  /** The numbers of the objects in the order of the file; absent where each has the number of its place. */
  readonly order?: Uint32Array | undefined;
  /** How the objects came; found out when first asked for. */
  readonly arrangement: () => Arrangement;
  readonly style: TextStyle;
  /** Only where it may be edited: nobody else has this table. */
  readonly editing?: Editing | undefined;
}

interface Arrangement {
  /** Whether the objects came in the order in which the editor writes them. */
  readonly canonical: boolean;
  /** Objects of a file in another order that nothing led to when it was read; they stay. */
  readonly unreachable: ReadonlySet<number>;
}

/** A table shares with its base what it has not changed. */
interface Editing {
  /** What it was when editing began; nothing for a new file. */
  readonly base: Table | undefined;
  /** The objects of the table. */
  readonly objects: (Entry | undefined)[];
  /** The objects that it has for itself. */
  readonly own: Map<number, OwnEntry>;
}

const kinds: Readonly<Record<string, Table['kind']>> = {
  'cc.SceneAsset': 'scene',
  'cc.Prefab': 'prefab',
};

/** Parses a scene or prefab; `name` is what messages call it, `source` is where its bytes can be looked at later. */
export function parseTable(
  text: string,
  name = 'The file',
  source: ReadSource = heldSource(Buffer.from(text)),
): Table {
  const { value, style } = parseText(text, name);
  if (!isList(value) || !value.every((entry): entry is Entry => isObject(entry))) {
    throw new CocosError('E_INVALID_ARGUMENT', `${name} is not a list of objects`, {
      suggestion: 'Only .scene and .prefab files of Cocos Creator 3 can be opened.',
    });
  }
  const table = tableOf(value, { ...style, source: undefined }, name);
  noteSource(table, source);
  return table;
}

/** A new scene or prefab of these objects, whatever their order; it is written as the editor writes it. */
export function createTable(objects: readonly Entry[]): Table {
  const table = tableOf(objects, tableStyle, 'The new file');
  const arrangement = { canonical: true, unreachable: new Set<number>() };
  return { ...edited(table, undefined), arrangement: () => arrangement };
}

function tableOf(objects: readonly Entry[], style: TextStyle, name: string): Table {
  const head = objects[0];
  const kind = kinds[typeOf(head)];
  const root = refIndex(head?.[kind === 'scene' ? 'scene' : 'data']);
  if (kind === undefined || root === undefined || objects[root] === undefined) {
    throw new CocosError('E_INVALID_ARGUMENT', `${name} begins with neither a scene nor a prefab`, {
      suggestion: 'Only .scene and .prefab files of Cocos Creator 3 can be opened.',
      details: { type: typeOf(head) },
    });
  }
  let known: Arrangement | undefined;
  const table = { kind, objects, style, arrangement: () => (known ??= arrangementOf(table)) };
  return table;
}

function arrangementOf(table: Table): Arrangement {
  const { objects } = table;
  const order = visitOrder(objects, pushKnownRefs(table));
  const canonical =
    order.length === objects.length && order.every((index, position) => index === position);
  const reached = new Set(canonical ? [] : order);
  const unreachable = canonical ? [] : [...objects.keys()].filter((index) => !reached.has(index));
  return { canonical, unreachable: new Set(unreachable) };
}

/** A table of the same objects that can be edited without changing this one. */
export function editTable(base: Table): Table {
  return edited(base, base);
}

function edited(table: Table, base: Table | undefined): Table {
  const objects = [...table.objects];
  return { ...table, objects, editing: { base, objects, own: new Map() } };
}

function editingOf({ editing }: Table): Editing {
  if (editing === undefined) throw new CocosError('E_INTERNAL', 'This file is not being edited');
  return editing;
}

/** The object of a number, to be changed: nobody else has it. */
export function ownAt(table: Table, index: number): OwnEntry {
  const { objects, own } = editingOf(table);
  const known = own.get(index);
  if (known !== undefined) return known;
  const copy = cloneJson(entryAt(table, index));
  own.set(index, copy);
  objects[index] = copy;
  return copy;
}

/** The object that a reference names, to be changed. */
export function followOwn(table: Table, value: Json | undefined): OwnEntry | undefined {
  const index = refIndex(value);
  return index === undefined || table.objects[index] === undefined
    ? undefined
    : ownAt(table, index);
}

/** The object of a number. */
export function entryAt(table: Table, index: number): Entry {
  const entry = table.objects[index];
  if (entry === undefined) {
    throw new CocosError('E_NOT_FOUND', `The file has no object ${index}`, {
      details: { objects: table.objects.length },
    });
  }
  return entry;
}

/** Calls `found` for every object that the file has. */
export function eachEntry({ objects }: Table, found: (entry: Entry, index: number) => void): void {
  for (let index = 0; index < objects.length; index += 1) {
    const entry = objects[index];
    if (entry !== undefined) found(entry, index);
  }
}

/** The object that a reference names, if it names one. */
export function follow(table: Table, value: Json | undefined): Entry | undefined {
  const index = refIndex(value);
  return index === undefined ? undefined : table.objects[index];
}

/** Adds an object; answers its number. */
export function append(table: Table, entry: OwnEntry): number {
  const { objects, own } = editingOf(table);
  const index = objects.push(entry) - 1;
  own.set(index, entry);
  return index;
}

/** The number of the `cc.Scene`, or of the root node of a prefab. */
export function rootOf(table: Table): number {
  const root = refIndex(entryAt(table, 0)[table.kind === 'scene' ? 'scene' : 'data']);
  if (root === undefined) throw new CocosError('E_INTERNAL', 'The file has lost its root');
  return root;
}
