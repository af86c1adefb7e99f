import type { Diagnostic } from '@codemirror/lint';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { membersOf, schemaAt } from './at-place.ts';
import { typeOf } from './form.tsx';
import type { Schema } from './offers.ts';

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

const kinds: Readonly<Record<string, string>> = {
  String: 'string',
  Number: 'number',
  True: 'boolean',
  False: 'boolean',
  Null: 'null',
  Object: 'object',
  Array: 'array',
};

/** What of a text does not fit its schema, at its place, as far as an editor should say; the server has the last word. */
export function faultsOf(state: EditorState, root: Schema): Diagnostic[] {
  const found: Diagnostic[] = [];
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      const kind = kinds[node.name];
      if (kind === undefined) return;
      const schema = node.parent?.name === 'JsonText' ? root : schemaAt(node, state, root);
      const fault = schema && faultOf(node, state, { kind, schema });
      if (fault === undefined) return;
      // An object is marked where it begins.
      const to = kind === 'object' || kind === 'array' ? node.from + 1 : node.to;
      found.push({ from: node.from, to, severity: 'warning', message: fault });
    },
  });
  return found;
}

function faultOf(
  node: Node,
  state: EditorState,
  { kind, schema }: { readonly kind: string; readonly schema: Schema },
): string | undefined {
  const { type, enum: choices, required = [] } = schema;
  const types = type === undefined ? [] : [type].flat();
  const fits = types.some((one) => one === kind || (one === 'integer' && kind === 'number'));
  if (types.length > 0 && !fits) return `${types.join(', ')} expected`;
  if (kind === 'object' && typeOf(schema) === 'object') {
    const there = new Set(membersOf(node, state));
    const missing = required.filter((name) => !there.has(name));
    return missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined;
  }
  if (choices === undefined) return undefined;
  const text = state.sliceDoc(node.from, node.to);
  const isChoice = choices.some((choice) => JSON.stringify(choice) === text);
  return isChoice
    ? undefined
    : `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
}
