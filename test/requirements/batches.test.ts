import { describe, expect, test } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import {
  initialize,
  modern,
  notification,
  post,
  request,
  serving,
  startSession,
  type Served,
} from '../support/mcp-http.ts';
import { countingTool } from './progress-tools.ts';

// Arrays of messages, which only 2025-03-26 has.

function start(): Promise<Served> {
  const tools = toolSet([
    tool({ name: 'say', description: 'Says hi.', run: () => 'hi' }),
    countingTool(1),
  ]);
  return serving(createServer({ name: 'batches', version: '1.0.0', features: [tools] }));
}

const version = '2025-03-26';

describe('a batch in a session of 2025-03-26', () => {
  test('is answered by one array, in which every request has its answer', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.post([
      request('a', 'ping'),
      notification('notifications/whatever'),
      request('b', 'nonsense'),
      { jsonrpc: '2.0', id: 99, result: {} },
      request('c', 'tools/call', { name: 'count' }),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.text).toMatch(/^\[/);
    expect(answer.messages).toHaveLength(3);
    expect(answer.messages).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'a', result: {} }),
        expect.objectContaining({ id: 'b', error: expect.objectContaining({ code: -32601 }) }),
        expect.objectContaining({
          id: 'c',
          result: { content: [{ type: 'text', text: 'counted' }] },
        }),
      ]),
    );
  });

  test('is answered by a stream when something precedes the answers', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const params = { name: 'count', _meta: { progressToken: 'p' } };
    const { events } = await session.post([request(1, 'ping'), request(2, 'tools/call', params)]);
    expect(events.map(({ data = '' }) => data.slice(0, 1))).toEqual(['{', '[']);
  });

  test('of nothing to answer has status 202', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.post([notification('a'), notification('b')]);
    expect(answer).toMatchObject({ status: 202, text: '' });
  });

  test('answers for each of its parts that is no message', async () => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const { messages } = await session.post([1, {}, request(5, 'ping')]);
    expect(messages).toMatchObject([
      { error: { code: -32600 } },
      { error: { code: -32600 } },
      { id: 5, result: {} },
    ]);
  });

  const { body } = modern('tools/list');
  test.each([
    ['is empty', []],
    ['is too long', Array.from({ length: 101 }, (_value, at) => request(at, 'ping'))],
    ['has a stateless request', [request(1, 'ping'), body]],
    ['has an initialize', [request(1, 'initialize', { protocolVersion: version })]],
  ])('that %s is refused whole', async (_why, batch) => {
    await using server = await start();
    const session = await startSession(server.url, { version });
    const answer = await session.post(batch);
    expect(answer.messages).toMatchObject([{ error: { code: -32600 } }]);
    expect(answer.messages).toHaveLength(1);
    expect((await session.request('tools/list')).message).toMatchObject({ result: {} });
  });

  test('may not open a session', async () => {
    await using server = await start();
    const params = { protocolVersion: version, capabilities: {} };
    const answer = await post(server.url, [request(1, 'initialize', params)]);
    expect(answer).toMatchObject({ status: 400, message: { error: { code: -32600 } } });
    expect(server.endpoint.sessionCount).toBe(0);
    expect(await initialize(server.url, { version })).toMatchObject({ status: 200 });
  });
});
