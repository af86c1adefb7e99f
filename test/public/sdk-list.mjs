// Lists the tools of a program with an official client and nothing else, as a short script of somebody would:
// node sdk-list.mjs first|second PLACE
import { createRequire } from 'node:module';

const peer = createRequire(new URL('../../peers/package.json', import.meta.url));
const [generation, place] = process.argv.slice(2);
const info = { name: 'public-lists', version: '1.0.0' };
const timeout = 90_000;

/** The client, and how it asks for a page of tools. */
const generations = {
  first() {
    const { Client } = peer('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = peer('@modelcontextprotocol/sdk/client/stdio.js');
    return { client: new Client(info), StdioClientTransport };
  },
  second() {
    const { Client } = peer('@modelcontextprotocol/client');
    const { StdioClientTransport } = peer('@modelcontextprotocol/client/stdio');
    const versionNegotiation = { mode: 'auto' };
    return { client: new Client(info, { versionNegotiation }), StdioClientTransport };
  },
};

const { client, StdioClientTransport } = generations[generation]();
await client.connect(new StdioClientTransport({ ...JSON.parse(place), stderr: 'ignore' }), {
  timeout,
});
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
  tools.push(...page.tools);
  cursor = page.nextCursor;
} while (cursor !== undefined);
process.stdout.write(`${JSON.stringify({ tools })}\n`);
await client.close();
