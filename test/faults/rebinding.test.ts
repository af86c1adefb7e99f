import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp, type HttpListening } from 'mcp-kit/transport/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawHttp } from './lib/raw-http.ts';
import { modernCall } from './lib/wire.ts';

let ran = 0;
let listening: HttpListening;

beforeAll(async () => {
  const made = tool({
    name: 'echo',
    description: 'Counts.',
    input: { type: 'object' },
    run: () => `${++ran}`,
  });
  const service = createServer({ name: 'rebinding', version: '1', features: [toolSet([made])] });
  listening = await serveHttp(service);
});
afterAll(() => listening.close());

/** The answer to headers alone: a body of this length is announced, and never sent. */
async function judge(method: string, lines: readonly string[], version = '1.1') {
  using http = new RawHttp(listening.port);
  const all = [`${method} /mcp HTTP/${version}`, ...lines];
  if (method === 'POST') all.push('content-type: application/json', 'content-length: 1000');
  const answer = await http.exchange(`${all.join('\r\n')}\r\n\r\n`);
  return answer.status;
}

const hosts = [
  'evil.com',
  'localhost.evil',
  'localhost.evil.com:80',
  '127.0.0.1.nip.io',
  'evil.com#localhost',
  'evil.com@localhost',
  'user@localhost',
  'localhost:80:80',
  '2130706433',
  '0x7f000001',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '192.168.1.1',
  '10.0.0.1:8080',
];
const origins = [
  'null',
  'https://evil.com',
  'http://localhost.evil.com',
  'http://127.0.0.1.nip.io',
  'http://localhost@evil.com',
  'http://evil.com/http://localhost',
  'file://',
  'chrome-extension://abcdef',
];

describe.each(['POST', 'GET', 'DELETE', 'OPTIONS', 'HEAD'])('%s', (method) => {
  test.each(hosts)('with Host: %s is refused before its body', async (host) => {
    expect(await judgeHead(method, [`host: ${host}`])).toBe(403);
  });

  test.each(origins)('with Origin: %s is refused before its body', async (origin) => {
    expect(await judgeHead(method, ['host: localhost', `origin: ${origin}`])).toBe(403);
  });

  test('without a host, with an empty one or with two is refused', async () => {
    expect(await judgeHead(method, [])).toBe(400);
    expect(await judgeHead(method, [], '1.0')).toBe(403);
    expect([400, 403]).toContain(await judgeHead(method, ['host:']));
    expect([400, 403]).toContain(await judgeHead(method, ['host: localhost', 'host: evil.com']));
    expect([400, 403]).toContain(await judgeHead(method, ['host: localhost', 'Host: localhost']));
  });

  test('with two origins, one of them foreign, is refused', async () => {
    const lines = ['host: localhost', 'origin: http://localhost', 'origin: http://evil.com'];
    expect(await judgeHead(method, lines)).toBe(403);
  });
});

/** HEAD has no body to wait for, whatever its length says. */
async function judgeHead(method: string, lines: readonly string[], version?: string) {
  if (method !== 'HEAD') return judge(method, lines, version);
  using http = new RawHttp(listening.port);
  const head = [`HEAD /mcp HTTP/${version ?? '1.1'}`, ...lines, 'connection: close'].join('\r\n');
  const text = await new Promise<string>((resolve) => {
    http.socket.once('data', (bytes) => resolve(String(bytes)));
    http.socket.write(`${head}\r\n\r\n`);
  });
  return Number(text.split(' ')[1]);
}

describe('a server on loopback', () => {
  test('has run nothing for any of them', () => {
    expect(ran).toBe(0);
  });

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:99'])(
    'serves under the name %s',
    async (host) => {
      using http = new RawHttp(listening.port);
      const bytes = modernCall(1, 'echo').toString().replace('host: 127.0.0.1', `host: ${host}`);
      expect((await http.exchange(bytes)).status).toBe(200);
    },
  );

  test('does not serve a name in the request line instead', async () => {
    using http = new RawHttp(listening.port);
    const bytes = modernCall(1, 'echo').toString().replace('/mcp', 'http://evil.com/mcp');
    expect((await http.exchange(bytes)).status).not.toBe(200);
  });
});
