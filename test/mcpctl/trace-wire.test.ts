import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBroken, type Broken } from '../fixtures/broken/list.mjs';
import { requireBuild } from '../support/cli.ts';
import { fixture, Project, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project();
afterAll(() => project[Symbol.dispose]());

const tools = [{ name: 'work', inputSchema: { type: 'object' } }];
const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1' },
  },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

/** What a server does with a message; nothing where it answers as it should. */
const ways: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/ok': () => {},
  '/500': (response) => response.writeHead(500, { 'x-fault': 'disk' }).end('the disk is full'),
  '/html': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Hi</title></html>'),
  '/401': (response) => response.writeHead(401, { 'www-authenticate': 'Bearer x="1"' }).end(),
  '/redirect': (response) => response.writeHead(307, { location: '/ok' }).end(),
};

/** A server of the legacy era that writes down every request as it came. */
async function recording(): Promise<
  { readonly origin: string; take(): readonly string[] } & AsyncDisposable
> {
  let requests: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { method, url = '', headers } = request;
    requests.push(JSON.stringify({ method, url, headers, body }));
    ways[url]?.(response);
    if (response.writableEnded) return;
    if (method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(body) as { id?: number; method: string };
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const { id } = message;
    const result = results[message.method];
    const error = { code: -32601, message: 'Method not found' };
    const answer = result === undefined ? { id, error } : { id, result };
    response
      .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
      .end(JSON.stringify({ jsonrpc: '2.0', ...answer }));
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      // What runs side by side may arrive in either order.
      const taken = requests.toSorted();
      requests = [];
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

oneIn(2)(Object.keys(ways))(
  'at %s watching changes nothing: the same result, and the same requests at the server',
  async (way) => {
    await using server = await recording();
    using fresh = new Project();
    using other = new Project();
    const args = ['call', 'work', '--json', '--url', `${server.origin}${way}`];
    const plain = await fresh.run(...args);
    const asked = server.take();
    const traced = await other.run(...args, '--trace');
    expect(asked.length).toBeGreaterThan(0);
    expect({ way, asked: server.take() }).toEqual({ way, asked });
    expect(traced).toMatchObject({ code: plain.code, stdout: plain.stdout });
  },
);

test('of HTTP, it shows the status and time of answers; of failures headers and body as well', async () => {
  await using server = await recording();
  const traceOf = async (way: string): Promise<string> => {
    const { stderr } = await project.run('tools', '--trace', '--url', `${server.origin}${way}`);
    return stderr;
  };
  const failed = await traceOf('/500');
  expect(failed).toMatch(/· 127\.0\.0\.1:\d+ HTTP 500 for POST http:\S+\/500 \(\d+ ms\)\n/);
  expect(failed).toMatch(/headers \{.*"x-fault":"disk"/);
  expect(failed).toMatch(/body "the disk is full"/);
  expect(await traceOf('/html')).toMatch(/body "<html><title>Hi<\/title><\/html>"/);
  const worked = await traceOf('/ok');
  expect(worked).toMatch(/HTTP 200 for POST/);
  expect(worked).toMatch(/\(\d+ ms\) ← \S+ \{.*"tools":\[/);
  expect(worked).not.toMatch(/ headers \{.*200/);
});

test('it shows what nobody answered, what cannot be read, and standard error', async () => {
  const refused = await project.run('tools', '--trace', '--url', 'http://127.0.0.1:9/mcp');
  expect(refused.stderr).toMatch(/no answer to POST http:\/\/127\.0\.0\.1:9\/mcp .*ECONNREFUSED/);
  const broken = await startBroken();
  try {
    const traceOf = (name: string, ...args: readonly string[]): Promise<Finished> => {
      const { server } = broken.servers.find((one) => one.name === name) as Broken;
      const way = 'url' in server ? [] : ['--', server.command, ...server.args];
      return project.run('tools', '--trace', ...args, ...way);
    };
    const banner = await traceOf('banner on standard output');
    expect(banner.stderr).toMatch(/✗ node \{"reason":.*"sample":"Acme MCP Server v1\.2\.0"/);
    const ended = await traceOf('exits at once');
    expect(ended.stderr).toContain("[node] Error: Cannot find module 'acme-sdk'");
  } finally {
    await broken.close();
  }
});

test('a program is asked the same, watched or not', async () => {
  const way = ['--', ...fixture('odd')];
  const plain = await project.run('call', 'echo', 'text=hi', '--json', ...way);
  const traced = await project.run('call', 'echo', 'text=hi', '--json', '--trace', ...way);
  expect(traced).toMatchObject({ code: plain.code, stdout: plain.stdout });
});
