import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from 'mcp-kit/jsonrpc';
import { LineReader } from '../../packages/mcp-kit/src/transport/ndjson.ts';
import { describe, expect, test } from 'vitest';
import { StdioProcess } from './lib/stdio-process.ts';
import { toolCall } from './lib/wire.ts';

const mebibyte = 1024 * 1024;

/** CPU time to read one line of this size in pieces of 64 KB; the best of several. */
function timeToRead(size: number): number {
  const piece = Buffer.alloc(65_536, 'x');
  const times = Array.from({ length: 5 }, () => {
    let messages = 0;
    const reader = new LineReader(
      { ...defaultLimits, maxBytes: Infinity },
      { message: () => messages++, malformed: () => {}, skipped: () => {} },
    );
    const before = process.cpuUsage();
    reader.push(Buffer.from('"'));
    for (let at = 0; at < size; at += piece.length) reader.push(piece);
    reader.push(Buffer.from('"\n'));
    expect(messages).toBe(1);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

/** Settles when the server has read all that was written. */
async function write(client: StdioProcess, bytes: Buffer | string): Promise<void> {
  await new Promise<void>((resolve) => client.stdin.write(bytes, () => resolve()));
}

const call = (id: number, nonce: string): string =>
  `${JSON.stringify(toolCall(id, 'echo', { nonce }))}\n`;

describe('a long line', () => {
  test('is read in time proportional to its length', () => {
    timeToRead(4 * mebibyte);
    const [short, long] = [timeToRead(2 * mebibyte), timeToRead(32 * mebibyte)];
    // Sixteen times the length: sixteen times the time, where quadratic would be more than a hundred.
    expect(long / short).toBeLessThan(60);
  });

  test('that never ends is complained about once, costs no more than its limit, and does not spoil the next', async () => {
    await using client = await StdioProcess.start();
    const before = await client.server.ask('memory');
    const piece = Buffer.alloc(mebibyte, 'x');
    let most = 0;
    for (let at = 0; at < 200; at++) {
      await write(client, piece);
      if (at % 10 === 0) most = Math.max(most, (await client.server.ask('memory')).rss);
    }
    expect(most - before.rss).toBeLessThan(80 * mebibyte);
    expect(await client.next()).toMatchObject({ error: { code: -32600 } });
    await write(client, '\n');
    client.stdin.write(call(7, 'next'));
    expect(await client.next()).toMatchObject({ id: 7 });
    expect(client.messages).toEqual([]);
    expect((await client.server.ask('memory')).used - before.used).toBeLessThan(4 * mebibyte);
  });

  test('that comes byte by byte costs no more than its bytes', () => {
    const limits = { ...defaultLimits, maxBytes: 4 * mebibyte };
    const reader = new LineReader(limits, {
      message: () => {},
      malformed: () => {},
      skipped: () => {},
    });
    const before = process.memoryUsage();
    const source = Buffer.alloc(mebibyte, 'x');
    // Each piece is an object of its own, as a socket would give it.
    for (let at = 0; at < 2 * mebibyte; at++)
      reader.push(source.subarray(at % mebibyte, (at % mebibyte) + 1));
    const after = process.memoryUsage();
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(grown).toBeLessThan(64 * mebibyte);
    reader.end();
  });
});

describe('a server on a pipe', () => {
  test('ends by itself when its reader closes in the middle of an answer', async () => {
    await using client = await StdioProcess.start();
    const flood = toolCall(1, 'flood', { count: 100_000, size: 1000, patient: true });
    client.stdin.write(`${JSON.stringify(flood)}\n`);
    await client.next();
    client.stdout.destroy();
    expect(await client.server.exit).toBe(0);
    expect(client.server.ended).toBe('0: ');
  });

  test('ends when its input ends, although timers run', async () => {
    await using client = await StdioProcess.start();
    client.stdin.end();
    expect(await client.server.exit).toBe(0);
  });

  test('answers what it can before it ends, and does not wait for what it cannot', async () => {
    await using client = await StdioProcess.start();
    client.stdin.write(`${JSON.stringify(toolCall(1, 'hang'))}\n`);
    client.stdin.write(`${JSON.stringify(toolCall(2, 'echo', { nonce: 'x', delayMs: 100 }))}\n`);
    client.stdin.end();
    expect(await client.next()).toMatchObject({ id: 2, result: {} });
    expect(await client.server.exit).toBe(0);
  });

  test('ends although its reader neither reads nor leaves', async () => {
    await using client = await StdioProcess.start();
    client.stdout.pause();
    for (let id = 0; id < 30; id++) client.stdin.write(call(id, 'x'.repeat(50_000)));
    client.stdin.end();
    expect(await client.server.exit).toBe(0);
  });

  test('keeps its memory while its client sends and does not read, and goes on when it does', async () => {
    await using client = await StdioProcess.start();
    const before = await client.server.ask('memory');
    client.stdout.pause();
    const count = 4000;
    const lines = Array.from({ length: count }, (_, id) => call(id, 'x'.repeat(10_000)));
    for (const line of lines) client.stdin.write(line);
    await sleep(500);
    const stopped = await client.server.ask('memory');
    expect(stopped.used - before.used).toBeLessThan(20 * mebibyte);
    client.stdout.resume();
    const ids = [];
    while (ids.length < count) ids.push((await client.next())['id']);
    expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual(lines.map((_, id) => id));
  });
});
