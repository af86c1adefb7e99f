import { createServer, serve, tool } from 'mcp-kit';

const number = { type: 'number' };
const input = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const run = ({ a, b }) => `${a} + ${b} = ${a + b}`;
const sum = tool({ name: 'get_number_sum', description: 'Adds two numbers.', input, run });
await serve(createServer({ name: 'first-tool', version: '1.0.0', tools: [sum] }));
