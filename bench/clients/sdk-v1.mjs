// Client of @modelcontextprotocol/sdk 1.x.
const sdk = '@modelcontextprotocol/sdk/client';
// Both modules at once, as a program that names them at its top loads them.
const load = (transport) => Promise.all([import(`${sdk}/index.js`), import(`${sdk}/${transport}`)]);

const connect = async (Client, transport) => {
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
    const [{ Client }, { StreamableHTTPClientTransport }] = await load('streamableHttp.js');
    return connect(Client, new StreamableHTTPClientTransport(new URL(url)));
  },

  async stdio({ command, args }) {
    const [{ Client }, { StdioClientTransport }] = await load('stdio.js');
    return connect(Client, new StdioClientTransport({ command, args }));
  },
};
