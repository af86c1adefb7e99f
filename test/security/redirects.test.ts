import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createManager, loadConfig } from '@mcp-kit/host';
import { expect, test } from 'vitest';

interface Listening extends AsyncDisposable {
  readonly origin: string;
}

async function listen(handle: RequestListener): Promise<Listening> {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const secret = 'canary-token-41f7';

/** Headers and bodies of every request that reached another origin. */
interface Arrivals {
  readonly seen: { readonly headers: IncomingHttpHeaders }[];
  readonly handle: RequestListener;
}

function watchArrivals(): Arrivals {
  const seen: { readonly headers: IncomingHttpHeaders }[] = [];
  return {
    seen,
    handle: ({ headers }, response) => {
      seen.push({ headers });
      response.end();
    },
  };
}

test.each([
  ['http', 301],
  ['http', 302],
  ['http', 303],
  ['http', 307],
  ['http', 308],
  ['sse', 302],
  ['sse', 307],
])(
  'a trusted %s server that answers %d takes no credential to another origin',
  async (type, status) => {
    const { seen, handle } = watchArrivals();
    await using other = await listen(handle);
    await using server = await listen((request, response) => {
      expect(request.headers.authorization).toBe(`Bearer ${secret}`);
      response.writeHead(status, { location: `${other.origin}/mcp` }).end();
    });
    const root = mkdtempSync(path.join(os.tmpdir(), 'mcp-redirect-'));
    try {
      const headers = { Authorization: 'Bearer ${TOKEN}', 'X-Key': '${TOKEN}' };
      const mcpServers = { api: { type, url: `${server.origin}/mcp`, headers } };
      writeFileSync(path.join(root, '.mcp.json'), JSON.stringify({ mcpServers }));
      const { entries } = await loadConfig({ root });
      await using manager = createManager({
        entries,
        root,
        env: { TOKEN: secret },
        trust: 'trusted',
        receipts: false,
        toolCache: false,
        reconnect: false,
      });
      const error: unknown = await manager
        .server('api')
        .connect()
        .catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(Error);
      expect(String(error) + JSON.stringify(error)).not.toContain(secret);
      expect(seen).toEqual([]);
    } finally {
      rmSync(root, { recursive: true });
    }
  },
);

test('the endpoint that an old server names must be at its own origin', async () => {
  const { seen, handle } = watchArrivals();
  await using other = await listen(handle);
  await using server = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: ${other.origin}/messages\n\n`);
  });
  const root = mkdtempSync(path.join(os.tmpdir(), 'mcp-redirect-'));
  try {
    const headers = { Authorization: `Bearer ${secret}` };
    const mcpServers = { api: { type: 'sse', url: `${server.origin}/sse`, headers } };
    writeFileSync(path.join(root, '.mcp.json'), JSON.stringify({ mcpServers }));
    const { entries } = await loadConfig({ root });
    await using manager = createManager({
      entries,
      root,
      trust: 'trusted',
      receipts: false,
      toolCache: false,
      reconnect: false,
      connectTimeoutMs: 5000,
    });
    await expect(manager.server('api').connect()).rejects.toBeInstanceOf(Error);
    expect(seen).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
