import type { TreeNode } from '#cocos/backend';

/** So many characters name a node of any real scene. */
const shortLength = 8;

/** One line for each node: name, uuid, components and what is special, indented below its parent. */
export function treeText(
  root: TreeNode,
  { expandInstances = false }: { readonly expandInstances?: boolean | undefined } = {},
): string {
  const taken = new Set<string>();
  const lines: string[] = [];
  const waiting = [{ node: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    const { children = [], childCount } = node;
    const shown = children.filter(({ inside }) => expandInstances || inside !== true);
    const hidden = childCount - shown.length;
    const more = hidden > 0 ? ` (+${hidden} ${hidden === 1 ? 'child' : 'children'})` : '';
    lines.push(`${indentOf(depth)}${lineOf(node, shortName(node, taken))}${more}`);
    for (const child of shown.toReversed()) waiting.push({ node: child, depth: depth + 1 });
  }
  return lines.join('\n');
}

/** So many levels are seen at a glance; for what is deeper a number takes less space. */
const deepestIndent = 32;

function indentOf(depth: number): string {
  const isNear = depth <= deepestIndent;
  return isNear ? '  '.repeat(depth) : `${'  '.repeat(deepestIndent)}(level ${depth}) `;
}

/** The beginning of a uuid names the node, unless another begins so, as all do that are in one instance. */
function shortName({ nodeUuid, prefab, inside }: TreeNode, taken: Set<string>): string {
  const short = nodeUuid.slice(0, shortLength);
  const isOne = prefab === undefined && inside !== true && !taken.has(short);
  taken.add(short);
  return isOne ? short : nodeUuid;
}

function lineOf({ name, components, active, prefab }: TreeNode, uuid: string): string {
  const parts = [name, `(${uuid})`];
  if (components.length > 0) {
    parts.push(`[${components.map((type) => type.replace(/^cc\./, '')).join(' ')}]`);
  }
  if (prefab !== undefined) parts.push(`<${prefab}>`);
  if (!active) parts.push('inactive');
  return parts.join(' ');
}
