import { createDeferred } from 'mcp-kit/internal';
import { createEraCache, openSession, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { failure } from './client-script.ts';
import { oldServer, plain, type Answer } from './old-http-server.ts';

const method = 'notifications/roots/list_changed';

function open(url: string): Promise<Session> {
  return openSession(httpTarget(url), { eraCache: createEraCache() });
}

describe('A notification over HTTP', () => {
  test('is told when the server has taken it', async () => {
    await using server = await oldServer(plain(404));
    await using session = await open(server.url);
    await session.notify(method);
    expect(server.heard).toContain(method);
  });

  test.each<readonly [string, Answer, object]>([
    ['refuses it', plain(400), { code: 'http_status', details: { status: 400 } }],
    ['fails at it', plain(500), { code: 'http_status', details: { status: 500 } }],
    ['wants a login for it', plain(401), { code: 'unauthorized' }],
    ['hangs up on it', (response) => response.socket?.destroy(), { code: 'answer_lost' }],
  ])('that the server %s is a failure of whoever told it', async (_what, answer, error) => {
    await using server = await oldServer(plain(404), { [method]: answer });
    await using session = await open(server.url);
    expect(await failure(session.notify(method))).toMatchObject(error);
    // The session goes on.
    expect((await session.callTool('anything')).content).toHaveLength(1);
  });

  test('of a session that the server has forgotten is told in the next one', async () => {
    let refusals = 0;
    const forget: Answer = (response, request) => {
      refusals += 1;
      if (refusals === 1) plain(404)(response, request);
      else response.writeHead(202).end();
    };
    await using server = await oldServer(plain(404), { [method]: forget });
    await using session = await open(server.url);
    await session.notify(method);
    expect(refusals).toBe(2);
    expect(session.stats.handshakes).toBe(2);
  });

  test('that is never taken fails when the session is closed', async () => {
    const { promise: came, resolve } = createDeferred<void>();
    await using server = await oldServer(plain(404), { [method]: () => resolve() });
    await using session = await open(server.url);
    const told = failure(session.notify(method));
    await came;
    await session.close();
    expect(await told).toMatchObject({ code: 'closed' });
  });

  test('cannot be told when the server is gone', async () => {
    const server = await oldServer(plain(404));
    await using session = await open(server.url);
    await server[Symbol.asyncDispose]();
    expect(await failure(session.notify(method))).toMatchObject({ name: 'KitError' });
  });
});
