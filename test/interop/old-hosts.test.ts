import { beforeAll, describe, expect, test } from 'vitest';
import { serveHttp } from 'mcp-kit/transport/http';
import { sample } from '../support/scale.ts';
import { createFixture, createSmallServer } from './fixture.mjs';
import { makeReady } from './peers.mjs';
import { RawHttp, RawStdio, type RawHost } from './raw.ts';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

const wires = ['stdio', 'http'] as const;
type Wire = (typeof wires)[number];

/** A host on this wire, and the server it speaks to. */
async function open(over: Wire, small = false): Promise<RawHost> {
  if (over === 'stdio') return new RawStdio(small ? ['--small'] : []);
  const server = small ? createSmallServer() : createFixture().server;
  const { url, close } = await serveHttp(server);
  const host = new RawHttp(url);
  const dispose = host[Symbol.asyncDispose].bind(host);
  return Object.assign(host, {
    async [Symbol.asyncDispose]() {
      await dispose();
      await close();
    },
  });
}

let lastId = 0;
const request = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: ++lastId,
  method,
  ...(params === undefined ? {} : { params }),
});
const greet = (name: string) => request('tools/call', { name: 'greet', arguments: { name } });
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Shakes hands as the revision demands, and returns the server's half. */
async function shakeHands(host: RawHost, version: string, more: object = {}): Promise<unknown> {
  const params = {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'old', version: '0.1' },
    ...more,
  };
  const answer = await host.send(request('initialize', params));
  // The header came with 2025-06-18: whoever is older does not send it.
  if (host instanceof RawHttp && version >= '2025-06-18') {
    const { result } = answer as { result: { protocolVersion: string } };
    host.headers['mcp-protocol-version'] = result.protocolVersion;
  }
  await host.send(initialized);
  return answer;
}

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

for (const [turn, over] of wires.entries()) {
  const { tried, share } = sample(revisions, 2, turn);

  describe.each(tried)(`${share}: a host of revision %s over ${over}`, (version) => {
    test('is answered in its own revision and served', async () => {
      await using host = await open(over);
      expect(await shakeHands(host, version)).toMatchObject({
        jsonrpc: '2.0',
        result: {
          protocolVersion: version,
          serverInfo: { name: 'fixture', version: '1.2.3' },
          instructions: 'Try greet first.',
          capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
        },
      });
      expect(await host.send(request('ping'))).toMatchObject({ result: {} });
      expect(await host.send(request('tools/list'))).toMatchObject({
        result: { nextCursor: expect.any(String), tools: { 0: { name: 'greet' } } },
      });
      expect(await host.send(greet('Ada'))).toMatchObject({
        result: { content: [{ type: 'text', text: 'Hello, Ada!' }] },
      });
      expect(await host.send(request('resources/read', { uri: 'memo://none' }))).toMatchObject({
        error: { code: -32002, data: { uri: 'memo://none' } },
      });
      expect(await host.send(request('prompts/get', { name: 'plain' }))).toMatchObject({
        result: { messages: [{ role: 'user', content: { type: 'text', text: 'Be brief.' } }] },
      });
      expect(await host.send(request('server/discover'))).toMatchObject({
        error: { code: -32601 },
      });
    });
  });

  describe.each(tried.filter((version) => version !== '2025-03-26'))(
    `${share}: a host of revision %s, which has no batches, over ${over}`,
    (version) => {
      test('is refused one, and served after it', async () => {
        await using host = await open(over);
        await shakeHands(host, version);
        expect(await host.send([greet('one'), greet('two')])).toMatchObject({
          error: { code: -32600 },
        });
        expect(await host.send(greet('three'))).toMatchObject({ result: {} });
      });
    },
  );

  describe(`A host of the revision with batches over ${over}`, () => {
    test('gets one array with an answer for each request', async () => {
      await using host = await open(over);
      await shakeHands(host, '2025-03-26');
      const first = greet('one');
      const second = request('tools/call', { name: 'greet_later', arguments: { name: 'two' } });
      const third = request('no/such/method');
      const answer = await host.send([first, initialized, second, third]);
      expect(answer).toHaveLength(3);
      expect(answer).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: first.id, result: expect.anything() }),
          expect.objectContaining({ id: second.id, result: expect.anything() }),
          expect.objectContaining({ id: third.id, error: expect.anything() }),
        ]),
      );
    });

    test('gets nothing back for a batch of notifications', async () => {
      await using host = await open(over);
      await shakeHands(host, '2025-03-26');
      expect(await host.send([initialized, initialized])).toBeUndefined();
      expect(await host.send(greet('Ada'))).toMatchObject({ result: {} });
    });
  });

  describe(`Any host over ${over}`, () => {
    test.each(['2023-01-01', '2024-10-07', '2026-07-28', '2099-12-31', 'latest'])(
      'that asks for %s is offered our newest handshake, not an error',
      async (version) => {
        await using host = await open(over);
        expect(await shakeHands(host, version)).toMatchObject({
          result: { protocolVersion: '2025-11-25' },
        });
        expect(await host.send(greet('Ada'))).toMatchObject({ result: {} });
      },
    );

    test('finds empty lists where there is nothing to list', async () => {
      await using host = await open(over, true);
      const answer = await shakeHands(host, '2025-06-18');
      expect(answer).not.toHaveProperty('result.capabilities.prompts');
      const lists = ['prompts', 'resources', 'resources/templates'];
      for (const list of lists) {
        const member = list === 'resources/templates' ? 'resourceTemplates' : list;
        expect(await host.send(request(`${list}/list`))).toMatchObject({
          result: { [member]: [] },
        });
      }
      for (const method of ['prompts/get', 'resources/read', 'resources/subscribe']) {
        expect(await host.send(request(method, { name: 'x', uri: 'x:y' }))).toMatchObject({
          error: { code: -32601 },
        });
      }
    });

    test('may declare what nobody has heard of', async () => {
      await using host = await open(over);
      const capabilities = {
        telepathy: { range: 'far' },
        elicitation: { form: {}, gesture: {} },
        sampling: { tools: {}, context: {}, dreams: true },
        roots: { listChanged: true, depth: 3 },
        tasks: { requests: { sampling: { createMessage: {} } } },
        experimental: { anything: null },
        extensions: { 'com.example/unheard-of': { since: 2030 } },
      };
      const clientInfo = { name: 'new', version: '9', icons: [], vendor: { id: 1 } };
      const answer = await shakeHands(host, '2025-11-25', { capabilities, clientInfo, extra: [] });
      expect(answer).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
      const call = { name: 'greet', arguments: { name: 'Ada' }, task: { ttl: 1000 }, extra: 1 };
      expect(await host.send(request('tools/call', call))).toMatchObject({
        result: { content: [{ text: 'Hello, Ada!' }] },
      });
    });

    test('may say little about itself', async () => {
      await using host = await open(over);
      const bare = { clientInfo: undefined, capabilities: undefined };
      expect(await shakeHands(host, '2024-11-05', bare)).toMatchObject({
        result: { protocolVersion: '2024-11-05' },
      });
      expect(await host.send(greet('Ada'))).toMatchObject({ result: {} });
    });

    test('gets back the id it sent, also zero and text', async () => {
      await using host = await open(over);
      await shakeHands(host, '2025-06-18');
      for (const id of [0, -1, 'text', '', 2 ** 53 - 1]) {
        expect(await host.send({ ...greet('Ada'), id })).toMatchObject({ id, result: {} });
      }
    });
  });
}

