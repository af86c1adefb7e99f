import { describe, expect, test, vi } from 'vitest';
import { isWhole } from '../support/scale.ts';
import { RawHttp } from './lib/raw-http.ts';
import { ServerProcess, type Memory } from './lib/server-process.ts';
import { EventConnection, type Place } from './lib/stream-client.ts';
import { modernCall, openSession, toolCall, type SseEvent } from './lib/wire.ts';

/** Sixty megabytes where somebody waits: more than what may be kept of it. */
const count = isWhole ? 100_000 : 60_000;
const size = 1000;
const mebibyte = 1024 * 1024;

interface Seen {
  /** Numbers of the notifications, as they came. */
  readonly numbers: number[];
  answer: unknown;
  lastId: string | undefined;
}

function take(seen: Seen, events: readonly SseEvent[]): void {
  for (const { id, data } of events) {
    seen.lastId = id;
    if (data === '') continue;
    const message = JSON.parse(data) as { params?: { data: { seq: number } }; result?: unknown };
    if (message.params === undefined) seen.answer = message.result;
    else seen.numbers.push(message.params.data.seq);
  }
}

/** Reads `stopAfter` events of a stream, then nothing, until the server cuts it. */
async function stall(server: ServerProcess, connection: EventConnection, stopAfter: number) {
  await connection.until(() => connection.events.length >= stopAfter);
  connection.pause();
  const readings: Memory[] = [];
  await vi.waitFor(
    async () => {
      readings.push(await server.ask('memory'));
      expect((await server.ask('endpoint')).streams).toBe(0);
    },
    { timeout: 30_000, interval: 50 },
  );
  // What had arrived but was not read is lost with the connection.
  const events = connection.events.slice();
  connection.reset();
  return { events, used: Math.max(...readings.map((reading) => reading.used)) };
}

async function start(patient: boolean) {
  const server = await ServerProcess.start({ pace: { stallMs: 300 } });
  using http = new RawHttp(server.port);
  const place: Place = { port: server.port, session: (await openSession(http)).id };
  const before = await server.ask('memory');
  const body = toolCall('flood', 'flood', { count, size, patient });
  return { server, place, before, connection: new EventConnection(place, { body }) };
}

describe(`a tool that says ${(count * size) / 1e6} MB to a client that stops reading`, () => {
  test('costs little memory while it waits, and the client gets all of it, once and in order, after it was cut', async () => {
    const { server, place, before, connection } = await start(true);
    await using _server = server;
    const seen: Seen = { numbers: [], answer: undefined, lastId: undefined };
    let current = connection;
    const resume = async (): Promise<void> => {
      const lastEventId = seen.lastId;
      if (lastEventId === undefined) throw new Error('no event had an id');
      current = new EventConnection(place, { lastEventId });
      await current.until(() => current.status !== 0 || current.over);
      expect(current.status).toBe(200);
    };
    const stalled = async (stopAfter: number): Promise<void> => {
      const { events, used } = await stall(server, current, stopAfter);
      take(seen, events);
      expect(used - before.used).toBeLessThan(40 * mebibyte);
      await resume();
    };
    await stalled(1);
    await stalled(20);
    await current.until(() => current.events.length > 30_000);
    take(seen, current.events);
    current.reset();
    await resume();
    await stalled(20);
    for (;;) {
      await current.until(() => current.over);
      take(seen, current.events);
      if (seen.answer !== undefined) break;
      await resume();
    }
    expect(seen.answer).toMatchObject({ content: [{ type: 'text', text: `said ${count}` }] });
    expect(seen.numbers).toHaveLength(count);
    expect(seen.numbers.every((number, at) => number === at)).toBe(true);
    expect((await server.ask('memory')).used - before.used).toBeLessThan(40 * mebibyte);
  });

  test('costs little memory although it does not wait, and the client still gets the answer', async () => {
    const { server, place, before, connection } = await start(false);
    await using _server = server;
    const seen: Seen = { numbers: [], answer: undefined, lastId: undefined };
    const { events, used } = await stall(server, connection, 1);
    take(seen, events);
    expect(used - before.used).toBeLessThan(40 * mebibyte);
    const lastEventId = seen.lastId ?? '';
    const rest = new EventConnection(place, { lastEventId });
    await rest.until(() => rest.over);
    take(seen, rest.events);
    expect(seen.answer).toMatchObject({ content: [{ type: 'text', text: `said ${count}` }] });
    expect(seen.numbers.length).toBeLessThan(count);
    expect(new Set(seen.numbers).size).toBe(seen.numbers.length);
    expect(seen.numbers).toEqual(seen.numbers.toSorted((a, b) => a - b));
  });

  test('is called off in the modern era, where a stream that was cut cannot be resumed', async () => {
    await using server = await ServerProcess.start({ pace: { stallMs: 300 } });
    const before = await server.ask('memory');
    using http = new RawHttp(server.port);
    http.socket.write(modernCall(1, 'flood', { count, size, patient: true }));
    await new Promise((resolve) => http.socket.once('data', resolve));
    http.socket.pause();
    let most = 0;
    await vi.waitFor(
      async () => {
        most = Math.max(most, (await server.ask('memory')).used);
        expect((await server.ask('endpoint')).streams).toBe(0);
      },
      { timeout: 30_000, interval: 50 },
    );
    expect(most - before.used).toBeLessThan(10 * mebibyte);
    expect(await server.ask('objects')).toMatchObject({ Exchange: 0, PacedStream: 0 });
  });
});
