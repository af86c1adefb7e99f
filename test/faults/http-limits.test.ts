import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { modernCall } from './lib/wire.ts';

const mebibyte = 1024 * 1024;
const timeouts = { headersTimeoutMs: 500, requestTimeoutMs: 1500 };

const post = (headers: Readonly<Record<string, string>>): string => {
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`;
};

/** Writes for as long as the connection takes it, or until `enough` bytes. */
async function pour(http: RawHttp, piece: Buffer, enough: number): Promise<number> {
  const { socket } = http;
  let written = 0;
  const { gone } = http;
  while (written < enough && !socket.destroyed) {
    written += piece.length;
    if (!socket.write(piece)) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone]);
    }
  }
  return written;
}

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start(timeouts);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** The server is alive and has kept nothing: less than this much memory more than before. */
async function expectUnharmed(before: number, allowed = 20 * mebibyte): Promise<void> {
  const { rss, used } = await server.ask('memory');
  expect(used - before).toBeLessThan(4 * mebibyte);
  expect(rss).toBeLessThan(250 * mebibyte + allowed);
  using http = new RawHttp(server.port);
  expect((await http.exchange(modernCall(1, 'echo', { nonce: 1 }))).status).toBe(200);
}

const usedNow = async (): Promise<number> => (await server.ask('memory')).used;

describe('a request that is too large', () => {
  test('is refused by its announced length, before its body', async () => {
    using http = new RawHttp(server.port);
    const answer = await http.exchange(post({ 'content-length': String(5 * mebibyte) }));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32600 } });
  });

  test('is refused where its chunks exceed the limit, although they never end', async () => {
    const before = await usedNow();
    using http = new RawHttp(server.port);
    http.socket.write(post({ 'transfer-encoding': 'chunked' }));
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const answered = http.answer();
    const poured = pour(http, chunk, 500 * mebibyte);
    expect((await answered).status).toBe(413);
    // Whoever goes on all the same is cut off.
    await http.gone;
    await poured;
    await expectUnharmed(before);
  });

  test('costs no more memory in chunks of one byte', async () => {
    const before = await usedNow();
    using http = new RawHttp(server.port);
    http.socket.write(post({ 'transfer-encoding': 'chunked' }));
    const piece = Buffer.from('1\r\nx\r\n'.repeat(10_000));
    await pour(http, piece, 300 * piece.length);
    const { used } = await server.ask('memory');
    expect(used - before).toBeLessThan(12 * mebibyte);
    http.socket.destroy();
    await expectUnharmed(before);
  });

  test('is refused for its headers alone', async () => {
    using http = new RawHttp(server.port);
    const answer = await http.exchange(post({ 'x-large': 'x'.repeat(20_000) }));
    expect(answer.status).toBe(431);
  });

  test('is cut off for headers that never end', async () => {
    using http = new RawHttp(server.port);
    http.socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\n');
    // The refusal may be lost on a client that does not stop writing.
    http.answer().catch(() => {});
    const poured = await pour(http, Buffer.from('x-more: yes\r\n'.repeat(1000)), 100 * mebibyte);
    await http.gone;
    expect(poured).toBeLessThan(100 * mebibyte);
  });

  test('of a small limit is refused too, in whatever pieces it comes', async () => {
    await using small = await ServerProcess.start({ limits: { maxBytes: 100 } });
    using http = new RawHttp(small.port);
    http.socket.write(post({ 'transfer-encoding': 'chunked' }));
    const answer = await http.exchange(`c8\r\n${'x'.repeat(200)}\r\n0\r\n\r\n`);
    expect(answer.status).toBe(413);
    const second = await http.exchange(requestBytes({ body: 'x' }));
    expect(second.status).toBe(400);
  });
});

describe('a length that lies', () => {
  test('by too little makes the rest another, bad request, which ends the connection', async () => {
    using http = new RawHttp(server.port);
    const body = `{}garbage\r\n\r\n${modernCall(1, 'echo').toString()}`;
    const statuses: number[] = [];
    http.socket.write(post({ 'content-length': '2' }) + body);
    for (;;) {
      const answer = await http.answer().catch(() => undefined);
      if (answer === undefined) break;
      statuses.push(answer.status);
    }
    expect(statuses.every((status) => status === 400)).toBe(true);
  });

  test('by too much, negative, twice or beside chunks does not get through', async () => {
    for (const headers of [
      { 'content-length': '-1' },
      { 'content-length': '1e9' },
      { 'content-length': '99999999999999999999' },
      { 'content-length': '2', 'Content-Length': '3' },
      { 'content-length': '2', 'transfer-encoding': 'chunked' },
    ]) {
      using http = new RawHttp(server.port);
      expect((await http.exchange(post(headers))).status).toBe(400);
    }
  });
});

describe('a client that takes its time', () => {
  /** How long the server lets it. */
  async function cutAfter(begin: string, drip: string): Promise<number> {
    using http = new RawHttp(server.port);
    const started = performance.now();
    const ended = http.gone;
    http.answer().catch(() => {});
    http.socket.write(begin);
    while (!http.socket.destroyed) {
      if (drip !== '') http.socket.write(drip);
      await Promise.race([sleep(50), ended]);
    }
    return performance.now() - started;
  }

  test.concurrent.each([
    ['to say anything', '', ''],
    ['over its first line', 'PO', ''],
    ['over its headers', 'POST /mcp HTTP/1.1\r\nhost: localhost\r\n', 'x: y\r\n'],
    ['over its body', post({ 'content-length': '1000' }), 'x'],
    ['over its chunks', post({ 'transfer-encoding': 'chunked' }), '1\r\nx\r\n'],
  ])('%s is cut off', async (_what, begin, drip) => {
    const ms = await cutAfter(begin, drip);
    expect(ms).toBeGreaterThan(300);
  });

  test.concurrent('over its answer is not: a call may take as long as it takes', async () => {
    using http = new RawHttp(server.port);
    const answer = await http.exchange(modernCall(1, 'echo', { nonce: 'slow', delayMs: 2500 }));
    expect(answer.status).toBe(200);
  });

  test('in great number does not shut others out', async () => {
    const before = await usedNow();
    const slow = Array.from({ length: 500 }, () => new RawHttp(server.port));
    for (const { socket } of slow) socket.write(post({ 'content-length': '1000' }));
    using http = new RawHttp(server.port);
    expect((await http.exchange(modernCall(1, 'echo', { nonce: 1 }))).status).toBe(200);
    await Promise.all(slow.map((client) => client.gone));
    await expectUnharmed(before);
  });
});
