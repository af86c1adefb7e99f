import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { createEgress } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { authRung } from '../../packages/mcpctl/src/doctor/auth.ts';
import { networkRungs } from '../../packages/mcpctl/src/doctor/network.ts';
import { probe, type Question } from '../../packages/mcpctl/src/doctor/probe.ts';
import type { Rung } from '../../packages/mcpctl/src/doctor/rung.ts';
import { certificate, key } from '../support/certificate.mjs';
import { closedPort } from '../support/lasting-port.ts';

interface Place extends AsyncDisposable {
  readonly port: number;
}

async function listening(server: net.Server | http.Server): Promise<Place> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const plain = (handle: RequestListener): Promise<Place> => listening(http.createServer(handle));
const secure = (handle: RequestListener): Promise<Place> =>
  listening(https.createServer({ key, cert: certificate }, handle));

/** Asks over the way that judges, with a resolver of our own. */
async function ask(
  address: string,
  more: {
    readonly ca?: string;
    readonly addresses?: readonly string[];
    readonly timeoutMs?: number;
  } = {},
): Promise<readonly Rung[]> {
  const { ca, addresses = ['127.0.0.1'], timeoutMs = 10_000 } = more;
  const url = new URL(address);
  const resolve = (): Promise<readonly string[]> => Promise.resolve(addresses);
  const options = { server: 'docs', resolve, ...(ca !== undefined && { ca }) };
  const egress = createEgress({ allowLocalhost: true, requireHttps: false }, options);
  const question: Question = {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    agent: egress.agentFor(url),
    isProxied: false,
    timeoutMs,
  };
  try {
    return networkRungs(await probe(question), { url, proxy: undefined });
  } finally {
    egress.destroy();
  }
}

const states = (rungs: readonly Rung[]): readonly string[] =>
  rungs.map(({ name, state }) => `${name} ${state}`);

describe('the way to a server', () => {
  test('is name, connection, certificate and answer, in this order', async () => {
    await using server = await secure((_, response) => {
      response.writeHead(200, { server: 'nice/1.0' }).end('{}');
    });
    const rungs = await ask(`https://app.localhost:${server.port}/mcp`, { ca: certificate });
    expect(states(rungs)).toEqual(['dns ok', 'tcp ok', 'tls ok', 'http ok']);
    const [dns, tcp, tls, answer] = rungs;
    expect(dns?.said).toBe('app.localhost is 127.0.0.1');
    expect(tcp?.said).toBe(`connected to 127.0.0.1, port ${server.port}`);
    expect(tls?.said).toBe('TLSv1.3');
    expect(tls?.more).toEqual([
      'for app.localhost, good.example',
      'issued by mcp-kit tests',
      'valid until 2126-10-23',
    ]);
    expect(answer?.said).toBe('HTTP 200 from nice/1.0');
    expect(rungs.every(({ ms }) => ms !== undefined && ms >= 0)).toBe(true);
  });

  test('needs no certificate without TLS, and no lookup for an address', async () => {
    await using server = await plain((_, response) => response.end());
    const rungs = await ask(`http://127.0.0.1:${server.port}/`);
    expect(states(rungs)).toEqual(['dns ok', 'tcp ok', 'http ok']);
    expect(rungs[0]?.said).toBe('127.0.0.1 is an address');
  });

  test('ends at a certificate that nobody signed, and shows whose it is', async () => {
    await using server = await secure((_, response) => response.end());
    const rungs = await ask(`https://app.localhost:${server.port}/`);
    expect(states(rungs)).toEqual(['dns ok', 'tcp ok', 'tls failed', 'http skipped']);
    expect(rungs[2]?.said).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(rungs[2]?.more).toContain('issued by mcp-kit tests');
    expect(rungs[2]?.fix).toContain('NODE_EXTRA_CA_CERTS');
  });

  test('ends at a certificate for another name', async () => {
    await using server = await secure((_, response) => response.end());
    const rungs = await ask(`https://other.localhost:${server.port}/`, { ca: certificate });
    expect(rungs[2]).toMatchObject({ name: 'tls', state: 'failed' });
    expect(rungs[2]?.fix).toContain('for other names');
    expect(rungs[2]?.more).toContain('for app.localhost, good.example');
  });

  test('ends at a port that does not speak TLS', async () => {
    await using server = await plain((_, response) => response.end());
    const rungs = await ask(`https://app.localhost:${server.port}/`);
    expect(rungs[2]).toMatchObject({ name: 'tls', state: 'failed' });
    expect(rungs[2]?.fix).toContain('http://');
  });

  test('ends at a port that does not speak HTTP', async () => {
    await using server = await listening(net.createServer((socket) => socket.end('hello\r\n\r\n')));
    const rungs = await ask(`http://127.0.0.1:${server.port}/`);
    expect(states(rungs)).toEqual(['dns ok', 'tcp ok', 'http failed']);
    expect(rungs[2]?.fix).toContain('does not speak HTTP');
  });

  test('ends where nobody listens', async () => {
    const rungs = await ask(`http://127.0.0.1:${closedPort}/`);
    expect(states(rungs)).toEqual(['dns ok', 'tcp failed', 'http skipped']);
    expect(rungs[1]?.said).toContain('ECONNREFUSED');
    expect(rungs[1]?.fix).toContain('start the server');
  });

  test('ends when no answer comes in time', async () => {
    await using server = await plain(() => {});
    const rungs = await ask(`http://127.0.0.1:${server.port}/`, { timeoutMs: 300 });
    expect(states(rungs)).toEqual(['dns ok', 'tcp ok', 'http failed']);
    expect(rungs[2]).toMatchObject({ said: 'no answer within 300 ms' });
  });

  test('is not gone where the policy forbids the address that a name leads to', async () => {
    let connections = 0;
    await using server = await listening(net.createServer(() => (connections += 1)));
    const rungs = await ask(`https://rebinding.example:${server.port}/`);
    expect(rungs[0]).toMatchObject({ state: 'failed' });
    const named = await ask('https://rebinding.example/', { addresses: ['10.0.0.1'] });
    expect(states(named)).toEqual(['dns failed', 'tcp skipped', 'tls skipped', 'http skipped']);
    expect(named[0]?.said).toContain('refusing to connect');
    expect(named[0]?.fix).toContain('mcpctl trust approve docs');
    expect(connections).toBe(0);
  });
});

