import { CocosError } from './cocos-error.ts';
import { cloneJson, eachRef, isObject, refIndex, typeOf } from './json.ts';
import type { Entry, Json } from './json.ts';
import { parseText, printText, tableStyle } from './text.ts';
import type { TextStyle } from './text.ts';

/**
 * The objects of a scene or prefab, numbered as in the file. New objects are appended and nothing is taken out, so numbers
 * hold while a file is edited; printing numbers anew.
 */
export interface Table {
  readonly kind: 'scene' | 'prefab';
  readonly objects: Entry[];
  /** Whether the objects came in the order in which the editor writes them. */
  readonly canonical: boolean;
  readonly style: TextStyle;
  /** Objects of a file in another order that nothing led to when it was read; they stay. */
  readonly unreachable: ReadonlySet<number>;
  /** The objects as they were read, where this is a copy that may have been edited. */
  readonly original?: Entry[] | undefined;
}

const kinds: Readonly<Record<string, Table['kind']>> = {
  'cc.SceneAsset': 'scene',
  'cc.Prefab': 'prefab',
};

/** Parses a scene or prefab; `name` is what messages call it, `printed` the table that the text was printed from, if any. */
export function parseTable(text: string, name = 'The file', printed?: Table): Table {
  const { value, style } = parseText(text, name);
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw new CocosError('E_INVALID_ARGUMENT', `${name} is not a list of objects`, {
      suggestion: 'Only .scene and .prefab files of Cocos Creator 3 can be opened.',
    });
  }
  if (printed === undefined) return tableOf(value, style, name);
  const regular = { ...style, isRegular: true };
  if (!printed.canonical) return tableOf(value, regular, name);
  return {
    kind: printed.kind,
    objects: value,
    canonical: true,
    style: regular,
    unreachable: new Set(),
  };
}

/** A new scene or prefab of these objects, whatever their order; it is written as the editor writes it. */
export function createTable(objects: Entry[]): Table {
  return {
    ...tableOf(objects, tableStyle, 'The new file'),
    canonical: true,
    unreachable: new Set(),
  };
}

function tableOf(objects: Entry[], style: TextStyle, name: string): Table {
  const head = objects[0];
  const kind = kinds[typeOf(head)];
  const root = refIndex(head?.[kind === 'scene' ? 'scene' : 'data']);
  if (kind === undefined || root === undefined || objects[root] === undefined) {
    throw new CocosError('E_INVALID_ARGUMENT', `${name} begins with neither a scene nor a prefab`, {
      suggestion: 'Only .scene and .prefab files of Cocos Creator 3 can be opened.',
      details: { type: typeOf(head) },
    });
  }
  const order = visitOrder(objects);
  const canonical =
    order.length === objects.length && order.every((index, position) => index === position);
  const reached = new Set(canonical ? [] : order);
  const unreachable = canonical ? [] : [...objects.keys()].filter((index) => !reached.has(index));
  return { kind, objects, canonical, style, unreachable: new Set(unreachable) };
}

/** A copy that can be edited without changing the original. */
export function cloneTable(table: Table): Table {
  const { objects, original = objects } = table;
  return { ...table, original, objects: objects.map((entry) => cloneJson(entry)) };
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

/** The object that a reference names, if it names one. */
export function follow(table: Table, value: Json | undefined): Entry | undefined {
  const index = refIndex(value);
  return index === undefined ? undefined : table.objects[index];
}

/** Adds an object; answers its number. */
export function append(table: Table, entry: Entry): number {
  return table.objects.push(entry) - 1;
}

/** The number of the `cc.Scene`, or of the root node of a prefab. */
export function rootOf(table: Table): number {
  const root = refIndex(entryAt(table, 0)[table.kind === 'scene' ? 'scene' : 'data']);
  if (root === undefined) throw new CocosError('E_INTERNAL', 'The file has lost its root');
  return root;
}

/** The numbers of all objects that the first one leads to, in the order in which the editor writes them. */
export function visitOrder(objects: readonly (Entry | undefined)[]): number[] {
  const seen = new Uint8Array(objects.length);
  const order: number[] = [];
  const waiting = [0];
  const found: number[] = [];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const entry = objects[index];
    if (entry === undefined || seen[index] === 1) continue;
    seen[index] = 1;
    order.push(index);
    found.length = 0;
    for (const key in entry) eachRef(entry[key] ?? null, (next) => found.push(next));
    // Last first, as the next one visited is the last one waiting.
    for (let at = found.length - 1; at >= 0; at -= 1) waiting.push(found[at] ?? 0);
  }
  return order;
}

