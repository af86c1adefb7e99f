import type { Logger } from 'mcp-kit/internal';
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet, type Envelope, type FailureCode, type Tool } from 'mcp-kit/tools';
import type { Answer } from '../support/http-client.ts';
import { serving, startSession, type LegacySession } from '../support/mcp-http.ts';

const position = {
  type: 'object',
  properties: { x: { type: 'number' }, y: { type: 'number' } },
  required: ['x', 'y'],
} as const;

/** A tool with everything an author can say about one. */
export const setPosition = tool({
  name: 'set_node_position',
  description: 'Moves a node.',
  layer: 'advanced',
  category: 'node',
  safety: 'mutating',
  idempotent: true,
  supportsDryRun: true,
  prerequisites: ['sceneReady=true'],
  examples: [{ input: { node: 'n1', position: { x: 1, y: 2 } } }],
  _meta: { 'example.org/icon': 'arrows' },
  input: {
    type: 'object',
    properties: { node: { type: 'string' }, position },
    required: ['node', 'position'],
  },
  output: {
    type: 'object',
    $defs: { point: position },
    properties: { after: { $ref: '#/$defs/point' } },
    required: ['after'],
  },
  run({ node, position: after }) {
    if (node === 'lost') throw fail('E_NOT_FOUND', 'No such node.', { suggestion: 'List them.' });
    return { after };
  },
});

const values: Readonly<Record<string, unknown>> = {
  text: 'done',
  number: 7,
  nothing: undefined,
  null: null,
  list: [1, 2],
  object: { a: 1 },
  result: { content: [{ type: 'text', text: 'as is' }], structuredContent: { b: 2 } },
  empty: { content: [] },
};

const others: readonly Tool[] = [
  tool({
    name: 'get_value_plain',
    description: 'Returns all kinds of values.',
    annotations: { readOnlyHint: true },
    input: { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
    run: ({ kind }) => values[kind] as object,
  }),
  tool({
    name: 'get_value_shaped',
    description: 'Returns data that looks like a result.',
    output: {
      type: 'object',
      properties: { content: { type: 'array', items: { type: 'string' } } },
      required: ['content'],
    },
    run: () => ({ content: ['a', 'b'] }),
  }),
  tool({
    name: 'execute_test_failure',
    description: 'Fails as told.',
    input: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    run: async ({ code }) => {
      throw fail(code as FailureCode, `because of ${code}`, { details: { at: 3 } });
    },
  }),
  tool({
    name: 'execute_test_refusal',
    description: 'Returns a result that says it is an error.',
    run: () => ({ content: [{ type: 'text', text: 'not today' }], isError: true }),
  }),
  tool({
    name: 'execute_test_bug',
    description: 'Breaks.',
    run() {
      throw new Error('password=hunter2');
    },
  }),
];

/** A governed server, and a client in session with it. */
export interface Started {
  readonly session: LegacySession;
  readonly logged: readonly object[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function start(): Promise<Started> {
  const logged: object[] = [];
  const keep = (message: string, fields?: object): void => void logged.push({ message, ...fields });
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const tools = toolSet([setPosition, ...others], {
    contract: 'envelope',
    version: '2.0.0',
    logger,
  });
  const server = createServer({ name: 'v2', version: '2.0.0', features: [tools] });
  const served = await serving(server, { profile: 'v2' });
  const session = await startSession(served.url);
  return { session, logged, [Symbol.asyncDispose]: () => served.close() };
}

export function call({ session }: Started, name: string, args: object = {}): Promise<Answer> {
  return session.request('tools/call', { name, arguments: args });
}

export function envelopeOf({ message }: Answer): Envelope {
  return message.result?.['structuredContent'] as Envelope;
}

export interface Listed {
  readonly name: string;
  readonly outputSchema: object;
  readonly _meta: object;
}

export async function list({ session }: Started): Promise<readonly Listed[]> {
  const { message } = await session.request('tools/list');
  return message.result?.['tools'] as Listed[];
}

export const moved = { node: 'n1', position: { x: 1, y: 2 } };
