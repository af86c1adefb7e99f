import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeferred } from 'mcp-kit/internal';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** A server of sessions that notes what happens; `answerStream` does so, or not. */
async function listen(answerStream: (response: ServerResponse, note: () => void) => void) {
  const notes: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      answerStream(response, () => notes.push('stream'));
      return;
    }
    void read(request).then(({ id, method }) => {
      if (id === undefined) {
        response.writeHead(request.method === 'DELETE' ? 204 : 202).end();
        return;
      }
      if (method === 'tools/call') notes.push('call');
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {} },
              serverInfo: { name: 'slow', version: '1' },
            }
          : { content: [] };
      response.setHeader('content-type', 'application/json');
      response.setHeader('mcp-session-id', 's');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    notes,
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const options = { era: 'legacy', onNotification: () => {} } as const;

// The client gives the stream a head start of some milliseconds: they pass when a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('the first call waits until the server has the stream that it may ask on', async () => {
  await using server = await listen((response, note) => {
    setImmediate(() => {
      note();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
  });
  await using session = await openSession(httpTarget(server.url), options);
  await session.callTool('any');
  expect(server.notes).toEqual(['stream', 'call']);
});

test('a server that says nothing on its stream does not hold the first call up', async () => {
  const asked = createDeferred<void>();
  await using server = await listen(() => asked.resolve());
  await using session = await openSession(httpTarget(server.url), options);
  const called = session.callTool('any');
  await asked.promise;
  vi.advanceTimersByTime(50);
  await called;
  expect(server.notes).toEqual(['call']);
});
