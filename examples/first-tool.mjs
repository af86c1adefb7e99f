// A whole server: one tool over stdio. Any MCP host can start it: node examples/first-tool.mjs
import { createServer } from 'mcp-kit/server';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { serveStdio } from 'mcp-kit/transport';

const getNumberSum = defineTool({
  name: 'get_number_sum',
  description: 'Adds two numbers.',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  run: ({ a, b }) => `${a} + ${b} = ${a + b}`,
});

const features = [toolSet([getNumberSum])];
await serveStdio(createServer({ name: 'first-tool', version: '1.0.0', features }));
