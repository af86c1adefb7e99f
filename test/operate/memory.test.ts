// What clients make a server hold is bounded: new work is refused, and what nobody is at is let go.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test, vi } from 'vitest';
import { open, send, type OpenStream } from '../support/http-client.ts';
import {
  modern,
  postHeaders,
  request,
  startSession,
  type LegacySession,
} from '../support/mcp-http.ts';
import { operating, sample, type Operating } from './fixture.ts';

vi.setConfig({ testTimeout: 30_000 });

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Calls that have begun and not ended, and how many were given up. */
class Hanging {
  begun = 0;
  givenUp = 0;
  readonly tool = tool({
    name: 'hang',
    description: 'Answers only when nobody wants it any more.',
    input: { type: 'object' },
    run: (_args, { signal }) => {
      this.begun += 1;
      return new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => {
          this.givenUp += 1;
          resolve('gone');
        });
      });
    },
  });
}

const say = tool({
  name: 'say',
  description: 'Says so much.',
  input: { type: 'object', properties: { bytes: { type: 'integer' } }, additionalProperties: true },
  run: ({ bytes = 2 }) => 'x'.repeat(bytes),
});

const noRoom = {
  code: -32_000,
  message: 'Overloaded: too much is held for clients, retry later',
  data: { limit: 'memory' },
};

interface Held extends Operating {
  readonly hanging: Hanging;
}

async function holding(memoryMiB: number): Promise<Held> {
  const hanging = new Hanging();
  const features = [toolSet([hanging.tool, say]), resources({ resources: [] })];
  const server = createServer({ name: 'held', version: '1', features });
  const operated = await operating({ limits: { memoryMiB } }, {}, server);
  return Object.assign(operated, { hanging });
}

/** What is held besides connections, which clients keep for later. */
const used = ({ listening }: Operating): number => {
  const { budget } = listening.endpoint;
  return budget.used - budget.held.connections;
};

const call = (name: string, args: object = {}, id = 1) =>
  modern('tools/call', { name, arguments: args }, { id });
const served = async (server: Operating): Promise<number> =>
  (await send(server.url, call('say'))).status;

/** Text that is nothing to a tool, and has to be held for it. */
const padding = (bytes: number): object => ({ padding: 'x'.repeat(bytes) });

describe('work under way', () => {
  test('is refused beyond the bound, and health and metrics say so', async () => {
    await using server = await holding(2);
    const over: AbortController[] = [];
    for (let number = 1; number <= 8; number += 1) {
      const abort = new AbortController();
      over.push(abort);
      const hung = send(server.url, {
        ...call('hang', padding(55 * kibibyte)),
        signal: abort.signal,
      });
      hung.catch(() => {});
      await expect.poll(() => server.hanging.begun).toBe(number);
    }
    const refused = await send(server.url, call('say', padding(60 * kibibyte), 7));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.message.error).toEqual(noRoom);
    // Small enough to be read: then its id is known.
    const filler = Math.floor((mebibyte - used(server) - 12 * kibibyte) / 2);
    const last = new AbortController();
    send(server.url, { ...call('hang', padding(filler)), signal: last.signal }).catch(() => {});
    await expect.poll(() => server.hanging.begun).toBe(9);
    const small = await send(server.url, call('say', {}, 8));
    expect([small.status, small.message]).toMatchObject([503, { id: 8, error: noRoom }]);
    const ready = await fetch(new URL('/readyz', server.url));
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reasons: ['too much memory is held for clients'] },
    ]);
    const text = server.metrics();
    expect(sample(text, 'mcp_rejections_total{cause="memory"}')).toBe(2);
    expect(sample(text, 'mcp_held_bytes_limit')).toBe(2 * mebibyte);
    expect(sample(text, 'mcp_held_bytes{kind="calls"}')).toBe(used(server));
    for (const abort of [...over, last]) abort.abort();
    await expect.poll(() => used(server)).toBe(0);
    expect(await served(server)).toBe(200);
    expect((await fetch(new URL('/readyz', server.url))).status).toBe(200);
  });

  test('in a session is refused as well, but not what ends it', async () => {
    await using server = await holding(2);
    const session = await startSession(server.url);
    const params = { name: 'hang', arguments: padding(400 * kibibyte) };
    const hung = session.post(request('hung', 'tools/call', params));
    await expect.poll(() => server.hanging.begun).toBe(1);
    const refused = await session.request('tools/call', {
      name: 'say',
      arguments: padding(120 * kibibyte),
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.message.error).toEqual(noRoom);
    const cancel = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'hung' },
    };
    expect((await session.post(cancel)).status).toBe(202);
    expect((await hung).status).toBe(202);
    const again = await session.request('tools/call', {
      name: 'say',
      arguments: padding(120 * kibibyte),
    });
    expect(again.status).toBe(200);
  });

  test('that nobody waits for gives way to other work', async () => {
    await using server = await holding(1);
    const session = await startSession(server.url);
    for (let number = 1; number <= 150; number += 1) {
      const abort = new AbortController();
      const body = request(`n${number}`, 'tools/call', { name: 'hang', arguments: {} });
      const headers = { ...postHeaders, ...session.headers };
      send(server.url, { body, headers, signal: abort.signal }).catch(() => {});
      await vi.waitUntil(() => server.hanging.begun === number, { interval: 1, timeout: 10_000 });
      abort.abort();
    }
    expect(used(server)).toBeLessThanOrEqual(mebibyte / 2);
    expect(server.hanging.givenUp).toBeGreaterThan(50);
    expect(await served(server)).toBe(200);
    expect(sample(server.metrics(), 'mcp_let_go_total{kind="calls"}')).toBe(server.hanging.givenUp);
    await session.delete();
    await expect.poll(() => used(server)).toBe(0);
  });
});

