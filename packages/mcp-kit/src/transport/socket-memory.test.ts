import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBudget, type Budget } from '#base';
import { Connection, isRecord, type Exchange } from '#jsonrpc';
import type { Service } from '#protocol';
import { listenSocket, type Listening } from './socket.ts';

vi.setConfig({ testTimeout: 30_000 });

const kibibyte = 1024;
const megabyte = 1000 * kibibyte;
const noRoom = {
  code: -32_000,
  message: 'Overloaded: too much is held for clients, retry later',
};

let folder = '';
let listening: Listening;
let budget: Budget;
const connections: Connection[] = [];
const clients: Client[] = [];

/** Hangs until it is cancelled, says so much, or answers at once. */
function serve({ message: request, signal }: Exchange): unknown {
  const bytes = request.params?.['say'];
  if (typeof bytes === 'number') return { text: 'x'.repeat(bytes) };
  if (request.method !== 'hang') return {};
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
}

const service: Service = {
  serve: () => ({}),
  // Before the handshake, which these methods do without.
  observe: () => (exchange) => {
    const { id, params } = exchange.message;
    const connection = exchange.link instanceof Connection ? exchange.link : undefined;
    if (connection && !connections.includes(connection)) connections.push(connection);
    if (exchange.refusal !== undefined) throw exchange.refusal;
    if (id !== undefined) return serve(exchange);
    connection?.cancel(String(params?.['id']), 'cancelled');
    return undefined;
  },
  mirroredHeaders: () => [],
  describe: () => ({}),
};

/** One end of a socket; reads unless it is told not to. */
class Client {
  readonly socket: Socket = connect(path.join(folder, 's'));
  readonly answers: Record<string, unknown>[] = [];

  constructor() {
    clients.push(this);
    let text = '';
    this.socket.on('error', () => {});
    this.socket.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (text + piece).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const value: unknown = JSON.parse(line);
        if (isRecord(value)) this.answers.push(value);
      }
    });
  }

  send(id: string, method: string, params: object = {}): void {
    this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  }
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-memory-'));
  budget = createBudget(8 * megabyte);
  listening = await listenSocket(service, path.join(folder, 's'), { budget });
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  connections.length = 0;
  await listening.close();
  if (budget.used !== 0) throw new Error(`${budget.used} bytes were not given back`);
  await rm(folder, { recursive: true, force: true });
});

test('a call for which there is no room is refused, and served when there is some', async () => {
  const client = new Client();
  client.send('one', 'hang', { padding: 'x'.repeat(1.9 * megabyte) });
  client.send('two', 'hang', { padding: 'x'.repeat(megabyte) });
  client.send('three', 'ping');
  await expect.poll(() => client.answers.length).toBe(2);
  expect(client.answers).toEqual([
    { jsonrpc: '2.0', id: 'two', error: { ...noRoom, data: { limit: 'memory' } } },
    { jsonrpc: '2.0', id: 'three', result: {} },
  ]);
  client.socket.write('{"jsonrpc":"2.0","method":"cancel","params":{"id":"one"}}\n');
  client.send('four', 'hang', { padding: 'x'.repeat(megabyte) });
  client.send('five', 'ping');
  await expect
    .poll(() => client.answers.at(-1))
    .toEqual({ jsonrpc: '2.0', id: 'five', result: {} });
  await expect.poll(() => budget.held.calls).toBeGreaterThan(2 * megabyte);
});

test('lines that are not finished make room, and their connections go on', async () => {
  const slow = Array.from({ length: 3 }, () => new Client());
  for (const [at, { socket }] of slow.entries()) {
    socket.write(
      `{"jsonrpc":"2.0","id":${at},"method":"ping","params":{"padding":"${'x'.repeat(1.2 * megabyte)}`,
    );
  }
  await expect.poll(() => budget.held.bodies).toBeGreaterThan(3.5 * megabyte);
  const client = new Client();
  const large = { padding: 'x'.repeat(megabyte) };
  let number = 0;
  const served = async (): Promise<boolean> => {
    const id = `n${(number += 1)}`;
    client.send(id, 'ping', large);
    await expect.poll(() => client.answers.some((answer) => answer['id'] === id)).toBe(true);
    return client.answers.some((answer) => answer['id'] === id && 'result' in answer);
  };
  await expect.poll(served, { timeout: 20_000, interval: 200 }).toBe(true);
  const refused = (): boolean => slow.some(({ answers }) => answers.length > 0);
  await expect.poll(refused).toBe(true);
  for (const { socket } of slow)
    socket.write('"}}\n{"jsonrpc":"2.0","id":"next","method":"ping"}\n');
  await expect.poll(() => slow.every(({ answers }) => answers.length === 2)).toBe(true);
  const [first] = slow.flatMap(({ answers }) => answers).filter((answer) => 'error' in answer);
  expect(first).toMatchObject({ id: expect.any(Number), error: noRoom });
  for (const { answers } of slow) expect(answers[1]).toMatchObject({ id: 'next', result: {} });
});

test('a connection that does not read is cut off', async () => {
  const deaf = new Client();
  deaf.socket.pause();
  for (let number = 0; number < 3; number += 1)
    deaf.send(`d${number}`, 'say', { say: 1.3 * megabyte });
  await expect.poll(() => budget.held.unread).toBeGreaterThan(3 * megabyte);
  const client = new Client();
  client.send('large', 'say', { say: megabyte });
  await expect.poll(() => client.answers.at(-1)).toMatchObject({ id: 'large', error: noRoom });
  const served = async (): Promise<boolean> => {
    client.answers.length = 0;
    client.send('again', 'say', { say: megabyte });
    await expect.poll(() => client.answers.length).toBe(1);
    return 'result' in (client.answers[0] ?? {});
  };
  await expect.poll(served, { timeout: 20_000, interval: 200 }).toBe(true);
  expect(budget.letGo.unread).toBe(1);
});

test('an idle connection for which much is kept ends for another', async () => {
  const [idle, busy] = [new Client(), new Client()];
  for (const client of [idle, busy]) {
    client.send('ping', 'ping');
    await expect.poll(() => client.answers.length).toBe(1);
  }
  expect(connections).toHaveLength(2);
  busy.send('hang', 'hang');
  await expect.poll(() => budget.held.calls).toBeGreaterThan(0);
  for (const connection of connections) expect(connection.keep(1.5 * megabyte)).toBe(true);
  const third = new Client();
  const ended = once(idle.socket, 'close');
  third.send('ping', 'ping');
  await expect.poll(() => connections.length).toBe(3);
  await expect.poll(() => connections[2]?.keep(1.2 * megabyte), { timeout: 20_000 }).toBe(true);
  await ended;
  expect(connections[2]?.keep(1.6 * megabyte)).toBe(false);
  expect([busy.socket.destroyed, third.socket.destroyed]).toEqual([false, false]);
});
