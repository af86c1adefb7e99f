import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { fewer } from '../support/scale.ts';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { initializeBody, modernCall, openSession, toolCall } from './lib/wire.ts';

const count = fewer(1000, 5);

/** Opens all of them, a few at a time: a full backlog refuses. */
async function connectAll(open: (at: number) => Socket): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: 50 }, (_, at) => open(sockets.length + at));
    await Promise.all(
      some.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
    );
    sockets.push(...some);
  }
  return sockets;
}

const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

/** What keeps the process alive, by kind, without what tells us about it. */
async function alive(server: ServerProcess): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of await server.ask('resources')) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe(`closing with ${count} clients`, () => {
  test('over HTTP, in every state a connection can be in, ends and leaves nothing open', async () => {
    await using server = await ServerProcess.start();
    const before = await alive(server);
    using http = new RawHttp(server.port);
    const { headers } = await openSession(http);
    const states: readonly (string | Buffer)[] = [
      '',
      'POST /mcp HT',
      requestBytes({ body: initializeBody() }),
      requestBytes({ headers, body: toolCall('x', 'hang') }),
      requestBytes({ method: 'GET', headers }),
      modernCall(1, 'hang'),
      modernCall(1, 'flood', { count: 3000, size: 1000, patient: true }),
      requestBytes({ body: 'x'.repeat(1000) }).subarray(0, -10),
    ];
    const sockets = await connectAll((at) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(states[at % states.length] ?? '');
      // Half of them do not read.
      if (at % 16 < 8) socket.resume();
      return socket;
    });
    await sleep(200);
    await server.ask('close');
    for (const socket of sockets) socket.resume();
    await Promise.all(sockets.map(gone));
    await vi.waitFor(async () => expect(more(await alive(server), before)).toEqual([]), {
      timeout: 30_000,
    });
    const objects = await server.ask('objects');
    // One connection is where requests without a session meet.
    expect(objects).toMatchObject({ Session: 0, Connection: 1, EventStream: 0, PacedStream: 0 });
    expect(server.ended).toBeUndefined();
  });

  test('over a unix socket ends and leaves nothing open', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-close-'));
    const file = path.join(folder, 's');
    await using server = await ServerProcess.start({ path: file }, 'socket.mjs');
    const before = await alive(server);
    const line = (message: object): string => `${JSON.stringify(message)}\n`;
    const handshake =
      line(initializeBody()) + line({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const flood = toolCall(1, 'flood', { count: 3000, size: 1000, patient: true });
    const states = [
      '',
      '{"half":',
      handshake,
      handshake + line(toolCall(1, 'hang')),
      handshake + line(flood),
    ];
    const sockets = await connectAll((at) => {
      const socket = connect(file);
      socket.on('error', () => {});
      socket.write(states[at % states.length] ?? '');
      if (at % 10 < 5) socket.resume();
      return socket;
    });
    await sleep(200);
    await server.ask('close');
    for (const socket of sockets) socket.resume();
    await Promise.all(sockets.map(gone));
    await vi.waitFor(async () => expect(more(await alive(server), before)).toEqual([]), {
      timeout: 30_000,
    });
    expect(await server.ask('objects')).toMatchObject({
      Connection: 0,
      Conversation: 0,
      Exchange: 0,
    });
    await rm(folder, { recursive: true, force: true });
  });
});

/** The kinds of which there are more now than before. */
function more(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>) {
  return Object.entries(now).filter(([kind, open]) => open > (before[kind] ?? 0));
}
