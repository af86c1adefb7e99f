import { elicit, elicitUrl, listRoots, sample } from 'mcp-kit/protocol';
import {
  createServer,
  definePrompt,
  defineResource,
  prompts,
  resources,
  type ServerOptions,
} from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { send, type Answer } from '../support/http-client.ts';
import { modern, serving, type Served } from '../support/mcp-http.ts';

export const name = elicit({
  message: 'Name?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  },
});
export const visit = elicitUrl({ message: 'Sign in', url: 'https://example.org/sign-in' });
const capabilities: Fields = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export interface Started extends Served {
  /** What effects ran, in order. */
  readonly effects: readonly string[];
}

export async function start(options: Partial<ServerOptions> = {}): Promise<Started> {
  const effects: string[] = [];
  const tools = toolSet([
    tool({
      name: 'greet',
      description: 'Asks once.',
      input: { type: 'object', properties: { greeting: { type: 'string' } } },
      async run({ greeting = 'Hello' }, context) {
        const { who } = await context.ask({ who: name });
        return who.action === 'accept'
          ? `${greeting} ${String(who.content?.['name'])}`
          : who.action;
      },
    }),
    tool({
      name: 'all',
      description: 'Asks three things at once.',
      async run(_args, context) {
        const got = await context.ask({
          who: name,
          text: sample({ messages: [], maxTokens: 5 }),
          where: listRoots(),
        });
        return { who: got.who.content, model: got.text.model, roots: got.where.roots.length };
      },
    }),
    tool({
      name: 'rounds',
      description: 'Asks twice, with an effect before each.',
      async run(_args, context) {
        await context.once('first', () => void effects.push('first'));
        const { one } = await context.ask({ one: name });
        const number = await context.once('second', () => effects.push('second'));
        const { two } = await context.ask({ two: name });
        return `${String(one.content?.['name'])} ${String(two.content?.['name'])} ${number}`;
      },
    }),
    tool({
      name: 'visit',
      description: 'Sends the user to a page.',
      run: async (_args, context) => (await context.ask({ page: visit })).page.action,
    }),
  ]);
  const prompt = definePrompt({
    name: 'asking',
    arguments: [
      {
        name: 'a',
        complete: async (_value, _filled, context) => [(await context.ask({ name })).name.action],
      },
    ],
    get: async (_args, context) =>
      `Hi ${String((await context.ask({ name })).name.content?.['name'])}`,
  });
  const resource = defineResource({
    uri: 'note://asking',
    name: 'asking',
    read: async (context) => String((await context.ask({ name })).name.content?.['name']),
  });
  const features = [tools, prompts([prompt]), resources({ resources: [resource] })];
  const server = createServer({ name: 'rounds', version: '1.0.0', features, ...options });
  return Object.assign(await serving(server), { effects });
}

type Fields = Readonly<Record<string, unknown>>;
let lastId = 0;

/** Sends a request of any method from a client that can everything. */
export function ask({ url }: Served, method: string, params: Fields): Promise<Answer> {
  return send(url, modern(method, params, { id: ++lastId, capabilities }));
}

/** Calls a tool, from a client that can everything unless told otherwise. */
export function call({ url }: Served, params: Fields, declared = capabilities): Promise<Answer> {
  return send(url, modern('tools/call', params, { id: ++lastId, capabilities: declared }));
}

export const stateOf = ({ message }: Answer): string => String(message.result?.['requestState']);
export const accept = (value: string): object => ({ action: 'accept', content: { name: value } });
export const textOf = ({ message }: Answer): unknown => message.result?.['content'];
