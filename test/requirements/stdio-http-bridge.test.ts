import path from 'node:path';
import { createDeferred, isRecord } from 'mcp-kit/internal';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { closedPort } from '../support/lasting-port.ts';
import {
  event,
  json,
  noStream,
  result,
  scripted,
  sessionful,
  stream,
  type Script,
} from './http-client-fixture.ts';

beforeAll(requireBuild);

const program = path.join(root, 'packages/mcpctl/bin/stdio-http-bridge.js');

/** The bridge as a host starts it. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  return new Child(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
}

const initialize = {
  id: 'init',
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {}, roots: {}, experimental: { odd: { kept: true } } },
    clientInfo: { name: 'host', version: '1', title: 'A host' },
  },
};

/** A bridge whose handshake is done. */
async function opened(url: string): Promise<Child> {
  const bridge = start([url]);
  bridge.send(initialize);
  await bridge.answer('init');
  bridge.send({ method: 'notifications/initialized' });
  return bridge;
}

/** A server that answers every request with the parameters it was called with. */
const echoing: Script = sessionful(
  noStream((seen) => {
    if (seen.message.id === undefined) seen.response.writeHead(202).end();
    else json(seen, result(seen, { echo: seen.message.params }));
  }),
);

describe('the lines of stdio-http-bridge', () => {
  test('are one JSON-RPC message each, in and out', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    const text = 'two\nlines, \u2028 and é';
    bridge.send({ id: 1, method: 'tools/call', params: { text } });
    expect(await bridge.answer(1)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { echo: { text } },
    });
    const lines = bridge.stdout.split('\n');
    expect(lines.pop()).toBe('');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('have no Content-Length, neither read nor written', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    const framed = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    bridge.process.stdin.write(`Content-Length: ${framed.length}\r\n\r\n${framed}\n`);
    await bridge.answer(1);
    expect(await bridge.message(({ error }) => error !== undefined)).toMatchObject({
      id: null,
      error: { code: -32700 },
    });
    expect(bridge.stdout).not.toMatch(/content-length/i);
  });

  test('that cannot be parsed are answered with -32700 and the id null, and the next one works', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    bridge.process.stdin.write('{"jsonrpc":"2.0","id":1,\n');
    bridge.send({ id: 2, method: 'ping' });
    await bridge.answer(2);
    expect(bridge.messages()).toContainEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: expect.any(String) as string },
    });
  });
});

describe('the session of stdio-http-bridge', () => {
  test('is the one that initialize opened: its id goes with every message that follows', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    bridge.send({ id: 1, method: 'tools/list' });
    bridge.send({ method: 'notifications/roots/list_changed' });
    await bridge.answer(1);
    await server.nth('notifications/roots/list_changed');
    const opening = await server.nth('initialize');
    expect(opening.headers['mcp-session-id']).toBeUndefined();
    expect(opening.message.params).toEqual(initialize.params);
    const later = server.seen.filter((seen) => seen !== opening);
    expect(later.length).toBeGreaterThanOrEqual(3);
    for (const { headers } of later) {
      expect(headers['mcp-session-id']).toBe('session-1');
      expect(headers['mcp-protocol-version']).toBe('2025-06-18');
    }
  });

  test('is opened anew, once, when the server has forgotten it; the request goes on in the new one', async () => {
    let opened_ = 0;
    let known = '';
    await using server = await scripted((seen) => {
      if (seen.message.method === 'initialize') known = `session-${++opened_}`;
      const forgotten = seen.headers['mcp-session-id'] !== known;
      if (seen.message.method === 'tools/call' && forgotten) {
        seen.response.writeHead(404).end();
      } else sessionful(echoing, known)(seen);
    });
    await using bridge = await opened(server.url);
    known = 'none';
    bridge.send({ id: 1, method: 'tools/call', params: { name: 'pay' } });
    expect(await bridge.answer(1)).toMatchObject({ result: { echo: { name: 'pay' } } });
    expect(server.all('initialize')).toHaveLength(2);
    expect(server.all('initialize')[1]?.message.params).toEqual(initialize.params);
    expect(server.all('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      'session-1',
      'session-2',
    ]);
  });

  test('ends with a DELETE when standard input ends', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    bridge.process.stdin.end();
    expect(await bridge.ended).toEqual({ code: 0, signal: null });
    expect(server.all('DELETE').map(({ headers }) => headers['mcp-session-id'])).toEqual([
      'session-1',
    ]);
  });
});

