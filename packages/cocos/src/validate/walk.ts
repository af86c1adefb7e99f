import {
  type Entry,
  isComponent,
  isNode,
  type SceneView,
  typeOf,
  type ViewItem,
} from '#cocos/document';

/** What the objects of a file are, found once for all rules. */
export interface ObjectKinds {
  /** The classes that objects are of, or were when they were looked at before; the first is that of no object. */
  readonly names: readonly string[];
  /** The class of each object, as its place among the names. */
  readonly classes: Uint32Array;
  /** Which are nodes, and which components. */
  readonly codes: Uint8Array;
}

const nodeCode = 1;
const componentCode = 2;

/** What so many objects are, where what they were is known, and a way to say what one is now. */
export function kindsOf(
  count: number,
  before?: ObjectKinds,
): {
  readonly kinds: ObjectKinds;
  readonly look: (entry: Entry | undefined, index: number) => void;
} {
  const names = [...(before?.names ?? [''])];
  const numbers = new Map(names.slice(1).map((name, at) => [name, at + 1]));
  const classes = new Uint32Array(count);
  const codes = new Uint8Array(count);
  if (before !== undefined) {
    classes.set(before.classes.subarray(0, count));
    codes.set(before.codes.subarray(0, count));
  }
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? names.push(name) - 1;
    numbers.set(name, number);
    return number;
  };
  const look = (entry: Entry | undefined, index: number): void => {
    classes[index] = entry === undefined ? 0 : numberOf(typeOf(entry));
    codes[index] = isNode(entry) ? nodeCode : isComponent(entry) ? componentCode : 0;
  };
  return { kinds: { names, classes, codes }, look };
}

/** The class of an object, or an empty text. */
export function typeAt({ names, classes }: ObjectKinds, index: number): string {
  return names[classes[index] ?? 0] ?? '';
}

/** Tells nodes, and the scene itself, from other objects. */
export function isNodeAt({ codes }: ObjectKinds, index: number): boolean {
  return codes[index] === nodeCode;
}

/** Tells components from other objects. */
export function isComponentAt({ codes }: ObjectKinds, index: number): boolean {
  return codes[index] === componentCode;
}

/** A node of the tree as it opens, with its components and their classes. */
export interface TreeNode {
  readonly item: ViewItem;
  /** Where in the list the node above it is; -1 for the root. */
  readonly above: number;
  readonly depth: number;
  readonly components: readonly ViewItem[];
  /** The same list for all nodes that have the same, so that what holds for one need not be asked of the others. */
  readonly types: readonly string[];
}

/** Lists of classes, each with those that are longer by one. */
interface TypeList {
  readonly types: readonly string[];
  readonly longer: Map<string, TypeList>;
}

/** All nodes, each before what is below it. */
export function walkTree(view: SceneView): TreeNode[] {
  const nodes: TreeNode[] = [];
  const none: TypeList = { types: [], longer: new Map() };
  const root = view.item(view.root);
  const waiting = root === undefined ? [] : [{ item: root, above: -1, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { item, above: parent, depth } = next;
    const components = view.components(item.index);
    let list = none;
    for (const { index } of components) list = longerBy(list, typeOf(view.at(index)));
    const { types } = list;
    const above = nodes.push({ item, above: parent, depth, components, types }) - 1;
    const children = view.children(item.index);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child !== undefined) waiting.push({ item: child, above, depth: depth + 1 });
    }
  }
  return nodes;
}

function longerBy({ types, longer }: TypeList, type: string): TypeList {
  const known = longer.get(type);
  if (known !== undefined) return known;
  const made = { types: [...types, type], longer: new Map<string, TypeList>() };
  longer.set(type, made);
  return made;
}

/** Finds something out of each list of classes once. */
export function perTypes<Result>(
  find: (types: readonly string[]) => Result,
): (types: readonly string[]) => Result {
  const found = new Map<readonly string[], { readonly result: Result }>();
  return (types) => {
    const known = found.get(types) ?? { result: find(types) };
    found.set(types, known);
    return known.result;
  };
}
