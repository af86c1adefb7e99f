// @modelcontextprotocol/server and /node 2.x. 2025-11-25: one McpServer and one transport per session. 2026-07-28:
// createMcpHandler, which makes a McpServer per request by design.
const serverFactory = async (tools) => {
  const { McpServer } = await import('@modelcontextprotocol/server');
  const { z } = await import('zod');
  const schemas = new Map(tools.map((tool) => [tool.name, tool.zod(z)]));
  return () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    for (const { name, description, run } of tools) {
      const config = { description, inputSchema: schemas.get(name) };
      server.registerTool(name, config, async (args) => ({
        content: [{ type: 'text', text: run(args) }],
      }));
    }
    return server;
  };
};

const statelessHandler = async (tools) => {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  const options = { responseMode: 'auto', maxSubscriptions: 100_000 };
  return toNodeHandler(createMcpHandler(await serverFactory(tools), options));
};

const sessionHandler = async (tools, mode) => {
  const { randomUUID } = await import('node:crypto');
  const { NodeStreamableHTTPServerTransport } = await import('@modelcontextprotocol/node');
  const create = await serverFactory(tools);
  const transports = new Map();
  return async (req, res) => {
    const id = req.headers['mcp-session-id'];
    let transport = transports.get(id);
    if (transport === undefined) {
      if (id !== undefined) return res.writeHead(404).end();
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: mode === 'json',
        onsessioninitialized: (sessionId) => transports.set(sessionId, transport),
      });
      await create().connect(transport);
    }
    await transport.handleRequest(req, res);
  };
};

export default {
  label: 'SDK v2',
  package: '@modelcontextprotocol/server',
  entry: '@modelcontextprotocol/server',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'sse' },
      { era: '2026-07-28', mode: 'json' },
    ],
    imports: ['node:http', '@modelcontextprotocol/server', '@modelcontextprotocol/node', 'zod'],
    async serve({ host, port, mode, era, tools }) {
      const { createServer } = await import('node:http');
      const stateless = era === '2026-07-28';
      const handle = await (stateless ? statelessHandler(tools) : sessionHandler(tools, mode));
      const server = createServer((req, res) => void handle(req, res));
      await new Promise((resolve) => server.listen(port, host, resolve));
      return `http://${host}:${server.address().port}/mcp`;
    },
  },

  stdio: {
    eras: ['2025-11-25', '2026-07-28'],
    imports: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio', 'zod'],
    async serve({ tools }) {
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      serveStdio(await serverFactory(tools));
    },
  },
};
