import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { initializeBody, messagesOf, modernCall, openSession, toolCall } from './lib/wire.ts';
import { scaled } from '../support/scale.ts';

const resets = scaled(2000);
const atOnce = 25;

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/** Sends the first `sent` bytes, waits until `received` bytes have come, then resets the connection. */
async function reset(port: number, bytes: Buffer, received: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(bytes);
  await Promise.race([
    arrival(socket, received),
    new Promise((resolve) => setTimeout(resolve, 50)),
  ]);
  socket.resetAndDestroy();
}

function arrival(socket: Socket, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    if (bytes === 0) resolve();
    socket.on('data', (chunk) => {
      seen += chunk.length;
      if (seen >= bytes) resolve();
    });
    socket.once('close', () => resolve());
  });
}

test(`a server lives through ${resets} connections reset at any byte, and keeps nothing of them`, async () => {
  const sessions = { ttlMs: 3000, sweepMs: 100, maxSessions: 10_000 };
  await using server = await ServerProcess.start({ sessions });
  using http = new RawHttp(server.port);
  const session = await openSession(http);
  const { headers } = session;
  const flood = { count: 30, size: 200, patient: true };
  const requests = [
    requestBytes({ body: initializeBody() }),
    requestBytes({ headers, body: toolCall('r', 'echo', { nonce: 1, delayMs: 5 }) }),
    requestBytes({ headers, body: toolCall('f', 'flood', flood) }),
    requestBytes({ method: 'GET', headers }),
    requestBytes({ method: 'GET', headers: { ...headers, 'last-event-id': '1.1' } }),
    requestBytes({ method: 'DELETE', headers: { ...headers, 'mcp-session-id': 'unknown' } }),
    modernCall('m', 'echo', { nonce: 2, delayMs: 5 }),
    modernCall('f', 'flood', flood),
  ];
  let done = 0;
  const lane = async (): Promise<void> => {
    while (done++ < resets) {
      const bytes = pick(requests);
      const whole = Math.random() < 0.5;
      const sent = whole ? bytes : bytes.subarray(0, Math.floor(Math.random() * bytes.length));
      await reset(server.port, sent, whole ? Math.floor(Math.random() * 8000) : 0);
    }
  };
  const working = Promise.all(Array.from({ length: atOnce }, lane));
  const progress = { over: false };
  void working.finally(() => (progress.over = true));
  // A well-behaved client is served all the time.
  for (let id = 0; !progress.over; id++) {
    const body = toolCall(id, 'echo', { nonce: id, delayMs: 2 });
    const [answer] = messagesOf(await http.exchange(requestBytes({ headers, body })));
    expect(answer).toMatchObject({ id, result: {} });
  }
  await working;
  http.socket.destroy();
  await expect.poll(() => server.ask('endpoint')).toEqual({ sessions: 0, streams: 0 });
  const objects = await server.ask('objects');
  // One connection is where requests without a session meet.
  expect(objects).toMatchObject({ Session: 0, Connection: 1, EventStream: 0, PacedStream: 0 });
  expect(server.ended).toBeUndefined();
});
