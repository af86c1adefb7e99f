// Connections on which nothing happens are counted, and closed when others need the room.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createBudget } from 'mcp-kit/internal';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { expect, onTestFinished, test } from 'vitest';
import { certificate, key } from '../support/certificate.mjs';
import { modern, serving } from '../support/mcp-http.ts';

const kibibyte = 1024;

/** Room for 32 connections: no kind may take more than half. */
const room = 32;
const schemes = {
  http: { bytes: 16 * kibibyte, options: {} },
  https: { bytes: 64 * kibibyte, options: { tls: { cert: certificate, key } } },
};

async function place(scheme: keyof typeof schemes) {
  const { bytes, options } = schemes[scheme];
  const hung: (() => void)[] = [];
  const hang = tool({
    name: 'hang',
    description: 'Answers when it is told to.',
    run: () => new Promise<string>((resolve) => hung.push(() => resolve('done'))),
  });
  const any = tool({ name: 'any', description: 'Answers.', run: () => 'done' });
  const server = createServer({ name: 'many', version: '1', features: [toolSet([hang, any])] });
  const budget = createBudget(2 * room * bytes);
  const { url, port, close } = await serving(server, { budget, ...options });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await close();
  });
  const open = (isSecure = scheme === 'https'): Socket => {
    const socket = isSecure
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  /** The first line of the answer; empty where the connection is closed instead. */
  const call = async (name: string, socket = open()): Promise<string> => {
    const { headers = {}, body } = modern('tools/call', { name, arguments: {} });
    const text = JSON.stringify(body);
    const { host } = new URL(url);
    const fields = Object.entries({ host, ...headers, 'content-length': String(text.length) });
    const head = fields.map(([field, value]) => `${field}: ${value}\r\n`).join('');
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`);
    const [said = ''] = await Promise.race([
      once(socket, 'data'),
      once(socket, 'close').then(() => []),
    ]);
    return String(said).slice(0, 12);
  };
  return { budget, bytes, call, hung, open, sockets };
}

const served = 'HTTP/1.1 200';

test.each(['http', 'https'] as const)(
  'over %s those on which nothing happens are closed when others need the room',
  async (scheme) => {
    const { budget, bytes, call, hung, open, sockets } = await place(scheme);
    const hanging = call('hang');
    await expect.poll(() => hung.length).toBe(1);
    const used = open();
    expect(await call('any', used)).toBe(served);
    // Some have spoken, some have not, and some do not even begin with TLS.
    for (let count = 2; count < room; count += 1) open(count % 2 === 0 && scheme === 'https');
    await expect.poll(() => budget.held.connections).toBe(room * bytes);
    const [busy, ...others] = sockets;
    // As soon as nothing has happened on them for a second.
    await expect.poll(() => call('any'), { timeout: 20_000, interval: 50 }).toBe(served);
    expect(budget.letGo.connections).toBeGreaterThan(0);
    expect(budget.held.connections).toBeLessThanOrEqual(room * bytes);
    expect([busy?.destroyed, others.some(({ destroyed }) => destroyed)]).toEqual([false, true]);
    for (const answer of hung) answer();
    expect(await hanging).toBe(served);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => budget.held.connections).toBe(0);
  },
);

test('those with a request under way give way to nobody', async () => {
  const { budget, bytes, call, hung } = await place('http');
  const hanging = Array.from({ length: room }, () => call('hang'));
  await expect.poll(() => hung.length).toBe(room);
  expect(budget.held.connections).toBe(room * bytes);
  expect(await call('any')).toBe('');
  for (const answer of hung) answer();
  expect(await Promise.all(hanging)).toEqual(hanging.map(() => served));
});
