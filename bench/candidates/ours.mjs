// This repository, with its defaults: every guard and limit is on.
const buildServer = async ({ tools, zod }) => {
  const { createServer } = await import('mcp-kit/server');
  const { tool, toolSet } = await import('mcp-kit/tools');
  const z = zod ? (await import('zod')).z : undefined;
  const defined = tools.map((given) =>
    tool({
      name: given.name,
      description: given.description,
      input: z ? given.zod(z) : given.inputSchema,
      run: given.run,
    }),
  );
  return createServer({ name: 'bench', version: '1.0.0', features: [toolSet(defined)] });
};

export default {
  label: 'ours',
  entry: 'mcp-kit/server',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'sse' },
      { era: '2026-07-28', mode: 'json' },
    ],
    imports: ['mcp-kit/server', 'mcp-kit/tools', 'mcp-kit/transport/http'],
    async serve({ host, port, mode, ...rest }) {
      const { serveHttp } = await import('mcp-kit/transport/http');
      const options = { host, port, ...(mode === 'sse' ? { answer: 'sse' } : {}) };
      return (await serveHttp(await buildServer(rest), options)).url;
    },
  },

  stdio: {
    eras: ['2025-11-25', '2026-07-28'],
    imports: ['mcp-kit/server', 'mcp-kit/tools', 'mcp-kit/transport'],
    async serve(params) {
      const { serveStdio } = await import('mcp-kit/transport');
      await serveStdio(await buildServer(params));
    },
  },
};
