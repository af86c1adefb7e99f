import { describe, expect, test } from 'vitest';
import { createServer, resources, type Server } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { send } from '../support/http-client.ts';
import { initialize, modern, notification, serving, startSession } from '../support/mcp-http.ts';
import { openPipe } from '../support/pipe.ts';

// Clients with a handshake and clients without one, side by side.

function make(): Server {
  const tools = toolSet([tool({ name: 'say', description: 'Says hi.', run: () => 'hi' })]);
  const features = [tools, resources({})];
  return createServer({ name: 'eras', version: '1.0.0', features });
}

describe('both eras', () => {
  test('are served at the same time on one endpoint', async () => {
    await using server = await serving(make());
    const session = await startSession(server.url);
    const answers = await Promise.all([
      session.request('tools/call', { name: 'say' }),
      send(server.url, modern('tools/call', { name: 'say' })),
      send(server.url, modern('tools/call', { name: 'say' }, { headers: session.headers })),
      session.request('tools/list'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200]);
    expect(answers[0].message.result).not.toHaveProperty('resultType');
    expect(answers[1].message.result).toHaveProperty('resultType');
    expect(server.endpoint.sessionCount).toBe(1);
  });

  test('are served on one pipe, whichever comes first', async () => {
    await using pipe = openPipe(make());
    const hello = { protocolVersion: '2025-11-25', capabilities: {} };
    const legacy = (id: number, method: string, params = {}): void =>
      pipe.send({ jsonrpc: '2.0', id, method, params });
    pipe.send(modern('server/discover', {}, { id: 1 }).body);
    expect(await pipe.next()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    legacy(2, 'tools/list');
    expect(await pipe.next()).toMatchObject({ id: 2, error: { code: -32600 } });
    legacy(3, 'initialize', hello);
    expect(await pipe.next()).toMatchObject({ id: 3, result: { protocolVersion: '2025-11-25' } });
    pipe.send(modern('tools/list', {}, { id: 4 }).body);
    expect(await pipe.next()).toMatchObject({ id: 4, result: { resultType: 'complete' } });
    pipe.send(notification('notifications/initialized'));
    legacy(5, 'tools/list');
    const listed = await pipe.next();
    expect(listed).toMatchObject({ id: 5, result: { tools: [{ name: 'say' }] } });
    expect(listed.result).not.toHaveProperty('resultType');
    legacy(6, 'initialize', { ...hello, protocolVersion: '2024-11-05' });
    expect(await pipe.next()).toMatchObject({ id: 6, result: { protocolVersion: '2024-11-05' } });
    legacy(7, 'tools/list');
    expect(await pipe.next()).toMatchObject({ id: 7, error: { code: -32600 } });
  });

  test('know a missing resource by different codes', async () => {
    await using server = await serving(make());
    const params = { uri: 'note://lost' };
    const session = await startSession(server.url);
    const legacy = await session.request('resources/read', params);
    expect(legacy).toMatchObject({
      status: 200,
      message: { error: { code: -32002, data: params } },
    });
    const stateless = await send(server.url, modern('resources/read', params));
    expect(stateless).toMatchObject({
      status: 200,
      message: { error: { code: -32602, data: params } },
    });
  });

  test('a handshake that asks for the stateless revision gets the latest with handshakes', async () => {
    await using server = await serving(make());
    const { message } = await initialize(server.url, { version: '2026-07-28' });
    expect(message.result).toMatchObject({ protocolVersion: '2025-11-25' });
  });
});