describe('A host over stdio', () => {
  test('that pipes its messages in and closes gets every answer, and the server ends well', async () => {
    await using host = new RawStdio();
    const opening = request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    const soon = greet('Ada');
    const later = request('tools/call', { name: 'greet_later', arguments: { name: 'Ada' } });
    // Windows line ends, empty lines and a missing last newline.
    const lines = [opening, initialized, later, soon].map((message) => JSON.stringify(message));
    host.write(lines.join('\r\n\r\n'));
    host.end();
    expect(await host.exited).toBe(0);
    const ids = host.lines.map((line) => (line as { id: unknown }).id);
    expect(new Set(ids)).toEqual(new Set([opening.id, soon.id, later.id]));
    expect(ids).toHaveLength(3);
  });

  test('that sends a broken line is told so, and its next line is served', async () => {
    await using host = new RawStdio();
    await shakeHands(host, '2025-06-18');
    const complaint = host.next();
    host.write('{"jsonrpc": "2.0", "id": 7, "meth\n');
    expect(await complaint).toMatchObject({ error: { code: -32700 } });
    expect(await host.send(greet('Ada'))).toMatchObject({ result: {} });
  });

  test('never sees on standard output what a tool prints', async () => {
    await using host = new RawStdio();
    await shakeHands(host, '2025-06-18');
    expect(await host.send(request('tools/call', { name: 'print', arguments: {} }))).toMatchObject({
      result: { content: [{ text: 'printed' }] },
    });
    host.end();
    await host.exited;
    expect(host.stderr.join('')).toContain('a stray line');
  });

  test('that probes for the modern era first may still shake hands, and mix both', async () => {
    await using host = new RawStdio();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const modern = (method: string, params: object = {}) => request(method, { ...params, _meta });
    const newer = { result: { resultType: 'complete' } };
    expect(await host.send(modern('server/discover'))).toMatchObject(newer);
    expect(await shakeHands(host, '2025-11-25')).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    });
    const older = await host.send(greet('Ada'));
    expect(older).toMatchObject({ result: { content: [{ text: 'Hello, Ada!' }] } });
    expect(older).not.toHaveProperty('result.resultType');
    const call = { name: 'greet', arguments: { name: 'Ada' } };
    expect(await host.send(modern('tools/call', call))).toMatchObject(newer);
    expect(await host.send(greet('Bob'))).not.toHaveProperty('result.resultType');
  });

  test('that asks for work before the handshake is told what is missing', async () => {
    await using host = new RawStdio();
    expect(await host.send(request('ping'))).toMatchObject({ result: {} });
    expect(await host.send(greet('Ada'))).toMatchObject({ error: { code: -32600 } });
    expect(await shakeHands(host, '2025-06-18')).toMatchObject({ result: {} });
    expect(await host.send(greet('Ada'))).toMatchObject({ result: {} });
  });
});
