// mcp-lite behind @hono/node-server: one server for all sessions. It answers JSON only to a client that accepts no event
// stream, and knows no stdio.
export default {
  label: 'mcp-lite',
  package: 'mcp-lite',
  entry: 'mcp-lite',

  http: {
    flavours: [
      {
        era: '2025-11-25',
        mode: 'json',
        accept: 'application/json',
        protocolVersion: '2025-06-18',
      },
      { era: '2025-11-25', mode: 'sse', protocolVersion: '2025-06-18' },
    ],
    imports: ['node:http', 'mcp-lite', '@hono/node-server', 'zod'],
    async serve({ host, port, tools }) {
      const { createServer } = await import('node:http');
      const { McpServer, StreamableHttpTransport, InMemorySessionAdapter } =
        await import('mcp-lite');
      const { getRequestListener } = await import('@hono/node-server');
      const { z } = await import('zod');
      const mcp = new McpServer({
        name: 'bench',
        version: '1.0.0',
        schemaAdapter: (schema) => z.toJSONSchema(schema),
      });
      for (const tool of tools) {
        mcp.tool(tool.name, {
          description: tool.description,
          inputSchema: tool.zod(z),
          handler: (args) => ({ content: [{ type: 'text', text: tool.run(args) }] }),
        });
      }
      const sessionAdapter = new InMemorySessionAdapter({ maxEventBufferSize: 1024 });
      const handle = new StreamableHttpTransport({ sessionAdapter }).bind(mcp);
      const server = createServer(getRequestListener(handle));
      await new Promise((resolve) => server.listen(port, host, resolve));
      return `http://${host}:${server.address().port}/mcp`;
    },
  },
};
