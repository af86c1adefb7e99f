// tmcp 1.x: one server for all sessions; every HTTP answer is an event stream.
const buildServer = async (tools) => {
  const { McpServer } = await import('tmcp');
  const { ZodJsonSchemaAdapter } = await import('@tmcp/adapter-zod');
  const { z } = await import('zod');
  const server = new McpServer(
    { name: 'bench', version: '1.0.0', description: 'bench' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  for (const { name, description, zod, run } of tools) {
    server.tool({ name, description, schema: zod(z) }, async (args) => ({
      content: [{ type: 'text', text: run(args) }],
    }));
  }
  return server;
};

export default {
  label: 'tmcp',
  package: 'tmcp',
  entry: 'tmcp',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'sse' },
      { era: '2026-07-28', mode: 'sse' },
    ],
    imports: [
      'node:http',
      'tmcp',
      '@tmcp/transport-http',
      '@tmcp/adapter-zod',
      '@remix-run/node-fetch-server',
      'zod',
    ],
    async serve({ host, port, tools }) {
      const { createServer } = await import('node:http');
      const { HttpTransport } = await import('@tmcp/transport-http');
      const { createRequestListener } = await import('@remix-run/node-fetch-server');
      const transport = new HttpTransport(await buildServer(tools), { path: '/mcp' });
      const listener = createRequestListener(
        async (request) =>
          (await transport.respond(request)) ?? new Response(null, { status: 404 }),
      );
      const server = createServer(listener);
      await new Promise((resolve) => server.listen(port, host, resolve));
      return `http://${host}:${server.address().port}/mcp`;
    },
  },

  stdio: {
    eras: ['2025-11-25', '2026-07-28'],
    imports: ['tmcp', '@tmcp/transport-stdio', '@tmcp/adapter-zod', 'zod'],
    async serve({ tools }) {
      const { StdioTransport } = await import('@tmcp/transport-stdio');
      new StdioTransport(await buildServer(tools)).listen();
    },
  },
};
