// The endpoint as a function from Request to Response, as Hono, Bun, Deno and workers take it:
//   app.all('/mcp', (c) => handle(c.req.raw))
// Here it is called directly; exits with 1 when the answer is not the expected one.
import { createServer } from 'mcp-kit/server';
import { metaKeys } from 'mcp-kit/protocol';
import { tool, toolSet } from 'mcp-kit/tools';
import { toFetchHandler } from 'mcp-kit/transport/http';

const getTextShouted = tool({
  name: 'get_text_shouted',
  description: 'Returns a text in capital letters.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text.toUpperCase(),
});

const server = createServer({
  name: 'hono-style',
  version: '1.0.0',
  features: [toolSet([getTextShouted])],
});

// Names of your own site go into allowedHosts; pages that may call it into allowedOrigins.
const handle = toFetchHandler(server, { allowedHosts: ['tools.example'] });

const request = new Request('https://tools.example/mcp', {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'get_text_shouted',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'get_text_shouted',
      arguments: { text: 'mcp' },
      _meta: {
        [metaKeys.protocolVersion]: '2026-07-28',
        [metaKeys.clientCapabilities]: {},
      },
    },
  }),
});

const response = await handle(request);
const { result } = await response.json();
console.log(response.status, result.content[0].text);
await handle.close();
process.exitCode = result.content[0].text === 'MCP' ? 0 : 1;
