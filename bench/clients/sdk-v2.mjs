// Client of @modelcontextprotocol/client 2.x. Its default is 2025-11-25; asked to find out, it takes 2026-07-28.
const connect = async (Client, transport, era) => {
  const options = era === '2026-07-28' ? { versionNegotiation: { mode: 'auto' } } : {};
  const client = new Client({ name: 'bench', version: '1.0.0' }, options);
  await client.connect(transport);
  return {
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
};

/** The client of the SDK, version 2. */
export default {
  eras: ['2025-11-25', '2026-07-28'],

  async http({ url, era }) {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return connect(Client, new StreamableHTTPClientTransport(new URL(url)), era);
  },

  async stdio({ command, args, era }) {
    const [{ Client }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return connect(Client, new StdioClientTransport({ command, args }), era);
  },
};
