// @modelcontextprotocol/sdk 1.x on plain node:http: one McpServer and one transport per session, as its examples show.
const serverFactory = async (tools) => {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { z } = await import('zod');
  const shapes = new Map(tools.map((tool) => [tool.name, tool.zod(z).shape]));
  return () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    for (const { name, description, run } of tools) {
      const config = { description, inputSchema: shapes.get(name) };
      server.registerTool(name, config, async (args) => ({
        content: [{ type: 'text', text: run(args) }],
      }));
    }
    return server;
  };
};

export default {
  label: 'SDK v1',
  package: '@modelcontextprotocol/sdk',
  entry: '@modelcontextprotocol/sdk/server/mcp.js',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'sse' },
    ],
    imports: [
      'node:http',
      '@modelcontextprotocol/sdk/server/mcp.js',
      '@modelcontextprotocol/sdk/server/streamableHttp.js',
      'zod',
    ],
    async serve({ host, port, mode, tools }) {
      const { createServer } = await import('node:http');
      const { randomUUID } = await import('node:crypto');
      const { StreamableHTTPServerTransport } =
        await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
      const create = await serverFactory(tools);
      const transports = new Map();
      const handle = async (req, res) => {
        const id = req.headers['mcp-session-id'];
        let transport = transports.get(id);
        if (transport === undefined) {
          if (id !== undefined) return res.writeHead(404).end();
          transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            enableJsonResponse: mode === 'json',
            onsessioninitialized: (sessionId) => transports.set(sessionId, transport),
          });
          await create().connect(transport);
        }
        await transport.handleRequest(req, res);
      };
      const server = createServer((req, res) => void handle(req, res));
      await new Promise((resolve) => server.listen(port, host, resolve));
      return `http://${host}:${server.address().port}/mcp`;
    },
  },

  stdio: {
    eras: ['2025-11-25'],
    imports: [
      '@modelcontextprotocol/sdk/server/mcp.js',
      '@modelcontextprotocol/sdk/server/stdio.js',
      'zod',
    ],
    async serve({ tools }) {
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const create = await serverFactory(tools);
      await create().connect(new StdioServerTransport());
    },
  },
};
