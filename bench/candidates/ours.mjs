// This repository as its README shows it, with its defaults: every guard and limit is on.
const buildServer = async ({ tools, zod }) => {
  const { createServer, tool } = await import('mcp-kit');
  const z = zod ? (await import('zod')).z : undefined;
  const defined = tools.map((given) =>
    tool({
      name: given.name,
      description: given.description,
      input: z ? given.zod(z) : given.inputSchema,
      run: given.run,
    }),
  );
  return createServer({ name: 'bench', version: '1.0.0', tools: defined });
};

export default {
  label: 'ours',
  entry: 'mcp-kit',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'sse' },
      { era: '2026-07-28', mode: 'json' },
    ],
    imports: ['mcp-kit', 'mcp-kit/transport/http'],
    async serve({ host, port, mode, ...rest }) {
      const { serve } = await import('mcp-kit');
      const http = { host, port, ...(mode === 'sse' ? { answer: 'sse' } : {}) };
      return (await serve(await buildServer(rest), { http })).url;
    },
  },

  stdio: {
    eras: ['2025-11-25', '2026-07-28'],
    imports: ['mcp-kit', 'mcp-kit/transport'],
    async serve(params) {
      const { serve } = await import('mcp-kit');
      await serve(await buildServer(params));
    },
  },
};