describe('messages through stdio-http-bridge', () => {
  test('that are notifications expect nothing, and get nothing', async () => {
    await using server = await scripted(echoing);
    await using bridge = await opened(server.url);
    bridge.send({ method: 'notifications/odd', params: { any: 1 } });
    const seen = await server.nth('notifications/odd');
    expect(seen.message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/odd',
      params: { any: 1 },
    });
    bridge.send({ id: 1, method: 'ping' });
    await bridge.answer(1);
    expect(bridge.messages().map(({ id }) => id)).toEqual(['init', 1]);
  });

  const failures: readonly (readonly [string, Script])[] = [
    ['an HTTP error', ({ response }) => response.writeHead(500).end('broken')],
    ['a body that is not JSON', (seen) => json(seen, 'not json')],
    ['a connection that breaks', ({ response }) => response.destroy()],
    ['the answer to something else', (seen) => json(seen, { jsonrpc: '2.0', id: 77, result: {} })],
  ];
  test.each(failures)(
    'that meet %s become an error of the request that waited',
    async (_, fail) => {
      await using server = await scripted(
        sessionful(
          noStream((seen) => {
            if (seen.message.method === 'tools/call') fail(seen);
            else json(seen, result(seen));
          }),
        ),
      );
      await using bridge = await opened(server.url);
      bridge.send({ id: 1, method: 'tools/call', params: { name: 'pay' } });
      expect(await bridge.answer(1)).toMatchObject({
        error: {
          code: -32603,
          message: expect.stringContaining('Bridge transport error') as string,
          data: { code: expect.any(String) as string, mayHaveRun: true },
        },
      });
      bridge.send({ id: 2, method: 'ping' });
      expect(await bridge.answer(2)).toMatchObject({ result: {} });
    },
  );

  test('for a server that is not there become errors that say so', async () => {
    await using bridge = start([`http://127.0.0.1:${closedPort}/mcp`]);
    bridge.send(initialize);
    expect(await bridge.answer('init')).toMatchObject({
      error: { code: -32603, data: { code: 'unreachable', retryable: true, mayHaveRun: false } },
    });
  });

  test('are answered side by side, not one after the other', async () => {
    const waiting: (() => void)[] = [];
    await using server = await scripted(
      sessionful(
        noStream((seen) => {
          waiting.push(() => json(seen, result(seen)));
          // None is answered before all are there.
          if (waiting.length === 20) for (const answer of waiting) answer();
        }),
      ),
    );
    await using bridge = await opened(server.url);
    for (let id = 1; id <= 20; id++) bridge.send({ id, method: 'tools/call' });
    for (let id = 1; id <= 20; id++) expect(await bridge.answer(id)).toHaveProperty('result');
  });

  test('may be answered by an event stream, with what the server says and asks before', async () => {
    const progress = { progressToken: 'mine', progress: 1 };
    const answered = createDeferred<void>();
    await using server = await scripted(
      sessionful(
        noStream((seen) => {
          const { id, method, params } = seen.message;
          if (method !== 'tools/call') {
            seen.response.writeHead(202).end();
            if (id === 's1') answered.resolve();
            return;
          }
          const meta = params?.['_meta'];
          const token = isRecord(meta) ? meta['progressToken'] : undefined;
          const out = stream(seen);
          const note = { ...progress, progressToken: token };
          out.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params: note }));
          out.write(event({ jsonrpc: '2.0', id: 's1', method: 'roots/list' }));
          const done = event({ jsonrpc: '2.0', id, result: { done: true } });
          void answered.promise.then(() => out.end(done));
        }),
      ),
    );
    await using bridge = await opened(server.url);
    bridge.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'slow', _meta: { progressToken: 'mine', 'vendor/odd': 1 } },
    });
    const asked = await bridge.message(({ method }) => method === 'roots/list');
    bridge.send({ id: asked['id'], result: { roots: [{ uri: 'file:///work' }] } });
    expect(await bridge.answer(1)).toMatchObject({ result: { done: true } });
    expect(bridge.messages()).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: progress,
    });
    const answer = server.seen.find(({ message }) => message.id === 's1');
    expect(answer?.message.result).toEqual({ roots: [{ uri: 'file:///work' }] });
    const call = await server.nth('tools/call');
    expect(call.message.params).toMatchObject({ _meta: { 'vendor/odd': 1 } });
  });

  test('whose stream is cut are taken up where it stopped', async () => {
    await using server = await scripted(
      sessionful((seen) => {
        const { headers, message, method } = seen;
        if (method === 'GET' && headers['last-event-id'] !== 'e1') {
          seen.response.writeHead(405).end();
        } else if (method === 'GET') {
          stream(seen).end(event({ jsonrpc: '2.0', id: lastId, result: { done: true } }, 'e2'));
        } else {
          lastId = message.id;
          const out = stream(seen);
          out.write('retry: 20\n');
          out.write(event('', 'e1'), () => out.destroy());
        }
      }),
    );
    let lastId: unknown;
    await using bridge = await opened(server.url);
    bridge.send({ id: 1, method: 'tools/call', params: { name: 'long' } });
    expect(await bridge.answer(1)).toMatchObject({ result: { done: true } });
    expect(server.all('tools/call')).toHaveLength(1);
  });
});

describe('the environment of stdio-http-bridge', () => {
  test('may name the server and how long it may take', async () => {
    await using server = await scripted(
      sessionful(
        noStream(({ message, response }) => {
          // Never answered.
          if (message.id === undefined) response.writeHead(202).end();
        }),
      ),
    );
    await using bridge = start([], {
      COCOS_MCP_HTTP_URL: server.url,
      COCOS_MCP_HTTP_TIMEOUT_MS: '300',
    });
    bridge.send(initialize);
    expect(await bridge.answer('init')).toMatchObject({ result: {} });
    bridge.send({ id: 1, method: 'tools/call' });
    expect(await bridge.answer(1)).toMatchObject({
      error: { code: -32603, data: { code: 'timeout' } },
    });
  });
});
