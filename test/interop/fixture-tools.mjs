// The tools of the server that other implementations are tried against.
import { RpcError } from 'mcp-kit/jsonrpc';
import { elicit, elicitUrl, listRoots, sample } from 'mcp-kit/protocol';
import { fail, tool } from 'mcp-kit/tools';
import { statefulTools } from './fixture-state.mjs';

const text = { type: 'string' };
const form = (name) => ({ type: 'object', properties: { [name]: text }, required: [name] });
const question = (message, name) => elicit({ message, requestedSchema: form(name) });
const sampling = (prompt) =>
  sample({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });

const describe = (name, { action, content }) =>
  action === 'accept' ? `${name}=${content[name]}` : action;

const plain = [
  tool({
    name: 'greet',
    title: 'Greet',
    description: 'Greets at once.',
    input: form('name'),
    annotations: { readOnlyHint: true },
    run: ({ name }) => `Hello, ${name}!`,
  }),
  tool({
    name: 'greet_later',
    description: 'Greets after a turn of the event loop.',
    input: form('name'),
    run: async ({ name }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return `Hello at last, ${name}!`;
    },
  }),
  tool({
    name: 'echo',
    description: 'Returns the text it is given.',
    input: form('text'),
    run: ({ text: given }) => given,
  }),
  tool({
    name: 'fill',
    description: 'Returns a text of this many bytes.',
    input: {
      type: 'object',
      properties: { bytes: { type: 'integer', minimum: 0, maximum: 4_000_000 } },
      required: ['bytes'],
    },
    run: ({ bytes }) => 'x'.repeat(bytes),
  }),
  tool({
    name: 'measure',
    description: 'Measures a text.',
    input: form('text'),
    output: {
      type: 'object',
      properties: { characters: { type: 'integer' }, words: { type: 'array', items: text } },
      required: ['characters', 'words'],
    },
    run: ({ text: given }) => ({ characters: given.length, words: given.split(' ') }),
  }),
  tool({
    name: 'list_squares',
    description: 'Returns a structured value that is not an object.',
    input: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    output: { type: 'array', items: { type: 'integer' } },
    run: ({ count }) => Array.from({ length: count }, (_, index) => index * index),
  }),
  tool({
    name: 'refuse',
    description: 'Fails in a way the caller can act on.',
    run: () => {
      throw fail('E_NOT_FOUND', 'No such thing.', { suggestion: 'Try greet.' });
    },
  }),
  tool({
    name: 'crash',
    description: 'Has a bug.',
    run: () => {
      throw new Error('a secret of the implementation');
    },
  }),
  tool({
    name: 'print',
    description: 'Prints to where messages go, which a server must survive.',
    run: () => {
      console.log('a stray line');
      return 'printed';
    },
  }),
  tool({
    name: 'show_all_content',
    description: 'Returns one block of every kind.',
    run: () => ({
      content: [
        { type: 'text', text: 'a text', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'memo://one', name: 'one', mimeType: 'text/plain' },
        {
          type: 'resource',
          resource: { uri: 'memo://one', mimeType: 'text/plain', text: 'first' },
        },
      ],
    }),
  }),
  tool({
    name: 'route',
    description: 'Takes arguments that HTTP headers repeat.',
    input: {
      type: 'object',
      properties: {
        region: { ...text, 'x-mcp-header': 'Region' },
        shard: { type: 'integer', 'x-mcp-header': 'Shard' },
        query: text,
      },
      required: ['region'],
    },
    run: ({ region, shard, query }) => `${region}/${shard ?? '-'}/${query ?? '-'}`,
  }),
];

const talking = [
  tool({
    name: 'refuse_midway',
    description: 'Reports progress, and then is refused by the protocol.',
    run: async (_args, context) => {
      await context.progress(1);
      throw new RpcError(-32602, 'Refused midway.');
    },
  }),
  tool({
    name: 'count',
    description: 'Reports progress at every step.',
    input: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
    run: async ({ to }, context) => {
      for (let step = 1; step <= to; step++) await context.progress(step, to, `step ${step}`);
      return `counted to ${to}`;
    },
  }),
  tool({
    name: 'log_each_level',
    description: 'Logs one message of each of three levels.',
    run: async (_args, context) => {
      await context.log('debug', { detail: 'fine' }, 'fixture');
      await context.log('info', 'plain');
      await context.log('error', ['grave'], 'fixture');
      return 'logged';
    },
  }),
  tool({
    name: 'ask_name',
    description: 'Asks the user one question.',
    run: async (_args, context) => {
      const { who } = await context.ask({ who: question('What is your name?', 'name') });
      return describe('name', who);
    },
  }),
  tool({
    name: 'ask_in_turn',
    description: 'Asks a second question that depends on the answer to the first.',
    run: async (_args, context) => {
      const started = await context.once('start', () => Date.now());
      const { who } = await context.ask({ who: question('What is your name?', 'name') });
      const { tint } = await context.ask({
        tint: question(`Your colour, ${who.content.name}?`, 'colour'),
      });
      const again = await context.once('start', () => -1);
      return `${describe('name', who)} ${describe('colour', tint)} ${started === again}`;
    },
  }),
  tool({
    name: 'ask_everything',
    description: 'Asks for all kinds of input at once.',
    run: async (_args, context) => {
      const { who, thought, places } = await context.ask({
        who: question('What is your name?', 'name'),
        thought: sampling('Think of a word.'),
        places: listRoots(),
      });
      const roots = places.roots.map(({ uri }) => uri).join(',');
      return `${describe('name', who)} ${thought.content.text} ${roots}`;
    },
  }),
  tool({
    name: 'ask_visit',
    description: 'Sends the user to a web address.',
    run: async (_args, context) => {
      const { visit } = await context.ask({
        visit: elicitUrl({ message: 'Please agree.', url: 'https://example.com/agree' }),
      });
      return visit.action;
    },
  }),
  tool({
    name: 'sample',
    description: "Asks the client's model.",
    run: async (_args, context) => {
      const { thought } = await context.ask({ thought: sampling('Say something.') });
      return `${thought.model}: ${thought.content.text}`;
    },
  }),
  tool({
    name: 'list_roots',
    description: 'Asks where the client works.',
    run: async (_args, context) => {
      const { places } = await context.ask({ places: listRoots() });
      return places.roots.map(({ uri, name }) => `${name ?? '?'} ${uri}`).join('\n');
    },
  }),
];

/** All tools, in the order they are listed. */
export const fixtureTools = (state) => [...plain, ...talking, ...statefulTools(state)];
