// What the servers under attack can do.
import { elicit } from 'mcp-kit/protocol';
import { createServer, prompts, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';

const tools = toolSet([
  tool({
    name: 'echo',
    description: 'Returns what it is given.',
    input: { type: 'object', properties: { nonce: { type: 'string' } } },
    run: ({ nonce = '' }) => nonce,
  }),
  tool({
    name: 'count',
    description: 'Counts strings.',
    input: {
      type: 'object',
      properties: { items: { type: 'array', items: { type: 'string' } } },
      required: ['items'],
    },
    output: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    run: ({ items }) => ({ count: items.length }),
  }),
  tool({
    name: 'ask',
    description: 'Asks the user for a word.',
    async run(_, context) {
      const requestedSchema = { type: 'object', properties: { word: { type: 'string' } } };
      const answers = await context.ask({ word: elicit({ message: 'Word?', requestedSchema }) });
      return JSON.stringify(answers);
    },
  }),
  tool({
    name: 'progress',
    description: 'Says how far it is, a few times.',
    async run(_, context) {
      for (let at = 1; at <= 3; at += 1) await context.progress(at, 3);
      return 'done';
    },
  }),
  tool({
    name: 'hang',
    description: 'Answers only when nobody wants it any more.',
    run: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('gone'))),
  }),
]);

const files = resources({
  resources: [{ uri: 'test://file', name: 'file', read: () => 'text' }],
  templates: [{ uriTemplate: 'test://item/{id}', name: 'item', read: ({ id }) => id }],
});
const texts = prompts([{ name: 'greet', description: 'Greets.', get: () => 'Hello.' }]);

export const service = createServer({
  name: 'attacked',
  version: '1.0.0',
  features: [tools, files, texts],
});
