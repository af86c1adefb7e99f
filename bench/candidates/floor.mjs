// The floor: what Node itself costs. A switch on the method and nothing else; nothing is checked.
const serverInfo = { name: 'floor', version: '1.0.0' };
const notFound = '"error":{"code":-32601,"message":"Method not found"}';

const listOf = (tools) =>
  JSON.stringify(
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  );

// A function from a message to the JSON text of its answer, or undefined for a notification.
function answerer(tools, era, list = listOf(tools)) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const resultOf = {
    'tools/call': ({ name, arguments: args }) =>
      `{"content":[{"type":"text","text":${JSON.stringify(byName.get(name).run(args))}}],"resultType":"complete"}`,
    'tools/list': () =>
      `{"tools":${list},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`,
    initialize: ({ protocolVersion }) =>
      JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo }),
  };
  if (era === '2026-07-28') {
    const discovered = JSON.stringify({
      supportedVersions: [era],
      capabilities: { tools: {} },
      serverInfo,
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    });
    resultOf['server/discover'] = () => discovered;
  }
  return ({ id, method, params }) => {
    if (id === undefined) return undefined;
    const answer = resultOf[method];
    const outcome = answer === undefined ? notFound : `"result":${answer(params)}`;
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
  };
}

/** Calls onLine with each line of a stream; one that spans chunks is joined once, when it is complete. */
export function readLines(stream, onLine) {
  let parts = [];
  stream.on('data', (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      if (parts.length > 0) {
        parts.push(chunk.subarray(from, end));
        onLine(Buffer.concat(parts).toString());
        parts = [];
      } else onLine(chunk.utf8Slice(from, end));
      from = end + 1;
    }
    if (from < chunk.length) parts.push(from === 0 ? chunk : chunk.subarray(from));
  });
}

export default {
  label: 'floor',

  http: {
    flavours: [
      { era: '2025-11-25', mode: 'json' },
      { era: '2025-11-25', mode: 'sse' },
      { era: '2026-07-28', mode: 'json' },
    ],
    imports: ['node:http'],
    async serve({ host, port, mode, era, tools, listsAs }) {
      const { createServer } = await import('node:http');
      const { randomUUID } = await import('node:crypto');
      const other = listsAs && (await import(`./${listsAs}.mjs`)).default;
      const answer = answerer(tools, era, await other?.list({ tools }));
      const streams = new Set();
      const openStream = (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.flushHeaders();
        streams.add(res);
      };
      const reply = (res, message) => {
        if (message.method === 'subscriptions/listen') return openStream(res);
        const text = answer(message);
        if (text === undefined) return res.writeHead(202).end();
        const session =
          message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : undefined;
        if (mode === 'sse') {
          res.writeHead(200, { 'content-type': 'text/event-stream', ...session });
          return res.end(`event: message\ndata: ${text}\n\n`);
        }
        res.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...session,
        });
        res.end(text);
      };
      const server = createServer((req, res) => {
        if (req.method === 'GET') {
          return req.url === '/mcp' ? openStream(res) : res.writeHead(404).end();
        }
        if (req.method === 'DELETE') return res.writeHead(204).end();
        const chunks = [];
        req.on('data', (chunk) => chunks.push(chunk));
        req.on('end', () => {
          reply(res, JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
        });
      });
      await new Promise((resolve) => server.listen(port, host, resolve));
      return `http://${host}:${server.address().port}/mcp`;
    },
  },

  stdio: {
    eras: ['2025-11-25', '2026-07-28'],
    imports: [],
    serve({ era, tools }) {
      const answer = answerer(tools, era);
      readLines(process.stdin, (line) => {
        const text = answer(JSON.parse(line));
        if (text !== undefined) process.stdout.write(`${text}\n`);
      });
    },
  },
};
