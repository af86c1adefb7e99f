// The resources and prompts of the server that other implementations are tried against.
import { elicit } from 'mcp-kit/protocol';
import { definePrompt, defineResource, defineResourceTemplate } from 'mcp-kit/server';

const startingWith = (values) => (typed) => values.filter((value) => value.startsWith(typed));

export const memo = (name, content) =>
  defineResource({ uri: `memo://${name}`, name, mimeType: 'text/plain', read: () => content });

export const fixtureResources = [
  memo('one', 'first'),
  memo('two', 'second: ünïcödé 🌍\u2028end'),
  defineResource({
    uri: 'memo://picture',
    name: 'picture',
    title: 'A picture',
    mimeType: 'image/png',
    size: 4,
    read: async () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47),
  }),
  defineResource({
    uri: 'memo://personal',
    name: 'personal',
    read: async (context) => {
      const requestedSchema = {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      };
      const { who } = await context.ask({ who: elicit({ message: 'Whose?', requestedSchema }) });
      return `the memo of ${who.content.name}`;
    },
  }),
  defineResource({ uri: 'memo://gone', name: 'gone', read: () => undefined }),
];

export const fixtureTemplates = [
  defineResourceTemplate({
    uriTemplate: 'shelf://{shelf}/{book}',
    name: 'book',
    mimeType: 'application/json',
    complete: {
      shelf: startingWith(['poetry', 'prose', 'plays']),
      book: (typed, { shelf }) => startingWith([`${shelf}-a`, `${shelf}-b`])(typed),
    },
    read: ({ shelf, book }) => JSON.stringify({ shelf, book }),
  }),
  defineResourceTemplate({
    uriTemplate: 'path:///{+path}',
    name: 'path',
    read: ({ path }) => `at ${path}`,
  }),
];

const message = (role, content) => ({ role, content: { type: 'text', text: content } });

export const fixturePrompts = [
  definePrompt({ name: 'plain', description: 'No arguments.', get: () => 'Be brief.' }),
  definePrompt({
    name: 'review',
    title: 'Review',
    description: 'Reviews code.',
    arguments: [
      { name: 'language', required: true, complete: startingWith(['rust', 'ruby', 'typescript']) },
      { name: 'style', description: 'How to write.' },
    ],
    get: ({ language, style = 'plain' }) => [
      message('user', `Review this ${language}.`),
      message('assistant', `In ${style} style.`),
    ],
  }),
  definePrompt({
    name: 'with_resource',
    get: async () => [
      {
        role: 'user',
        content: { type: 'resource', resource: { uri: 'memo://one', text: 'first' } },
      },
    ],
  }),
];
