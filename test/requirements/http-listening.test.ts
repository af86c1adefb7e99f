import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer, type Server } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';
import { open, send } from '../support/http-client.ts';
import { modern, request, serving, startSession } from '../support/mcp-http.ts';

// Where an HTTP server listens, and how it stops.

function make(): Server {
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    tool({
      name: 'hang',
      description: 'Never ends, whatever happens.',
      async run(_args, context) {
        await context.progress(1);
        return new Promise<string>(() => {});
      },
    }),
  ]);
  return createServer({ name: 'listening', version: '1.0.0', features: [tools] });
}

const list = modern('tools/list');
const hang = { name: 'hang', _meta: { progressToken: 'p' } };

describe('a server', () => {
  test('listens on a free port of 127.0.0.1 at /mcp', async () => {
    await using server = await serving(make());
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
    expect(await send(server.url, list)).toMatchObject({ status: 200 });
  });

  test('listens where it is told', async () => {
    await using server = await serving(make(), { host: 'localhost', path: '/tools' });
    expect(server.url).toBe(`http://localhost:${server.port}/tools`);
    expect(await send(`${server.url}?key=1`, list)).toMatchObject({ status: 200 });
    expect(await send(server.url.replace('tools', 'mcp'), list)).toMatchObject({ status: 404 });
  });

  test('says so when the port is taken', async () => {
    const other = createTcpServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    await expect(serveHttp(make(), { port })).rejects.toMatchObject({ code: 'address_in_use' });
  });

  test('may be reached from elsewhere when the risk is accepted, by address', async () => {
    await using server = await serving(make(), { host: '0.0.0.0', insecure: true });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    const from = (host: string): Promise<{ status: number }> =>
      send(url, modern('tools/list', {}, { headers: { host } }));
    expect(await from('192.168.0.7:80')).toMatchObject({ status: 200 });
    expect(await from('rebound.example')).toMatchObject({ status: 403 });
  });

  test('listens on a unix socket, where any Host will do', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-http-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const unix = path.join(folder, 'socket');
    await using _server = await serving(make(), { unix });
    const { headers = {}, body } = modern('tools/list', {}, { headers: { host: 'whatever' } });
    const call = httpRequest({ socketPath: unix, path: '/mcp', method: 'POST', headers });
    call.end(JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });
});

describe('closing', () => {
  test('ends sessions, streams and calls within a second or two, once', async () => {
    const server = await serveHttp(make());
    const session = await startSession(server.url);
    using listening = await session.listen();
    using call = await session.stream(request(5, 'tools/call', hang));
    using stateless = await open(server.url, modern('tools/call', hang, { meta: hang._meta }));
    await Promise.all([call.nextMessage(), stateless.nextMessage()]);
    const closed = server.close();
    expect(server.close()).toBe(closed);
    await closed;
    await Promise.all([listening.ended(), call.ended(), stateless.ended()]);
    expect(server.endpoint).toMatchObject({ sessionCount: 0, streamCount: 0 });
    // A connection of its own: one that was kept alive would be found broken instead.
    const knock = (): Promise<unknown> =>
      once(connect(server.port, '127.0.0.1'), 'connect').catch((error: unknown) => error);
    // A process that is being started elsewhere still has the socket, until it has become its program.
    await expect.poll(knock).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('lets other transports of the same server go on', async () => {
    const shared = make();
    await using stays = await serving(shared);
    const leaves = await serveHttp(shared);
    using stream = await open(
      stays.url,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    await stream.nextMessage();
    await leaves.close();
    shared.listChanged('tools');
    expect(await stream.nextMessage()).toMatchObject({
      method: 'notifications/tools/list_changed',
    });
  });
});
