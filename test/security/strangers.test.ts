import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../requirements/config-fixture.ts';
import { manageV1 } from '../requirements/manager-fixture.ts';

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** A legacy server that remembers what it was told a client can do. */
async function listen() {
  const told: unknown[] = [];
  const server = createServer((request, response) => {
    void read(request).then(({ id, method, params }) => {
      if (method !== 'initialize') {
        response.writeHead(request.method === 'GET' ? 405 : 202).end();
        return;
      }
      told.push((params as { capabilities: unknown }).capabilities);
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'curious', version: '1' },
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    told,
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

test.each([
  { trust: 'untrusted', isTold: false },
  { trust: 'trusted', isTold: true },
] as const)('a server that is $trust may ask: $isTold', async ({ trust, isTold }) => {
  await using folder = await temporaryFolder();
  await using server = await listen();
  const config = {
    client: { roots: [{ uri: 'file:///secret/project' }] },
    servers: { curious: { transport: 'streamable_http', url: server.url } },
  };
  await using manager = await manageV1(folder, config, {
    trust,
    era: 'legacy',
    policy: { requireHttps: false, allowLocalhost: true },
    inputs: { elicit: () => ({ action: 'accept', content: {} }) },
  });
  await manager.server('curious').connect();
  const [capabilities] = server.told;
  expect(Object.keys(capabilities as object).toSorted()).toEqual(
    isTold ? ['elicitation', 'roots'] : [],
  );
});
