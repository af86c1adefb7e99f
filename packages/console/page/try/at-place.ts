import type { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { Schema } from './offers.ts';

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

/** The name of a member, out of the text. */
function nameOf(node: Node, state: EditorState): string {
  const text = state.sliceDoc(node.from, node.to);
  try {
    return String(JSON.parse(text));
  } catch {
    // It is being typed.
    return text.replaceAll('"', '');
  }
}

/** The schema of what stands at a node: down from the root, by members and items. */
export function schemaAt(node: Node, state: EditorState, root: Schema): Schema | undefined {
  const steps: (string | undefined)[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (at.name === 'Property') {
      const name = at.getChild('PropertyName');
      steps.unshift(name === null ? '' : nameOf(name, state));
    } else if (at.name === 'Array') steps.unshift(undefined);
  }
  let schema: Schema | undefined = root;
  for (const step of steps) {
    schema = step === undefined ? schema?.items : schema?.properties?.[step];
  }
  return schema;
}

/** The names of the members that an object has. */
export function membersOf(object: Node, state: EditorState): readonly string[] {
  return object.getChildren('Property').flatMap((property) => {
    const name = property.getChild('PropertyName');
    return name === null ? [] : [nameOf(name, state)];
  });
}