describe('what stays open', () => {
  const listen = (uris: readonly string[], more: object = {}, id = 1) =>
    modern(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, resourceSubscriptions: uris }, ...more },
      { id },
    );
  const long = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `a:${name}/${number}/${'x'.repeat(8000)}`);

  test('does not hold what it was asked with', async () => {
    await using server = await holding(8);
    const streams: OpenStream[] = [];
    for (let number = 0; number < 12; number += 1) {
      streams.push(await open(server.url, listen([], padding(mebibyte))));
    }
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect(used(server)).toBeLessThan(12 * 32 * kibibyte);
    for (const stream of streams) stream.close();
    await expect.poll(() => used(server)).toBe(0);
  });

  test('ends when others need the room, the largest first', async () => {
    await using server = await holding(8);
    using small = await open(server.url, listen([]));
    await small.nextMessage();
    const streams: OpenStream[] = [];
    for (let number = 0; number < 6; number += 1) {
      const stream = await open(server.url, listen(long(String(number), 80), {}, number));
      expect(stream.status).toBe(200);
      await stream.nextMessage();
      streams.push(stream);
    }
    const [first] = streams;
    expect(await first?.nextMessage()).toMatchObject({ id: 0, error: noRoom });
    expect(used(server)).toBeLessThanOrEqual(5 * mebibyte);
    expect(await served(server)).toBe(200);
    server.server.listChanged('tools');
    expect((await small.nextMessage()).method).toBe('notifications/tools/list_changed');
    expect((await streams.at(-1)?.nextMessage())?.method).toBe('notifications/tools/list_changed');
    for (const stream of streams) stream.close();
  });

  test('is ended when it is an idle session with many URIs, and no other', async () => {
    await using server = await holding(8);
    const mine = await startSession(server.url);
    const sessions: LegacySession[] = [];
    /** Subscribes to much in a new session; gives how much of it was refused. */
    const fill = async (): Promise<number> => {
      const number = sessions.length;
      const session = await startSession(server.url, { version: '2025-03-26' });
      sessions.push(session);
      const uris = long(String(number), 90);
      const subscribe = (uri: string) => request(uri.slice(0, 20), 'resources/subscribe', { uri });
      const { messages } = await session.post(uris.map(subscribe));
      return messages.filter(({ error }) => error?.code === -32_000).length;
    };
    const [first, second, third] = [await fill(), await fill(), await fill()];
    expect([first, second]).toEqual([0, 0]);
    expect(third).toBeGreaterThan(0);
    expect(used(server)).toBeLessThanOrEqual(4 * mebibyte);
    // Those that were not used for a second make room.
    const fillAgain = async (): Promise<number> => {
      expect((await mine.request('ping')).status).toBe(200);
      return fill();
    };
    await expect.poll(fillAgain, { timeout: 20_000, interval: 300 }).toBe(0);
    expect(used(server)).toBeLessThanOrEqual(4 * mebibyte);
    expect(sample(server.metrics(), 'mcp_let_go_total{kind="sessions"}')).toBeGreaterThan(0);
    expect((await sessions[0]?.request('ping'))?.status).toBe(404);
    expect((await mine.request('ping')).status).toBe(200);
  });
});

/** A connection that says what it is told to, and reads only when it is asked to. */
async function silent(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}).pause();
  await once(socket, 'connect');
  return socket;
}

describe('connections', () => {
  test('that do not read are cut off when others need the room', async () => {
    await using server = await holding(32);
    const bytes = 12 * mebibyte;
    const { headers = {}, body } = call('say', { bytes });
    const text = JSON.stringify(body);
    const { host } = new URL(server.url);
    const fields = Object.entries({ host, ...headers, 'content-length': String(text.length) });
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const sockets: Socket[] = [];
    for (let number = 0; number < 5; number += 1) {
      const socket = await silent(server.url);
      sockets.push(socket);
      socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`.repeat(2));
    }
    const { endpoint } = server.listening;
    await expect.poll(() => endpoint.budget.held.unread).toBeGreaterThan(4 * mebibyte);
    const large = async (): Promise<number> =>
      (await send(server.url, call('say', { bytes }))).status;
    // As soon as they have not read for a second.
    await expect.poll(large, { timeout: 20_000, interval: 200 }).toBe(200);
    expect(used(server)).toBeLessThanOrEqual(16 * mebibyte);
    expect(sample(server.metrics(), 'mcp_let_go_total{kind="unread"}')).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => used(server)).toBe(0);
  });

  test('that do not finish what they send are refused when others need the room', async () => {
    await using server = await holding(8);
    const sockets: Socket[] = [];
    const answers: string[] = [];
    for (let number = 0; number < 8; number += 1) {
      const socket = await silent(server.url);
      socket.resume().on('data', (chunk) => answers.push(String(chunk)));
      sockets.push(socket);
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\ncontent-type: application/json\r\ncontent-length: 2000000\r\n\r\n`,
      );
      socket.write('x'.repeat(mebibyte));
    }
    await expect.poll(() => answers.length).toBeGreaterThanOrEqual(4);
    expect(answers[0]).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1\r\n[^]*"code":-32000/);
    expect(used(server)).toBeLessThanOrEqual(4 * mebibyte);
    const whole = async (): Promise<number> =>
      (await send(server.url, call('say', padding(mebibyte)))).status;
    await expect.poll(whole, { timeout: 20_000, interval: 100 }).toBe(200);
    expect(sample(server.metrics(), 'mcp_let_go_total{kind="bodies"}')).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => used(server)).toBe(0);
  });
});
