import { createServer, tool } from 'mcp-kit';

const hello = tool({ name: 'get_text_hello', description: 'Says hello.', run: () => 'Hello.' });

export const server = createServer({ name: 'hello', version: '1.0.0', tools: [hello] });