describe('the answer', () => {
  const answered = async (status: number, headers = {}, body = ''): Promise<Rung | undefined> => {
    await using server = await plain((_, response) =>
      response.writeHead(status, headers).end(body),
    );
    return (await ask(`http://127.0.0.1:${server.port}/mcp`)).at(-1);
  };

  test.each([
    [200, 'ok'],
    [400, 'ok'],
    [401, 'ok'],
    [404, 'warning'],
    [405, 'warning'],
    [500, 'failed'],
    [503, 'failed'],
  ] as const)('%d is %s', async (status, state) => {
    expect(await answered(status)).toMatchObject({ name: 'http', state });
  });

  test('404 in JSON-RPC is an endpoint that does not know the session', async () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}';
    expect(await answered(404, {}, body)).toMatchObject({ state: 'ok' });
  });

  test('a redirect to another origin fails, and shows no query', async () => {
    const rung = await answered(307, { location: 'https://other.example/mcp?token=abc' });
    expect(rung).toMatchObject({
      state: 'failed',
      more: ['redirects to https://other.example/mcp'],
    });
    expect(JSON.stringify(rung)).not.toContain('abc');
    expect(await answered(307, { location: '/other' })).toMatchObject({ state: 'ok' });
  });
});

describe('credentials', () => {
  const asked = (status: number, challenge?: string, credentials = false): Rung =>
    authRung(
      {
        status,
        headers: challenge === undefined ? {} : { 'www-authenticate': challenge },
        body: '',
      },
      { credentials, server: 'docs' },
    );

  test('are not needed when the server does not ask', () => {
    expect(asked(200)).toMatchObject({ state: 'ok' });
    expect(asked(400, undefined, true).said).toContain('accepted');
  });

  test('that are missing are asked for, with where to get them', () => {
    const rung = asked(401, 'Bearer resource_metadata="https://a.example/.well-known/x"');
    expect(rung).toMatchObject({ state: 'failed', said: 'it wants credentials' });
    expect(rung.fix).toContain('Authorization of docs to "Bearer …"');
    expect(rung.fix).toContain('https://a.example/.well-known/x');
    expect(asked(401, 'Basic realm="x"').fix).toContain('"Basic …"');
  });

  test('that do not suffice are told apart from those that are not accepted', () => {
    expect(asked(401, 'Bearer', true).said).toContain('not accepted');
    expect(asked(403, 'Bearer error="insufficient_scope", scope="tools:call"', true).fix).toBe(
      'Get a token with the scope tools:call.',
    );
  });
});
