// Client of @modelcontextprotocol/sdk 1.x.
const connect = async (transport) => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  return {
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
};

/** The client of the SDK, version 1. */
export default {
  eras: ['2025-11-25'],

  async http({ url }) {
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return connect(new StreamableHTTPClientTransport(new URL(url)));
  },

  async stdio({ command, args }) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return connect(new StdioClientTransport({ command, args }));
  },
};
