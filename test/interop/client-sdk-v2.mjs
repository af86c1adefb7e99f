// A server of SDK v2, to be started: node client-sdk-v2.mjs stdio | http [reject]
// Both eras, or with `reject` the modern one only.
import { createRequire } from 'node:module';
import path from 'node:path';
import { announceFrom, furnish, info, listen, options } from './client-peer-server.mjs';

const peer = createRequire(path.resolve(import.meta.dirname, '../../peers/package.json'));
const { McpServer, ResourceTemplate, completable, createMcpHandler, inputRequired } = peer(
  '@modelcontextprotocol/server',
);
const { z } = peer('zod');

const [, , mode, legacy] = process.argv;
const announcements = process.env['PEER_ANNOUNCEMENTS'];
let handler;

const sdk = {
  z,
  ResourceTemplate,
  completable,
  shape: (shape) => z.object(shape),
  handle: (server, method, run) => server.server.setRequestHandler(method, run),
  // Over HTTP a server lives as long as one request: changes are told by what holds the streams.
  toolsChanged: (server) =>
    handler ? handler.notify.toolsChanged() : server.sendToolListChanged(),
  resourceUpdated: (server, uri) =>
    handler ? handler.notify.resourceUpdated(uri) : server.server.sendResourceUpdated({ uri }),
  call: ({ mcpReq }) => ({
    legacy: mcpReq.envelope === undefined,
    signal: mcpReq.signal,
    log: (level, data) => mcpReq.log(level, data),
    async progress(progress, total) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
    ask(questions, render) {
      const { answer } = mcpReq.inputResponses ?? {};
      const answers = answer === undefined ? [] : [...JSON.parse(mcpReq.requestState()), answer];
      const question = questions[answers.length];
      if (question === undefined) return render(answers);
      const requestState = JSON.stringify(answers);
      return inputRequired({ inputRequests: { answer: question(answers) }, requestState });
    },
  }),
};

const cacheHints = { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } };
/** How often the list of tools was asked for. */
let lists = 0;

function createServer() {
  const server = furnish(new McpServer(info, { ...options, cacheHints }), sdk);
  const inputSchema = z.object({});
  server.registerTool('count_lists', { inputSchema }, () => ({
    content: [{ type: 'text', text: `${lists}` }],
  }));
  if (announcements !== undefined && mode === 'stdio') {
    announceFrom(announcements, { server, sdk, isLegacy: false });
  }
  return server;
}

async function serveHttp() {
  const { toNodeHandler } = peer('@modelcontextprotocol/node');
  handler = createMcpHandler(createServer, { legacy: legacy ?? 'stateless' });
  if (announcements !== undefined) announceFrom(announcements, { sdk, isLegacy: false });
  await listen(async (request, response) => {
    if (request.headers['mcp-method'] === 'tools/list') lists += 1;
    await toNodeHandler(handler)(request, response);
  });
}

function serveStdio() {
  process.stdin.on('data', (chunk) => (lists += chunk.toString().split('"tools/list"').length - 1));
  process.stdin.on('end', () => process.exit());
  peer('@modelcontextprotocol/server/stdio').serveStdio(createServer, {
    legacy: legacy ?? 'serve',
  });
}

await { stdio: serveStdio, http: serveHttp }[mode]();
