import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { adHocEntry, createManager, loadConfig } from '@mcp-kit/host';
import { createEraCache, openSession, textOf } from 'mcp-kit/client';
import { callMcp, httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificate, key } from '../support/certificate.mjs';
import { startProxy } from '../support/connect-proxy.ts';
import { failure } from './client-script.ts';

// Proxies and certificates, with a real proxy; the name good.example leads nowhere but through it.

let secured = 0;
let plain = 0;
const ends: (() => void)[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { id, method } = body === '' ? {} : JSON.parse(body);
  const say = (result: object): void => {
    const said = JSON.stringify({ jsonrpc: '2.0', id, result });
    response.writeHead(200, { 'content-type': 'application/json' }).end(said);
  };
  if (request.method === 'GET') response.writeHead(405).end();
  else if (id === undefined) response.writeHead(202).end();
  else if (method === 'initialize') {
    say({
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    });
  } else if (method === 'tools/call') {
    say({ content: [{ type: 'text', text: request.headers.host }] });
  } else response.writeHead(404).end();
}

beforeAll(async () => {
  const listen = async (server: ReturnType<typeof createHttp>): Promise<number> => {
    server.on('request', (request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };
  plain = await listen(createHttp());
  secured = await listen(createHttps({ key, cert: certificate }));
});
afterAll(() => {
  for (const end of ends) end();
});

const url = 'https://good.example/mcp';
const call = { name: 'where' };

describe('A server behind a proxy', () => {
  test('is reached through a tunnel, by its own certificate', async () => {
    await using proxy = await startProxy({ to: secured });
    const options = { proxy: `http://127.0.0.1:${proxy.port}`, ca: certificate };
    const target = httpTarget(url, options);
    await using session = await openSession(target, { eraCache: createEraCache() });
    expect(textOf(await session.callTool('where'))).toBe('good.example');
    expect(new Set(proxy.asked)).toEqual(new Set(['good.example:443']));
  });

  test('without TLS is reached through a tunnel as well', async () => {
    await using proxy = await startProxy({ to: plain });
    const options = { proxy: `127.0.0.1:${proxy.port}` };
    const { result } = await callMcp('http://good.example:8080/mcp', 'tools/call', call, options);
    expect(result).toMatchObject({ content: [{ text: 'good.example:8080' }] });
    expect(proxy.asked).toEqual(['good.example:8080']);
  });

  test('gives the proxy its credentials, and nobody else', async () => {
    await using proxy = await startProxy({ to: secured, credentials: 'me:p@ss' });
    const options = { proxy: `http://me:p%40ss@127.0.0.1:${proxy.port}`, ca: certificate };
    expect(await callMcp(url, 'tools/call', call, options)).toHaveProperty('result');
    const without = { ...options, proxy: `http://127.0.0.1:${proxy.port}` };
    const error = await failure(callMcp(url, 'tools/call', call, without));
    expect(error).toMatchObject({ code: 'unreachable', details: { ran: false } });
    expect(error.message).toContain('HTTP 407');
    expect(error.message).not.toContain('p@ss');
  });

  test('may be behind one that is spoken to over TLS, which must be who it says', async () => {
    await using proxy = await startProxy({ to: secured, secure: true });
    // The certificate is that of another name.
    const options = { proxy: `https://127.0.0.1:${proxy.port}`, ca: certificate };
    const error = await failure(callMcp(url, 'tools/call', call, options));
    expect(error.message).toContain("does not match certificate's altnames");
    expect(proxy.asked).toEqual([]);
  });

  test.each(['403 Forbidden', '502 Bad Gateway'])('that says %s is not reached', async (refuse) => {
    await using proxy = await startProxy({ to: secured, refuse });
    const options = { proxy: `http://127.0.0.1:${proxy.port}` };
    const error = await failure(callMcp(url, 'tools/call', call, options));
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain(`good.example:443 through the proxy http://127.0.0.1`);
    expect(error.message).toContain(refuse);
  });

  test('that is not there, or of a kind that is not known, is said', async () => {
    const gone = failure(callMcp(url, 'ping', {}, { proxy: 'http://127.0.0.1:1' }));
    expect((await gone).message).toContain('through the proxy http://127.0.0.1:1/: ');
    const socks = failure(callMcp(url, 'ping', {}, { proxy: 'socks5://127.0.0.1:1080' }));
    expect(await socks).toMatchObject({ code: 'invalid_argument' });
    const odd = failure(callMcp(url, 'ping', {}, { proxy: 'http://me:100%zz@127.0.0.1:1' }));
    expect(await odd).toMatchObject({ code: 'invalid_argument' });
    expect((await odd).message).not.toContain('100%');
  });

  test('is believed only by those who sign for it', async () => {
    await using proxy = await startProxy({ to: secured });
    const options = { proxy: `http://127.0.0.1:${proxy.port}` };
    const error = await failure(callMcp(url, 'tools/call', call, options));
    expect(error.code).toBe('unreachable');
    expect(error.message).toMatch(/self.signed/i);
  });
});

describe('The environment', () => {
  test.each([
    ['HTTPS_PROXY', {}, true],
    ['https_proxy', {}, true],
    ['HTTP_PROXY', {}, false],
    ['HTTPS_PROXY', { NO_PROXY: 'good.example' }, false],
    ['HTTPS_PROXY', { no_proxy: 'other.test, .example' }, false],
    ['HTTPS_PROXY', { NO_PROXY: '*' }, false],
    ['HTTPS_PROXY', { NO_PROXY: 'good.example:443' }, false],
    ['HTTPS_PROXY', { NO_PROXY: 'good.example:8443,ood.example,10.0.0.0/8' }, true],
  ])('%s with %j: by proxy %s', async (name, more, isUsed) => {
    await using proxy = await startProxy({ to: secured, refuse: '418 Asked' });
    const env = { [name]: `http://127.0.0.1:${proxy.port}`, ...more };
    const error = await failure(callMcp(url, 'ping', {}, { proxy: env, timeoutMs: 20_000 }));
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(proxy.asked).toEqual(isUsed ? ['good.example:443'] : []);
  });

  test('never leads to this machine through a proxy', async () => {
    await using proxy = await startProxy({ to: plain, refuse: '418 Asked' });
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    for (const host of ['127.0.0.1', 'localhost']) {
      const place = `http://${host}:${plain}/mcp`;
      const { result } = await callMcp(place, 'tools/call', call, { proxy: env });
      expect(result).toBeDefined();
    }
    expect(proxy.asked).toEqual([]);
  });

  test.each(['10.1.2.3', '[fd00::1]'])(
    'may name ranges that are reached without: %s',
    async (host) => {
      await using proxy = await startProxy({ to: plain, refuse: '418 Asked' });
      const proxied = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
      const place = `http://${host}/mcp`;
      await failure(callMcp(place, 'ping', {}, { proxy: proxied }));
      const env = { ...proxied, NO_PROXY: '10.0.0.0/8 fd00::/8' };
      await failure(callMcp(place, 'ping', {}, { proxy: env, timeoutMs: 50 }));
      expect(proxy.asked).toEqual([`${host}:80`]);
    },
  );

  test('of a web server says nothing of proxies on the word of who asked it', async () => {
    await using proxy = await startProxy({ to: plain, refuse: '418 Asked' });
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, REQUEST_METHOD: 'GET' };
    await failure(callMcp('http://good.example/mcp', 'ping', {}, { proxy: env, timeoutMs: 9000 }));
    expect(proxy.asked).toEqual([]);
  });
});

describe('A manager', () => {
  const where = { era: 'legacy', toolCache: false, credentials: false } as const;

  test('uses the proxy of the environment for servers that are trusted', async () => {
    await using proxy = await startProxy({ to: secured });
    await using manager = createManager({
      ...where,
      entries: [adHocEntry({ url }, 'far')],
      trust: 'trusted',
      env: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` },
      ca: certificate,
    });
    const result = await manager.server('far').callTool('where');
    expect(textOf(result)).toBe('good.example');
    expect(proxy.asked.length).toBeGreaterThan(0);
  });

  test('uses none for servers that are not trusted, whatever names one', async () => {
    await using proxy = await startProxy({ to: secured });
    const named = `http://127.0.0.1:${proxy.port}`;
    const entry = adHocEntry({ url }, 'far');
    await using manager = createManager({
      ...where,
      entries: [{ ...entry, transport: { ...entry.transport, proxy: named } as never }],
      receipts: false,
      env: { HTTPS_PROXY: named },
      proxy: named,
      ca: certificate,
    });
    await failure(manager.server('far').callTool('where'));
    expect(proxy.asked).toEqual([]);
  });

  test('reaches a server as its file says', async () => {
    await using proxy = await startProxy({ to: secured });
    const root = mkdtempSync(path.join(tmpdir(), 'proxy-'));
    try {
      writeFileSync(path.join(root, 'ca.pem'), certificate);
      const far = {
        transport: 'streamable_http',
        url,
        proxy: `http://127.0.0.1:${proxy.port}`,
        ca_file: 'ca.pem',
        limits: { max_bytes: 1_000_000 },
      };
      const small = { ...far, limits: { max_bytes: 60 } };
      const config = { version: 1, servers: { far, small } };
      writeFileSync(path.join(root, 'mcp.json'), JSON.stringify(config));
      const loaded = await loadConfig({ root });
      expect(loaded.errors).toEqual([]);
      const trusted = { ...where, ...loaded, root, env: {}, trust: 'trusted' } as const;
      await using manager = createManager(trusted);
      expect(textOf(await manager.server('far').callTool('where'))).toBe('good.example');
      const error = await failure(manager.server('small').callTool('where'));
      expect(error.message).toContain('larger than 60 bytes');
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('takes the agent that it is given', async () => {
    const { Agent } = await import('node:https');
    const agent = new Agent({
      ca: certificate,
      lookup: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const asked: string[] = [];
    await using manager = createManager({
      ...where,
      entries: [adHocEntry({ url: `https://app.localhost:${secured}/mcp` }, 'near')],
      trust: 'trusted',
      agentFor: (place) => {
        asked.push(place);
        return agent;
      },
    });
    expect(textOf(await manager.server('near').callTool('where'))).toContain('app.localhost');
    expect(asked).toEqual([`https://app.localhost:${secured}/mcp`]);
    agent.destroy();
  });
});
