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
  /** The class of each object, or an empty text. */
  readonly types: readonly string[];
  /** Which are nodes, and which components. */
  readonly codes: Uint8Array;
}

const nodeCode = 1;
const componentCode = 2;

/** What an object is. */
export function kindAt(entry: Entry | undefined): { readonly code: number; readonly type: string } {
  const code = isNode(entry) ? nodeCode : isComponent(entry) ? componentCode : 0;
  return { code, type: typeOf(entry) };
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
  readonly types: readonly string[];
}

/** All nodes, each before what is below it. */
export function walkTree(view: SceneView): TreeNode[] {
  const nodes: TreeNode[] = [];
  const root = view.item(view.root);
  const waiting = root === undefined ? [] : [{ item: root, above: -1, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { item, above: parent, depth } = next;
    const components = view.components(item.index);
    const types = components.map(({ index }) => typeOf(view.at(index)));
    const above = nodes.push({ item, above: parent, depth, components, types }) - 1;
    const children = view.children(item.index);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child !== undefined) waiting.push({ item: child, above, depth: depth + 1 });
    }
  }
  return nodes;
}
