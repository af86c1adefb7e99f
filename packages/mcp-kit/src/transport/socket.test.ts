import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDeferred } from '#base';
import { Connection, type Exchange } from '#jsonrpc';
import { vocabulary, type Serve, type Service } from '#protocol';
import { listenSocket, socketTarget } from './socket.ts';

let folder = '';
const at = (name: string) => path.join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-socket-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A service of plain JSON-RPC methods. */
function serviceOf(request: Serve): Service {
  return {
    serve: () => ({}),
    // Before the handshake, which these methods do without.
    observe: (next) => (exchange) =>
      exchange.message.id === undefined ? next(exchange) : request(exchange),
    mirroredHeaders: () => [],
    describe: () => ({}),
  };
}

async function dial(name: string): Promise<Connection> {
  return new Connection(
    await socketTarget(at(name), { alwaysReads: false }).dial(),
    () => ({
      request: () => ({}),
      notification: () => {},
      acceptsBatch: () => false,
      closed: () => {},
    }),
    { vocabulary },
  );
}

const echo = serviceOf(({ message: request }) => request.params);

describe('a socket', () => {
  test('serves many clients at once, each with its own answers to the same ids', async () => {
    const delayed = serviceOf(async ({ message: request }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return request.params;
    });
    const listening = await listenSocket(delayed, at('s'));
    const clients = await Promise.all(Array.from({ length: 50 }, () => dial('s')));
    const answers = await Promise.all(
      clients.flatMap((client, who) =>
        Array.from({ length: 40 }, async (_, call) => {
          const asked = { who, call };
          return [asked, await client.request('echo', asked)];
        }),
      ),
    );
    for (const [asked, answered] of answers) expect(answered).toEqual(asked);
    await Promise.all(clients.map((client) => client.close()));
    await listening.close();
  });

  test('is for its owner alone', async () => {
    const listening = await listenSocket(echo, at('s'));
    expect((await stat(at('s'))).mode & 0o777).toBe(0o600);
    await listening.close();
  });

  test('takes the place of one that a dead process left behind, but not of a live one or a file', async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(at('s'), resolve));
    const listening = listenSocket(echo, at('s'));
    await expect(listening).rejects.toMatchObject({ code: 'address_in_use' });
    await new Promise((resolve) => dead.close(resolve));
    await writeFile(at('file'), '');
    await expect(listenSocket(echo, at('file'))).rejects.toMatchObject({ code: 'address_in_use' });
    await (await listenSocket(echo, at('s'))).close();
  });

  test('that nobody listens on cannot be dialled', async () => {
    await expect(socketTarget(at('none')).dial()).rejects.toMatchObject({ code: 'unreachable' });
  });

  test('is a target that says who is not there, and whether the caller gave up', async () => {
    const target = socketTarget(at('s'));
    expect(target).toMatchObject({ label: at('s'), wire: 'stream' });
    expect(target.key).toBe(socketTarget(at('s')).key);
    await expect(target.dial()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(at('s')) as string,
      details: { ran: false },
    });
    await expect(target.dial(AbortSignal.abort('enough'))).rejects.toMatchObject({
      code: 'aborted',
      cause: 'enough',
    });
    const listening = await listenSocket(echo, at('s'));
    const client = new Connection(
      await target.dial(),
      () => ({
        request: () => ({}),
        notification: () => {},
        acceptsBatch: () => false,
        closed: () => {},
      }),
      { vocabulary },
    );
    await expect(client.request('echo', { a: 1 })).resolves.toEqual({ a: 1 });
    await client.close();
    await listening.close();
  });

  test('settles everything on both sides when a client is cut off', async () => {
    const served = createDeferred<Exchange>();
    const listening = await listenSocket(
      serviceOf((exchange) => {
        served.resolve(exchange);
        return new Promise(() => {});
      }),
      at('s'),
      { lingerMs: 20 },
    );
    const raw = connect(at('s'));
    raw.write('{"jsonrpc":"2.0","id":1,"method":"m"}\n');
    const exchange = await served.promise;
    raw.destroy();
    await expect.poll(() => exchange.cancelled).toBe(true);
    await listening.close();
  });

  test('answers what was asked before the client stopped sending', async () => {
    const listening = await listenSocket(
      serviceOf(async ({ message: request }) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return request.params;
      }),
      at('s'),
    );
    const raw = connect(at('s'));
    raw.end('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}\n');
    let text = '';
    for await (const part of raw.setEncoding('utf8')) text += part as string;
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, result: { a: 1 } });
    await listening.close();
  });

  test('a client that is cut before it has started to listen does not end the process', async () => {
    const accepted = createDeferred<Socket>();
    const server = createServer((socket) => accepted.resolve(socket));
    await new Promise<void>((resolve) => server.listen(at('s'), resolve));
    const channel = await socketTarget(at('s')).dial();
    (await accepted.promise).destroy();
    channel.send('{}');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const closed = vi.fn<() => void>();
    const ended = vi.fn<() => void>();
    const no = (): void => {};
    const [message, malformed, skipped, lost, failed, released] = [no, no, no, no, no, no];
    const heard = { message, malformed, skipped, lost, failed, released, ended, closed };
    channel.start({ deaf: false, ...heard });
    await expect.poll(() => closed.mock.calls.length + ended.mock.calls.length).toBe(1);
    await channel.close();
    await new Promise((resolve) => server.close(resolve));
  });

  test('closes although a client reads nothing, more than once, and leaves no handle open', async () => {
    const big = serviceOf(() => ({ text: 'x'.repeat(1_000_000) }));
    const listening = await listenSocket(big, at('s'));
    const raw = connect(at('s'));
    await new Promise((resolve) => raw.once('connect', resolve));
    raw.pause();
    for (let id = 0; id < 20; id++) raw.write(`{"jsonrpc":"2.0","id":${id},"method":"m"}\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([listening.close(), listening.close()]);
    await listening.close();
    raw.destroy();
    await expect(socketTarget(at('s')).dial()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
