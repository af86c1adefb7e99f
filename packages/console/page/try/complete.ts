import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { membersOf, schemaAt } from './at-place.ts';
import { emptyOf } from './drafts.ts';
import { typeOf } from './form.tsx';
import type { Schema } from './offers.ts';

/** Offers the members that an object may have, and the values that a member may have. */
export function completeBySchema(
  root: Schema,
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const { state, pos, explicit } = context;
    const node = syntaxTree(state).resolveInner(pos, -1);
    const word = context.matchBefore(/"?[\w$-]*/);
    const from = word?.from ?? pos;
    if (!explicit && (word === null || word.from === word.to)) return null;
    const before = state.sliceDoc(0, from).trimEnd();
    if (/[{,]$/.test(before) && !isInArray(node)) {
      const object = node.name === 'Object' ? node : nearestObject(node);
      if (object === null) return null;
      const schema = object.parent?.name === 'JsonText' ? root : schemaAt(object, state, root);
      const there = new Set(membersOf(object, state));
      return { from, to: endOf(context), options: memberOptions(schema, there) };
    }
    const schema = schemaAt(node, state, root);
    const options = valueOptions(schema);
    return options.length === 0 ? null : { from, to: endOf(context), options };
  };
}

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

function nearestObject(node: Node): Node | null {
  for (let at: Node | null = node; at !== null; at = at.parent) if (at.name === 'Object') return at;
  return null;
}

function isInArray(node: Node): boolean {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (at.name === 'Array') return true;
    if (at.name === 'Object') return false;
  }
  return false;
}

/** A quote that was closed by itself is replaced with the rest. */
function endOf({ state, pos }: CompletionContext): number {
  return state.sliceDoc(pos, pos + 1) === '"' ? pos + 1 : pos;
}

function memberOptions(schema: Schema | undefined, there: ReadonlySet<string>): Completion[] {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties)
    .filter(([name]) => !there.has(name))
    .map(([name, member]) => ({
      label: `"${name}"`,
      apply: `${JSON.stringify(name)}: ${JSON.stringify(emptyOf(member))}`,
      detail: `${typeOf(member)}${required.includes(name) ? ' *' : ''}`,
      info: member.description ?? '',
      type: 'property',
      boost: required.includes(name) ? 1 : 0,
    }));
}

function valueOptions(schema: Schema | undefined): Completion[] {
  if (schema === undefined) return [];
  const { enum: choices = [], const: only, default: usual, examples = [] } = schema;
  const values = [...choices, only, usual, ...examples].filter((value) => value !== undefined);
  if (typeOf(schema) === 'boolean') values.push(true, false);
  const texts = new Set(values.map((value) => JSON.stringify(value)));
  return [...texts].map((label) => ({ label, type: 'constant' }));
}
