import { createServer, tool, type Server } from 'mcp-kit';

const number = { type: 'number' } as const;

/** One tool: its schema says what it takes, and checks it before `run` is called. */
const getNumberSum = tool({
  name: 'get_number_sum',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: number, b: number },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  run: ({ a, b }) => `${a} + ${b} = ${a + b}`,
});

/** The server with all its tools. */
export const server: Server = createServer({
  name: '{{name}}',
  version: '1.0.0',
  tools: [getNumberSum],
});
