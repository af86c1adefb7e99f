// A whole server: one tool over stdio. Any MCP host can start it: node examples/first-tool.mjs
import { createServer, serve, tool } from 'mcp-kit';

const getNumberSum = tool({
  name: 'get_number_sum',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  run: ({ a, b }) => `${a} + ${b} = ${a + b}`,
});

await serve(createServer({ name: 'first-tool', version: '1.0.0', tools: [getNumberSum] }));
