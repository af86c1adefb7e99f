// This repository with governed tools: envelope, layers, traces. `writing` has the tools write, so that they take the
// arguments that every writing tool has.
const buildSet = async ({ tools, writing = false }) => {
  const { tool, toolSet } = await import('mcp-kit/tools');
  const { governed } = await import('mcp-kit/tools/governed');
  const safety = writing ? 'mutating' : 'readonly';
  // the set adds two tools of its own
  const defined = tools.slice(0, Math.max(2, tools.length - 2)).map((given) =>
    tool({
      name: given.name,
      description: given.description,
      category: 'bench',
      safety,
      supportsDryRun: false,
      input: given.inputSchema,
      run: given.run,
    }),
  );
  return toolSet(defined, { contract: governed({ lint: 'off' }) });
};

const buildServer = async (params) => {
  const { createServer } = await import('mcp-kit/server');
  const set = await buildSet(params);
  return createServer({ name: 'bench', version: '1.0.0', features: [set] });
};

export default {
  label: 'ours, governed',
  entry: 'mcp-kit/server',

  /** What its tools/list has, as JSON, for another to serve as well. */
  async list(params) {
    const set = await buildSet(params);
    const { json } = set.methods['tools/list']({}, { client: { era: 'legacy' } });
    return JSON.stringify(JSON.parse(json).tools);
  },

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
