import { once } from 'node:events';
import net from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { socketTarget } from 'mcp-kit/transport';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import {
  failure,
  newer,
  older,
  open,
  script,
  settle,
  text,
  type Message,
} from './client-script.ts';

test('what is no tool in a list of tools is left out', async () => {
  const tools = [null, 7, {}, { name: 3 }, { name: 'bare' }, { name: 't', inputSchema: {} }];
  for (const serve of [older, newer]) {
    const list = () => ({ resultType: 'complete', tools });
    await using session = await open(script({ ...serve, 'tools/list': list }, { wire: 'http' }));
    const { tools: listed } = await session.listTools();
    expect(listed.map(({ name }) => name)).toEqual(['bare', 't']);
  }
});

describe('a malformed message', () => {
  test('is counted and skipped; the first five are kept', async () => {
    const server = script(older);
    await using session = await open(server);
    for (let at = 1; at <= 8; at += 1) server.peer.garble(`banner ${at}`);
    await session.ping();
    expect(session.stats.malformed).toBe(8);
    expect(session.stats.samples).toEqual([1, 2, 3, 4, 5].map((at) => `banner ${at}`));
  });

  test('before the handshake does not spoil it', async () => {
    const server = script({
      ...older,
      initialize: (params, call) => {
        call.peer.garble('Starting up…');
        return older['initialize']?.(params, call);
      },
    });
    await using session = await open(server);
    expect([session.era, session.stats.malformed]).toEqual(['legacy', 1]);
  });

  test.each([
    ['nothing', null],
    ['a number', 42],
    ['no JSON-RPC', { hello: 'world' }],
    ['an unreadable id', { jsonrpc: '2.0', id: {}, result: {} }],
    ['an answer to nobody without a result', { jsonrpc: '2.0', id: null }],
  ])('that is %s is counted, and not answered', async (_what, value) => {
    const server = script(older);
    await using session = await open(server);
    const before = server.heard.length;
    server.peer.deliver(value);
    await settle();
    expect(session.stats.malformed).toBe(1);
    expect(server.heard).toHaveLength(before);
    await session.ping();
  });

  test('that asks something is counted, and refused', async () => {
    const server = script(older);
    await using session = await open(server);
    server.peer.deliver({ jsonrpc: '2.0', id: 7, method: 'roots/list', params: [] });
    expect(await server.peer.answerTo(7)).toMatchObject({ error: { code: -32600 } });
    expect(session.stats.malformed).toBe(1);
  });

  test.each([
    ['neither result nor error', (id: unknown) => ({ jsonrpc: '2.0', id })],
    ['no version', (id: unknown) => ({ id, result: {} })],
    ['both', (id: unknown) => ({ jsonrpc: '2.0', id, result: {}, error: {} })],
    ['an error that is none', (id: unknown) => ({ jsonrpc: '2.0', id, error: 'no' })],
  ])('that is our answer with %s ends the wait for a good one', async (_what, answer) => {
    const server = script({
      ...older,
      'tools/call': (_params, { id, peer }) => peer.deliver(answer(id)),
    });
    await using session = await open(server);
    const error = await failure(session.callTool('t'));
    expect(error.message).toMatch(/malformed|cannot be read/);
    await settle();
    expect(server.heard).not.toContain('answer');
  });

  test('closes a strict session, with the reason', async () => {
    const server = script(older);
    await using session = await open(server, { strict: true });
    const pending = failure(session.request('tools/wait'));
    server.peer.garble('oops');
    expect(await pending).toMatchObject({ code: 'closed', cause: { code: 'invalid_answer' } });
    expect(await session.closed).toMatchObject({ code: 'invalid_answer' });
    expect([session.isOpen, server.peer.isClosed]).toEqual([false, true]);
    expect(await failure(session.ping())).toMatchObject({ code: 'closed' });
    expect(server.peers).toHaveLength(1);
  });

  test('in the handshake of a strict session is why it does not open', async () => {
    const server = script({ initialize: (_params, { peer }) => peer.garble('Starting up…') });
    const error = await failure(open(server, { strict: true, era: 'legacy' }));
    expect(error).toMatchObject({ code: 'invalid_answer' });
    expect(server.peer.isClosed).toBe(true);
  });

  test('answers that nobody waits for are ignored', async () => {
    const server = script(older);
    await using session = await open(server);
    server.peer.say({ id: 1000, result: {} });
    server.peer.say({ id: '1', result: {} });
    server.peer.say({ error: { code: -32700, message: 'Parse error' } });
    await session.ping();
    expect(session.stats.malformed).toBe(0);
  });
});

describe('over a real socket', () => {
  /** A server of lines: whatever is asked is answered with what the test writes. */
  async function serveLines(answer: (message: Message, write: (line: string) => void) => void) {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-lines-'));
    const address = path.join(folder, 'socket');
    const server = net.createServer((socket) => {
      let rest = '';
      socket.setEncoding('utf8').on('error', () => {});
      socket.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines)
          answer(JSON.parse(line) as Message, (said) => socket.write(`${said}\n`));
      });
    });
    server.listen(address);
    await once(server, 'listening');
    return {
      target: socketTarget(address, { limits: { maxBytes: 10_000 } }),
      async [Symbol.asyncDispose]() {
        server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
  const lines = (message: Message, write: (line: string) => void): void => {
    const { id, method, params } = message;
    if (id === undefined) return;
    const say = (result: unknown): void => write(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize') {
      write('Listening on port 3000');
      say({ protocolVersion: '2025-11-25', capabilities: {} });
    } else if (params?.['name'] === 'large') say(text('x'.repeat(50_000)));
    else if (params?.['name'] === 'deep') say(nested(1000));
    else if (params?.['name'] === 'asked') {
      const pad = 'x'.repeat(50_000);
      write(JSON.stringify({ jsonrpc: '2.0', id, method: 'roots/list', params: { pad } }));
      write(JSON.stringify({ method: 'roots/list', params: { pad }, jsonrpc: '2.0', id }));
      say(text('answered'));
    } else if (params?.['name'] === 'garbled') {
      write('{"jsonrpc":"2.0","id":');
      say(text('after a bad line'));
    } else say(text('small'));
  };

  test('an answer over the limit fails its own call only', async () => {
    await using server = await serveLines(lines);
    await using session = await open(server.target, { era: 'legacy' });
    const [large, small] = await Promise.allSettled([
      session.callTool('large'),
      session.callTool('small'),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'invalid_answer' } });
    expect(small).toMatchObject({ status: 'fulfilled' });
    expect(textOf(await session.callTool('small'))).toBe('small');
    expect(session.stats.handshakes).toBe(1);
  });

  test('an answer that is too deep fails its own call, at once', async () => {
    await using server = await serveLines(lines);
    await using session = await open(server.target, { era: 'legacy' });
    expect(await failure(session.callTool('deep'))).toMatchObject({ code: 'invalid_answer' });
    expect(textOf(await session.callTool('small'))).toBe('small');
  });

  test('a request over the limit is not taken for the answer to ours of the same id', async () => {
    await using server = await serveLines(lines);
    await using session = await open(server.target, { era: 'legacy' });
    expect(textOf(await session.callTool('asked'))).toBe('answered');
    expect(session.stats.malformed).toBe(3);
  });

  test('what is not JSON is kept for diagnosis, and the next line is read', async () => {
    await using server = await serveLines(lines);
    await using session = await open(server.target, { era: 'legacy' });
    expect(textOf(await session.callTool('garbled'))).toBe('after a bad line');
    expect(session.stats.samples).toEqual(['Listening on port 3000', '{"jsonrpc":"2.0","id":']);
  });
});
