// What clients can make a server hold: each attack at full size against a process with a heap of 256 MiB, which must live, stay
// within its budget, say so, and serve others during the attack or right after it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { open, send, type OpenStream } from '../support/http-client.ts';
import { modern, postHeaders, request, startSession } from '../support/mcp-http.ts';
import { sample } from '../operate/fixture.ts';

const heapMiB = 256;
const mebibyte = 1024 * 1024;

interface Vitals {
  readonly used: number;
  readonly limit: number;
  readonly peakRss: number;
  readonly metrics: string;
}

/** The server under attack. */
class Attacked implements AsyncDisposable {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(): Promise<Attacked> {
    const child = fork(path.resolve(import.meta.dirname, 'memory/child/subject.mjs'), [], {
      execArgv: [`--max-old-space-size=${heapMiB}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ started }] = (await once(child, 'message')) as [{ started: { url: string } }];
    return new Attacked(child, started.url);
  }

  /** How it ended; `null` while it lives. */
  get ended(): number | string | null {
    return this.#process.exitCode ?? this.#process.signalCode;
  }

  async vitals(): Promise<Vitals> {
    if (this.ended !== null) throw new Error(`it ended: ${this.ended}`);
    this.#process.send('vitals');
    const [{ vitals }] = (await once(this.#process, 'message')) as [{ vitals: Vitals }];
    return vitals;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'exit');
    }
  }
}

/** Somebody who means well is served; tries again as it is told to. */
function expectServed({ url }: Attacked): Promise<void> {
  const status = async (): Promise<number> =>
    (await send(url, modern('tools/call', { name: 'say', arguments: {} }))).status;
  return expect.poll(status, { timeout: 30_000, interval: 500 }).toBe(200);
}

/** It lives, and never took more than it should. */
async function expectSound(server: Attacked, name: string): Promise<void> {
  const { peakRss, limit, used } = await server.vitals();
  const mib = (bytes: number): string => `${(bytes / mebibyte).toFixed(0)} MiB`;
  console.log(`${name}: memory ${mib(peakRss)} at most, ${mib(used)} held of ${mib(limit)}`);
  expect(peakRss).toBeLessThan(2.5 * heapMiB * mebibyte);
}

/** All is well once the attackers have gone. */
async function expectRecovered(server: Attacked): Promise<void> {
  await expect.poll(async () => (await server.vitals()).used, { timeout: 30_000 }).toBe(0);
  await expectServed(server);
}

/** A request as bytes. */
function bytesOf(url: string, { headers = {}, body }: ReturnType<typeof modern>): string {
  const text = JSON.stringify(body);
  const { host } = new URL(url);
  const fields = Object.entries({ host, ...headers, 'content-length': String(text.length) });
  return `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

/** A connection that sends and never reads. */
async function silent(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}).pause();
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

test('400 connections that do not read 16 MB each', async () => {
  await using server = await Attacked.start();
  const text = bytesOf(
    server.url,
    modern('tools/call', { name: 'say', arguments: { bytes: 16_000_000 } }),
  );
  const sockets: Socket[] = [];
  for (let number = 0; number < 400; number += 1) sockets.push(await silent(server.url, text));
  await expectServed(server);
  expect((await server.vitals()).used).toBeLessThanOrEqual((await server.vitals()).limit);
  for (const socket of sockets) socket.destroy();
  await expectRecovered(server);
  await expectSound(server, 'not read');
});

test('1,020 open subscriptions with bodies of 4 MB', async () => {
  await using server = await Attacked.start();
  const padding = 'x'.repeat(4_000_000);
  const params = { notifications: { toolsListChanged: true }, padding };
  const streams: OpenStream[] = [];
  while (streams.length < 1020) {
    const more = Array.from({ length: 4 }, () =>
      open(server.url, modern('subscriptions/listen', params)),
    );
    streams.push(...(await Promise.all(more)).filter(({ status }) => status === 200));
  }
  await expectServed(server);
  const { used } = await server.vitals();
  // 24 KiB, and 16 KiB for its connection.
  expect(used).toBeLessThan(1020 * 48 * 1024);
  for (const stream of streams) stream.close();
  await expectRecovered(server);
  await expectSound(server, 'subscriptions');
});

test('64 sessions, each subscribed to 1,000 URIs of 8 KB', async () => {
  await using server = await Attacked.start();
  for (let number = 0; number < 64; number += 1) {
    const session = await startSession(server.url, { version: '2025-03-26' });
    for (let first = 0; first < 1000; first += 100) {
      const uris = Array.from(
        { length: 100 },
        (_, at) => `a:${number}/${first + at}/${'x'.repeat(8000)}`,
      );
      const subscribe = (uri: string) => request(uri.slice(0, 20), 'resources/subscribe', { uri });
      await session.post(uris.map(subscribe));
    }
  }
  await expectServed(server);
  const { limit, metrics } = await server.vitals();
  const held = sample(metrics, 'mcp_held_bytes{kind="sessions"}');
  expect(held).toBeGreaterThan(limit / 4);
  expect(held).toBeLessThanOrEqual(limit / 2);
  await expectSound(server, 'sessions');
});

test('40,000 calls for whose answers nobody waits', async () => {
  await using server = await Attacked.start();
  for (let number = 0; number < 40; number += 1) {
    const session = await startSession(server.url, { version: '2025-03-26' });
    const head = { ...postHeaders, ...session.headers };
    const calls = (first: number) =>
      Array.from({ length: 100 }, (_, at) =>
        request(first + at, 'tools/call', { name: 'hang', arguments: {} }),
      );
    for (let first = 0; first < 1000; first += 100) {
      const socket = await silent(
        server.url,
        bytesOf(server.url, { headers: head, body: calls(first) }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
    }
  }
  await expectServed(server);
  const { used, limit, metrics } = await server.vitals();
  expect(used).toBeLessThanOrEqual(limit);
  expect(sample(metrics, 'mcp_let_go_total{kind="calls"}')).toBeGreaterThan(1000);
  await expectSound(server, 'calls');
});
