import { Buffer } from 'node:buffer';
import { connect as connectTls } from 'node:tls';
import { rpcErrors } from 'mcp-kit/jsonrpc';
import type { Admit, HttpOptions, Refusal } from 'mcp-kit/transport/http';
import { expect, test } from 'vitest';
import { RawHttp, requestBytes } from '../faults/lib/raw-http.ts';
import { certificate, key } from '../support/certificate.ts';
import { modern, serving, type Served } from '../support/mcp-http.ts';
import { operating, sample, sampleServer } from './fixture.ts';

/** A server that refuses whoever says `x-limited`, and how often it has asked itself whether to. */
async function limiting(
  options: HttpOptions = {},
  sameForMs = 5000,
): Promise<Served & { asked(): number }> {
  let asked = 0;
  const refusal: Refusal = {
    status: 429,
    error: { code: rpcErrors.overloaded, message: 'Too many requests' },
    headers: ['retry-after', '5'],
    sameForMs,
  };
  const admit: Admit = ({ headers }) => {
    asked += 1;
    return headers['x-limited'] === undefined ? { principal: undefined } : refusal;
  };
  const served = await serving(sampleServer(), { admit, ...options });
  return Object.assign(served, { asked: () => asked });
}

function bytesOf(more: Readonly<Record<string, string>> = {}): Buffer {
  const { headers = {}, body } = modern('tools/call', { name: 'whoami' });
  return requestBytes({ headers: { ...headers, ...more }, body });
}

const free = bytesOf();
const limited = bytesOf({ 'x-limited': 'yes' });
/** Believed when it says where it comes from, so it carries others, and is never held. */
const proxied = { trustedProxies: ['127.0.0.1'] };
const carried = bytesOf({ 'x-limited': 'yes', 'x-forwarded-for': '203.0.113.1' });

/** After three refusals the fourth is no longer asked about. */
async function teach(line: RawHttp, bytes: Buffer): Promise<void> {
  for (let times = 0; times < 3; times++) expect((await line.exchange(bytes)).status).toBe(429);
}

async function statuses(line: RawHttp, count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) found.push((await line.answer()).status);
  return found;
}

test('what is refused again and again is said in the same words, without asking again', async () => {
  await using server = await limiting();
  using line = new RawHttp(server.port);
  const first = await line.exchange(limited);
  await teach(line, limited);
  const asked = server.asked();
  for (let times = 0; times < 20; times++) {
    const again = await line.exchange(limited);
    expect(again.status).toBe(429);
    expect(again.body).toBe(first.body);
    for (const name of ['content-type', 'content-length', 'retry-after', 'connection']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(Date.parse(again.headers.get('date') ?? '')).toBeGreaterThan(Date.now() - 60_000);
  }
  expect(server.asked()).toBe(asked);
});

test('it is asked again when the time is over, and then served', async () => {
  const settings = { limits: { address: '2/s burst 1' } };
  await using server = await operating(settings);
  using line = new RawHttp(server.listening.port);
  const found: number[] = [];
  const startMs = performance.now();
  while (found.filter((status) => status === 200).length < 3 && found.length < 5000) {
    found.push((await line.exchange(free)).status);
  }
  expect(found.filter((status) => status === 200)).toHaveLength(3);
  expect(performance.now() - startMs).toBeGreaterThan(990);
});

test('requests sent together are answered in order, whoever answers them', async () => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  await teach(line, carried);
  const asked = server.asked();
  line.socket.write(Buffer.concat([carried, carried, free, carried, free]));
  expect(await statuses(line, 5)).toEqual([429, 429, 200, 429, 200]);
  expect(server.asked()).toBe(asked + 3);
  await teach(line, carried);
  line.socket.write(Buffer.concat(Array.from({ length: 300 }, () => carried)));
  expect(new Set(await statuses(line, 300))).toEqual(new Set([429]));
});

test('an answer that takes long is not overtaken by refusals', async () => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  await teach(line, carried);
  const { headers = {}, body } = modern('tools/call', { name: 'wait', arguments: { ms: 200 } });
  const slow = requestBytes({ headers, body });
  line.socket.write(slow);
  for (let times = 0; times < 5; times++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    line.socket.write(carried);
  }
  expect(await statuses(line, 6)).toEqual([200, 429, 429, 429, 429, 429]);
});

