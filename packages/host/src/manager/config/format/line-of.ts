import { lineAt } from '../place.ts';

/** The line of a JSON text, from 1 on, where what a pointer names begins; nothing where it is not there. */
export async function lineOf(text: string, pointer: string): Promise<number | undefined> {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true });
  const keys = pointer.split('/').slice(1);
  const path = keys.map((key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(name) ? Number(name) : name;
  });
  const node = root && findNodeAtLocation(root, path);
  return node && lineAt(text, node.offset);
}
