import { fail, tool, type CreateContract, type Tool } from 'mcp-kit/tools';
import { governed, type GovernanceOptions } from 'mcp-kit/tools/governed';

const maxNotes = 100;
const locked = 'welcome';
const name = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: 'The name of the note.',
} as const;

/** A governed tool that reads and one that writes: the notes they share end with the server. */
export function governedNotes(governance?: Pick<GovernanceOptions, 'store' | 'plans'>): {
  readonly contract: CreateContract;
  readonly governed: Tool[];
} {
  const notes = new Map([[locked, 'Hello.']]);
  return { contract: governed(governance), governed: [readingTool(notes), writingTool(notes)] };
}

function readingTool(notes: ReadonlyMap<string, string>): Tool {
  return tool({
    name: 'get_note_text',
    title: 'Read a note',
    description: 'Returns the text of a note.',
    category: 'note',
    safety: 'readonly',
    errors: { E_NOT_FOUND: 'There is no note of that name.' },
    examples: [{ input: { name: locked } }, { input: { name: 'nowhere' }, fails: 'E_NOT_FOUND' }],
    input: {
      type: 'object',
      properties: { name },
      required: ['name'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run(args) {
      const text = notes.get(args.name);
      if (text !== undefined) return { text };
      throw fail('E_NOT_FOUND', `There is no note "${args.name}".`, {
        suggestion: `There are: ${[...notes.keys()].join(', ')}.`,
      });
    },
  });
}

function writingTool(notes: Map<string, string>): Tool {
  return tool({
    name: 'set_note_text',
    title: 'Write a note',
    description: 'Keeps a text under a name, as long as the server runs.',
    category: 'note',
    safety: 'mutating',
    idempotent: true,
    errors: { E_PRECONDITION_FAILED: 'The note is locked, or there are as many as are kept.' },
    examples: [
      { input: { name: 'milk', text: 'Two bottles.' } },
      { input: { name: locked, text: 'Bye.' }, fails: 'E_PRECONDITION_FAILED' },
    ],
    input: {
      type: 'object',
      properties: {
        name,
        text: { type: 'string', maxLength: 10_000, description: 'The whole text.' },
      },
      required: ['name', 'text'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
    plan(args) {
      if (args.name === locked) throw fail('E_PRECONDITION_FAILED', 'That note is locked.');
      const from = notes.get(args.name) ?? null;
      if (from === null && notes.size >= maxNotes) {
        throw fail('E_PRECONDITION_FAILED', `There are ${maxNotes} notes, and no more are kept.`);
      }
      const type = from === null ? 'create' : 'update';
      const changes = [{ type, target: args.name, field: 'text', from, to: args.text } as const];
      return { changes, state: from, name: args.name, text: args.text };
    },
    apply(plan) {
      notes.set(plan.name, plan.text);
      return { length: plan.text.length };
    },
  });
}
