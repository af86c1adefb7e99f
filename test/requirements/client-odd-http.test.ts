import { createEraCache, openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { failure } from './client-script.ts';
import { oldServer, plain, type Answer } from './old-http-server.ts';

describe('A working legacy server is reached that answers the probe with', () => {
  test.each<readonly [string, Answer]>([
    ['400 in plain text', plain(400)],
    ['402 without a body', plain(402, '')],
    ['406 in plain text', plain(406)],
    ['429 in plain text', plain(429)],
    ['500 in plain text', plain(500)],
    ['501 in HTML', plain(501, '<html>Not Implemented</html>')],
    ['502 in plain text', plain(502)],
    ['503 without a body', plain(503, '')],
    ['200 and no body', plain(200, '')],
    ['200 and HTML', plain(200, '<html></html>')],
    ['a socket that is dropped', (response) => response.socket?.destroy()],
    [
      'a body that is cut',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"jsonrpc"', () => response.socket?.destroy());
      },
    ],
    [
      'a stream that ends without a word',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
      },
    ],
    ['nothing at all', () => {}],
    [
      'the head of a stream and nothing more',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      },
    ],
  ])('%s', async (_what, probed) => {
    await using server = await oldServer(probed);
    const eraCache = createEraCache();
    const options = { eraCache, probeTimeoutMs: 50 };
    await using session = await openSession(httpTarget(server.url), options);
    expect([session.era, session.server?.name]).toEqual(['legacy', 'old']);
    const { content } = await session.callTool('anything');
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
    expect(server.heard.filter((method) => method === 'initialize')).toHaveLength(1);
  });
});

describe('A refusal of the caller stays one:', () => {
  test.each([401, 403])('%i to the probe', async (status) => {
    await using server = await oldServer(plain(status));
    const eraCache = createEraCache();
    const error = await failure(openSession(httpTarget(server.url), { eraCache }));
    expect(error).toMatchObject({ code: 'unauthorized', details: { status } });
    expect(server.heard).toEqual(['server/discover']);
  });

  test.each([401, 403])('%i to the handshake after a probe that failed', async (status) => {
    await using server = await oldServer(plain(500), { initialize: plain(status) });
    const eraCache = createEraCache();
    const error = await failure(openSession(httpTarget(server.url), { eraCache }));
    expect(error).toMatchObject({ code: 'unauthorized', details: { status } });
  });
});

test('A server that answers nothing is given up when the time is up', async () => {
  await using server = await oldServer(() => {}, { initialize: () => {} });
  const options = { eraCache: createEraCache(), probeTimeoutMs: 20, connectTimeoutMs: 300 };
  const error = await failure(openSession(httpTarget(server.url), options));
  expect(error).toMatchObject({ code: 'timeout' });
  expect(server.heard).toEqual(['server/discover', 'initialize']);
});
