import { createDeferred } from 'mcp-kit/internal';
import { createBridge } from 'mcp-kit/bridge';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { request, serving, startSession } from '../support/mcp-http.ts';

test('a server that wants its answer fetched later is taken at its word on both sides of a bridge', async () => {
  const end = createDeferred<void>();
  const hold = tool({
    name: 'hold',
    description: 'Lets the client hang up, and answers when it is let go.',
    async run(_args, context) {
      context.release({ retryMs: 30 });
      await end.promise;
      return 'fetched';
    },
  });
  const server = createServer({ name: 'far', version: '1', features: [toolSet([hold])] });
  await using far = await serving(server);
  await using bridge = createBridge(httpTarget(far.url));
  const near = await serveHttp(bridge);
  try {
    const session = await startSession(near.url);
    // Ends without an answer: the test would wait for ever otherwise.
    const hungUp = await session.post(request(7, 'tools/call', { name: 'hold', arguments: {} }));
    expect(hungUp.headers['content-type']).toBe('text/event-stream');
    expect(hungUp.messages).toEqual([]);
    expect(hungUp.text).toContain('retry: 30\n');
    const id = hungUp.events.findLast((event) => event.id !== undefined)?.id;
    expect(id).toBeDefined();
    end.resolve();
    const fetched = await session.get({ accept: 'text/event-stream', 'last-event-id': `${id}` });
    expect(fetched.messages).toMatchObject([{ id: 7, result: { content: [{ text: 'fetched' }] } }]);
  } finally {
    await near.close();
  }
});