test('a request in two pieces is answered once, wherever it is cut', async () => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  for (let at = 1; at < carried.length; at += 7) {
    await teach(line, carried);
    line.socket.write(carried.subarray(0, at));
    await new Promise((resolve) => setTimeout(resolve, 1));
    const next = at % 2 === 0 ? free : carried;
    line.socket.write(Buffer.concat([carried.subarray(at), next]));
    expect(await statuses(line, 2)).toEqual([429, at % 2 === 0 ? 200 : 429]);
  }
});

test('a body that looks like requests is a body', async () => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  const hiding = bytesOf({ 'x-limited': 'yes', 'x-forwarded-for': '203.0.113.1' }).toString();
  const text = `${hiding}${free.toString()}`;
  const outer = Buffer.from(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-limited: yes\r\nx-forwarded-for: 203.0.113.1\r\n` +
      `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`,
  );
  await teach(line, carried);
  line.socket.write(outer);
  expect((await line.answer()).status).toBe(429);
  line.socket.write(text);
  line.socket.write(free);
  expect((await line.answer()).status).toBe(200);
  expect((await line.exchange(carried)).status).toBe(429);
});

test.each([
  ['in pieces of known size', { 'transfer-encoding': 'chunked' }, '4\r\n[{}]\r\n0\r\n\r\n'],
  ['closing the connection', { connection: 'close', 'content-length': '4' }, '[{}]'],
] as const)('a request %s is always left to Node', async (_, headers, body) => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  const lines = Object.entries({ ...headers, 'x-limited': 'yes', 'x-forwarded-for': '192.0.2.1' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${head}\r\n${body}`;
  for (let times = 1; times <= 5; times++) {
    expect((await line.exchange(bytes)).status).toBe(429);
    expect(server.asked()).toBe(times);
    if ('connection' in headers) break;
  }
  if ('connection' in headers) await line.gone;
});

test('a client that sends part of a request and then nothing is cut off in time', async () => {
  await using server = await limiting({ headersTimeoutMs: 300, requestTimeoutMs: 300 });
  for (const size of [20, limited.length - 3]) {
    using line = new RawHttp(server.port);
    await teach(line, limited);
    line.socket.write(limited.subarray(0, size));
    await line.gone;
  }
});

test('a server that drains ends such a connection with its next answer', async () => {
  await using server = await limiting();
  using line = new RawHttp(server.port);
  await teach(line, limited);
  expect((await line.exchange(limited)).headers.get('connection')).toBe('keep-alive');
  const drained = server.drain();
  const last = await line.exchange(limited);
  expect([last.status, last.headers.get('connection')]).toEqual([429, 'close']);
  await line.gone;
  expect(await drained).toBe(0);
});

test('it is the same over TLS', async () => {
  await using server = await limiting({ tls: { cert: certificate, key } });
  const options = { port: server.port, host: '127.0.0.1', rejectUnauthorized: false };
  using line = new RawHttp(connectTls(options));
  await teach(line, limited);
  const asked = server.asked();
  for (let times = 0; times < 20; times++) {
    expect((await line.exchange(limited)).status).toBe(429);
  }
  expect(server.asked()).toBe(asked);
  expect((await line.exchange(free)).status).toBe(200);
});

test('whoever does not read what they are told is not read either', async () => {
  await using server = await limiting(proxied);
  using line = new RawHttp(server.port);
  await teach(line, carried);
  line.socket.pause();
  const many = 60_000;
  const flood = Buffer.concat(Array.from({ length: many }, () => carried));
  let isTaken = false;
  line.socket.write(flood, () => (isTaken = true));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isTaken).toBe(false);
  line.socket.resume();
  expect(new Set(await statuses(line, many))).toEqual(new Set([429]));
  expect((await line.exchange(free)).status).toBe(200);
});

test('every refusal is counted, by cause and by status', async () => {
  await using server = await operating({ limits: { address: '1/h' } });
  using line = new RawHttp(server.listening.port);
  using other = new RawHttp(server.listening.port);
  const found: number[] = [];
  for (let times = 0; times < 600; times++) {
    found.push((await line.exchange(free)).status, (await other.exchange(free)).status);
  }
  const refused = found.filter((status) => status === 429).length;
  expect(refused).toBe(1199);
  const text = server.metrics();
  expect(sample(text, 'mcp_rejections_total{cause="rate_address"}')).toBe(refused);
  expect(sample(text, 'mcp_http_responses_total{status="429"}')).toBe(refused);
  expect(sample(text, 'mcp_http_responses_total{status="200"}')).toBe(1);
});
