// A gateway before many servers of this process, with so many tools each: node many.mjs SERVERS TOOLS; prints its URL.
import { gateway } from '@mcp-kit/host/gateway';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { benchTools } from '../lib/tools.mjs';

const [, , servers, tools] = process.argv.map(Number);

function targetOf(name) {
  const defined = benchTools(tools).map(({ inputSchema: input, ...given }) =>
    tool({ name: given.name, description: given.description, input, run: given.run }),
  );
  const server = createServer({ name, version: '1', features: [toolSet(defined)] });
  const dial = async () => {
    const [near, far] = memoryPair();
    serveChannel(server, far);
    return near;
  };
  return { label: name, key: name, wire: 'stream', dial };
}

const names = Array.from({ length: servers }, (_, n) => `server${String(n).padStart(2, '0')}`);
// All tools, as a host sees them that searches by itself.
const service = gateway(Object.fromEntries(names.map((name) => [name, targetOf(name)])), {
  settings: { disclosure: 'full' },
});
await service.settled();
const { url } = await serveHttp(service);
console.log(url);
