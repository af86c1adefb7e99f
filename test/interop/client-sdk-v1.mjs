// A server of SDK v1, to be started: node client-sdk-v1.mjs stdio | http | json | stateless | sse
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { announceFrom, furnish, info, listen, options } from './client-peer-server.mjs';

const peer = createRequire(path.resolve(import.meta.dirname, '../../peers/package.json'));
const { McpServer, ResourceTemplate } = peer('@modelcontextprotocol/sdk/server/mcp.js');
const { completable } = peer('@modelcontextprotocol/sdk/server/completable.js');
const types = peer('@modelcontextprotocol/sdk/types.js');
const { z } = peer('zod');

const requests = {
  'resources/list': types.ListResourcesRequestSchema,
  'resources/subscribe': types.SubscribeRequestSchema,
  'resources/unsubscribe': types.UnsubscribeRequestSchema,
};
const results = {
  'elicitation/create': types.ElicitResultSchema,
  'sampling/createMessage': types.CreateMessageResultSchema,
  'roots/list': types.ListRootsResultSchema,
};

const sdk = {
  z,
  ResourceTemplate,
  completable,
  shape: (shape) => shape,
  handle: (server, method, run) => server.server.setRequestHandler(requests[method], run),
  toolsChanged: (server) => server.sendToolListChanged(),
  resourceUpdated: (server, uri) => server.server.sendResourceUpdated({ uri }),
  call: (extra, server) => ({
    legacy: true,
    signal: extra.signal,
    log: (level, data) => server.sendLoggingMessage({ level, data }, extra.sessionId),
    async progress(progress, total) {
      const progressToken = extra._meta?.progressToken;
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total };
      await extra.sendNotification({ method: 'notifications/progress', params });
    },
    async ask(questions, render) {
      const answers = [];
      for (const question of questions) {
        const { method, params } = question(answers);
        const elicitationId = params?.mode === 'url' ? { elicitationId: randomUUID() } : {};
        const request = { method, params: { ...params, ...elicitationId } };
        answers.push(await extra.sendRequest(request, results[method]));
      }
      return render(answers);
    },
  }),
};

function createServer() {
  const server = furnish(new McpServer(info, options), sdk);
  const file = process.env['PEER_ANNOUNCEMENTS'];
  if (file !== undefined) announceFrom(file, { server, sdk, isLegacy: true });
  return server;
}

async function serveStdio() {
  const { StdioServerTransport } = peer('@modelcontextprotocol/sdk/server/stdio.js');
  process.stdin.on('end', () => process.exit());
  await createServer().connect(new StdioServerTransport());
}

async function serveSessions({ enableJsonResponse }) {
  const { StreamableHTTPServerTransport } = peer(
    '@modelcontextprotocol/sdk/server/streamableHttp.js',
  );
  const sessions = new Map();
  await listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) {
      const error = { code: -32001, message: 'Session not found' };
      const body = JSON.stringify({ jsonrpc: '2.0', error, id: null });
      response.writeHead(404, { 'content-type': 'application/json' }).end(body);
      return;
    }
    let transport = sessions.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse,
        onsessioninitialized: (sessionId) => sessions.set(sessionId, transport),
        onsessionclosed: (sessionId) => sessions.delete(sessionId),
      });
      await createServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
}

async function serveStateless() {
  const { StreamableHTTPServerTransport } = peer(
    '@modelcontextprotocol/sdk/server/streamableHttp.js',
  );
  await listen(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    const server = createServer();
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** The transport of revision 2024-11-05: a stream at one address, messages to another. */
async function serveSse() {
  const { SSEServerTransport } = peer('@modelcontextprotocol/sdk/server/sse.js');
  const sessions = new Map();
  await listen(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      response.on('close', () => sessions.delete(transport.sessionId));
      await createServer().connect(transport);
      return;
    }
    const transport = sessions.get(url.searchParams.get('sessionId'));
    if (request.method === 'POST' && url.pathname === '/messages' && transport !== undefined) {
      await transport.handlePostMessage(request, response);
      return;
    }
    response.writeHead(404).end();
  });
}

const modes = {
  stdio: serveStdio,
  http: () => serveSessions({ enableJsonResponse: false }),
  json: () => serveSessions({ enableJsonResponse: true }),
  stateless: serveStateless,
  sse: serveSse,
};
await modes[process.argv[2]]();
