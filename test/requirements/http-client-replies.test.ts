import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred } from 'mcp-kit/internal';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';

const pings = 500;

test('a server that asks all at once is answered by a few connections, and in full', async () => {
  const answered = new Set<unknown>();
  let under = 0;
  let most = 0;
  const all = createDeferred<void>();
  const stream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let id = 1; id <= pings; id += 1) {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
    }
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      stream(response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Message;
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return;
    }
    if (method === undefined && id !== undefined) {
      under += 1;
      most = Math.max(most, under);
      await sleep(2);
      under -= 1;
      answered.add(id);
      if (answered.size === pings) all.resolve();
    }
    response.writeHead(202).end();
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = await openSession(httpTarget(`http://127.0.0.1:${port}/mcp`), { era: 'legacy' });
  try {
    await all.promise;
    expect(most).toBeLessThanOrEqual(16);
    expect(most).toBeGreaterThan(1);
  } finally {
    await session.close();
    server.closeAllConnections();
    server.close();
  }
});

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}
