import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { open, send } from '../support/http-client.ts';
import { modern, request, serving, startSession } from '../support/mcp-http.ts';

function createHanging() {
  const cancelled: string[] = [];
  const hang = tool({
    name: 'hang',
    description: 'Never answers by itself.',
    input: { type: 'object', properties: { aloud: { type: 'boolean' } } },
    async run({ aloud }, context) {
      if (aloud === true) await context.progress(1);
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      cancelled.push(context.client.era);
    },
  });
  const service = createServer({ name: 'closing', version: '1', features: [toolSet([hang])] });
  return { service, cancelled };
}

const call = { name: 'hang', arguments: {} };

describe('a server that closes', () => {
  test('answers what is under way, in both eras, and lets its tools know', async () => {
    const { service, cancelled } = createHanging();
    await using server = await serving(service);
    const session = await startSession(server.url);
    const legacy = session.request('tools/call', call);
    const stateless = send(server.url, modern('tools/call', call));
    const meta = { progressToken: 1 };
    const aloud = { name: 'hang', arguments: { aloud: true } };
    using streamed = await open(server.url, modern('tools/call', aloud, { meta }));
    await streamed.nextMessage();
    await server.close();
    expect((await legacy).message).toMatchObject({ error: { code: -32_000 } });
    expect(await stateless).toMatchObject({ status: 503, message: { error: { code: -32_000 } } });
    expect(await streamed.nextMessage()).toMatchObject({ error: { code: -32_000 } });
    expect(cancelled.sort()).toEqual(['legacy', 'modern', 'modern']);
  });

  test('answers a call whose session is deleted', async () => {
    const { service, cancelled } = createHanging();
    await using server = await serving(service);
    const session = await startSession(server.url);
    const answer = session.post(request(5, 'tools/call', call));
    // The call is under way once the session answers something sent after it.
    await session.request('ping');
    await session.delete();
    expect((await answer).message).toMatchObject({ id: 5, error: { code: -32_000 } });
    expect(cancelled).toEqual(['legacy']);
  });
});

describe('what a client leaves here for as long as it stays', () => {
  test('is bounded in size: names of resources, and what it says of itself', async () => {
    const { service } = createHanging();
    await using server = await serving(service);
    const session = await startSession(server.url);
    const uri = `test://${'x'.repeat(10_000)}`;
    const notifications = { resourceSubscriptions: [uri] };
    const listen = await send(server.url, modern('subscriptions/listen', { notifications }));
    expect(listen.message).toMatchObject({ error: { code: -32_602 } });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { large: 'x'.repeat(20_000) } },
      clientInfo: { name: 'large', version: '1' },
    };
    const opened = await session.post(request(7, 'initialize', params));
    expect(opened.message).toMatchObject({ error: { code: -32_602 } });
    expect(opened.headers).not.toHaveProperty('mcp-session-id');
  });
});
