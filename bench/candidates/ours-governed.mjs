// This repository with governed tools: envelope, layers, traces. `writing` has the tools write, so that they take the
// arguments that every writing tool has.
const buildServer = async ({ tools, writing = false }) => {
  const { createServer } = await import('mcp-kit/server');
  const { defineTool, toolSet } = await import('mcp-kit/tools');
  const { governed } = await import('mcp-kit/tools/governed');
  const safety = writing ? 'mutating' : 'readonly';
  // the set adds two tools of its own
  const defined = tools.slice(0, Math.max(2, tools.length - 2)).map((tool) =>
    defineTool({
      name: tool.name,
      description: tool.description,
      category: 'bench',
      safety,
      supportsDryRun: false,
      input: tool.inputSchema,
      run: tool.run,
    }),
  );
  const set = toolSet(defined, { contract: governed() });
  return createServer({ name: 'bench', version: '1.0.0', features: [set] });
};

export default {
  label: 'ours, governed',
  entry: 'mcp-kit/server',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'json', writing: true },
    ],
    imports: [
      'mcp-kit/server',
      'mcp-kit/tools',
      'mcp-kit/tools/governed',
      'mcp-kit/transport/http',
    ],
    async serve({ host, port, ...rest }) {
      const { serveHttp } = await import('mcp-kit/transport/http');
      return (await serveHttp(await buildServer(rest), { host, port })).url;
    },
  },
};