/** The numbers of the objects to print, in order: as the editor would write them, or else as they are without what was removed. */
function printOrder(table: Table): number[] {
  const order = visitOrder(table.objects);
  if (table.canonical) return order;
  const kept = new Set([...order, ...table.unreachable]);
  return [...table.objects.keys()].filter((index) => kept.has(index));
}

/** The numbers of objects by where they will be, or undefined where they are in order already. */
function newNumbers(table: Table, order: readonly number[]): Map<number, number> | undefined {
  const isSettled =
    order.length === table.objects.length && order.every((index, position) => index === position);
  return isSettled ? undefined : new Map(order.map((index, position) => [index, position]));
}

/** The objects as they are printed: numbered in order, without what nothing leads to any more. */
export function settledObjects(table: Table): Entry[] {
  const order = printOrder(table);
  const numbers = newNumbers(table, order);
  if (numbers === undefined) return table.objects;
  // A reference to nothing must not come to name something.
  const renumber = (index: number): number | null => numbers.get(index) ?? null;
  return order.map((index) => cloneJson(entryAt(table, index), renumber));
}

interface Settling {
  readonly order: readonly number[];
  /** Every reference, with the number it has had. */
  readonly refs: readonly { readonly ref: Entry; readonly old: number }[];
  readonly numbers: ReadonlyMap<number, number>;
}

/** How tables were last printed: as they are, or with numbers given in place. */
const printings = new WeakMap<Table, Settling | 'as it is'>();

/** What it takes to number the objects anew in place; undefined where a reference would name nothing. */
function settlingOf(
  table: Table,
  order: number[],
  numbers: Map<number, number>,
): Settling | undefined {
  const refs: { readonly ref: Entry; readonly old: number }[] = [];
  let isWhole = true;
  for (const index of order) {
    eachRef(entryAt(table, index), (old, ref) => {
      refs.push({ ref, old });
      isWhole &&= numbers.has(old);
    });
  }
  return isWhole ? { order, refs, numbers } : undefined;
}

function giveNumbers({ refs, numbers }: Settling): void {
  for (const { ref, old } of refs) ref['__id__'] = numbers.get(old) ?? null;
}

/** The text of the file; the very text it was parsed from while nothing changed. */
export function printTable(table: Table): string {
  const { style, original } = table;
  const order = printOrder(table);
  const numbers = newNumbers(table, order);
  const settling = numbers === undefined ? 'as it is' : settlingOf(table, order, numbers);
  printings.delete(table);
  if (settling === undefined) return printText(settledObjects(table), style, original);
  printings.set(table, settling);
  if (settling === 'as it is') return printText(table.objects, style, original);
  // For as long as it takes to print them: a copy of a large file would take longer than all the rest.
  try {
    giveNumbers(settling);
    const entries = order.map((index) => entryAt(table, index));
    return printText(entries, style, original);
  } finally {
    for (const { ref, old } of settling.refs) ref['__id__'] = old;
  }
}

/**
 * A second table of a text that was just printed from `edited` and parsed to `parsed`, without copying it: `edited` itself, numbered
 * as in the text. Nobody may change it from then on, nor look at it by the numbers it had. Undefined where that cannot be.
 */
export function equalTable(parsed: Table, edited: Table): Table | undefined {
  const { objects } = edited;
  const settling = printings.get(edited);
  printings.delete(edited);
  if (settling === undefined) return undefined;
  if (settling !== 'as it is') {
    giveNumbers(settling);
    const entries = settling.order.map((index) => entryAt(edited, index));
    for (const [index, entry] of entries.entries()) objects[index] = entry;
    objects.length = entries.length;
  }
  return { ...parsed, objects };
}
