import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { profiles, type HttpOptions } from 'mcp-kit/transport/http';
import { notification, serving, startSession, type Served } from '../support/mcp-http.ts';

const tools = toolSet([], { contract: 'envelope' });

function start(options: HttpOptions = {}): Promise<Served> {
  const server = createServer({ name: 'v2', version: '2.0.0', features: [tools] });
  return serving(server, { profile: 'v2', ...options });
}

describe('event streams', () => {
  test('only a ready session may open one', async () => {
    await using server = await start();
    const session = await startSession(server.url, { ready: false });
    const refused = await session.get({ accept: 'text/event-stream' });
    expect(refused.status).toBe(400);
    await session.post(notification('notifications/initialized'));
    using stream = await session.listen();
    expect(stream.status).toBe(200);
  });

  test('a session may have several, and each message goes to one of them', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    using first = await session.listen();
    using second = await session.listen();
    tools.add(tool({ name: 'get_text_extra', description: 'More.', run: () => 'more' }));
    const changed = await Promise.race([first.nextMessage(), second.nextMessage()]);
    expect(changed).toMatchObject({ method: 'notifications/tools/list_changed' });
    await session.delete();
    const rest = [...(await first.ended()), ...(await second.ended())];
    expect(rest.filter(({ data }) => data)).toEqual([]);
  });

  test('is released as soon as the client hangs up', async () => {
    await using server = await start();
    const session = await startSession(server.url);
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const headers = Object.entries({ ...session.headers, accept: 'text/event-stream' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    socket.write(`GET /mcp HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
    await once(socket, 'data');
    expect(server.endpoint.streamCount).toBe(1);
    socket.destroy();
    await expect.poll(() => server.endpoint.streamCount).toBe(0);
  });

  test('an idle one carries the comment "heartbeat"', async () => {
    const profile = { ...profiles.v2, heartbeat: { ...profiles.v2.heartbeat, everyMs: 20 } };
    await using server = await start({ profile });
    const session = await startSession(server.url, { version: '2025-06-18' });
    using stream = await session.listen();
    expect(await stream.nextEvent()).toEqual({ comment: 'heartbeat' });
    expect(await stream.nextEvent()).toEqual({ comment: 'heartbeat' });
  });

  test('the heartbeat comes every 15 seconds', () => {
    expect(profiles.v2.heartbeat).toEqual({ comment: 'heartbeat', everyMs: 15_000 });
  });
});
