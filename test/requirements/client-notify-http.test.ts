import { createDeferred } from 'mcp-kit/internal';
import { createEraCache, openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { failure } from './client-script.ts';
import { oldServer, plain, type Answer } from './old-http-server.ts';

const method = 'notifications/roots/list_changed';

function open(url: string, options: SessionOptions = {}): Promise<Session> {
  return openSession(httpTarget(url), { eraCache: createEraCache(), ...options });
}

const never: Answer = () => {};

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

  test('that is never taken fails after its time, and its request is cut off', async () => {
    const { promise: cut, resolve } = createDeferred<void>();
    const hold: Answer = (response) => void response.once('close', resolve);
    await using server = await oldServer(plain(404), { [method]: hold });
    await using session = await open(server.url);
    const error = await failure(session.notify(method, undefined, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain(method);
    await cut;
  });

  test('has the time of its session, unless it says otherwise', async () => {
    await using server = await oldServer(plain(404), { [method]: never });
    await using session = await open(server.url, { timeoutMs: 50 });
    expect(await failure(session.notify(method))).toMatchObject({ code: 'timeout' });
  });

  test('can be given up, for a reason', async () => {
    const { promise: came, resolve } = createDeferred<void>();
    await using server = await oldServer(plain(404), { [method]: () => resolve() });
    await using session = await open(server.url);
    const controller = new AbortController();
    const told = failure(session.notify(method, undefined, { signal: controller.signal }));
    await came;
    const reason = new Error('the user left');
    controller.abort(reason);
    expect(await told).toMatchObject({ code: 'aborted', cause: reason });
  });
});

describe('The end of the handshake over HTTP', () => {
  const initialized = 'notifications/initialized';

  test.each<readonly [string, Answer, object]>([
    ['refuses it', plain(400, 'not now'), { code: 'http_status', details: { status: 400 } }],
    ['fails at it', plain(500, 'not now'), { code: 'http_status', details: { status: 500 } }],
    ['wants a login for it', plain(401, 'not now'), { code: 'unauthorized' }],
    ['does not know the session any more', plain(404), { code: 'session_lost' }],
  ])('is noticed when the server %s', async (_what, answer, expected) => {
    await using server = await oldServer(plain(404), { [initialized]: answer });
    const error = await failure(open(server.url));
    expect(error).toMatchObject(expected);
    expect(error.message).toContain(initialized);
  });

  test('that the server leaves open holds nobody up for ever', async () => {
    await using server = await oldServer(plain(404), { [initialized]: never });
    await using session = await open(server.url);
    expect((await session.callTool('anything')).content).toHaveLength(1);
  });
});

describe('What nobody waits for', () => {
  /** Settles with the first failure that is told. */
  function listening(): {
    readonly first: Promise<Error>;
    readonly onError: (error: Error) => void;
  } {
    const { promise: first, resolve } = createDeferred<Error>();
    return { first, onError: resolve };
  }

  test.each([
    ['fails', plain(500), { code: 'http_status', details: { status: 500 } }],
    ['wants a login', plain(401), { code: 'unauthorized' }],
  ])('a stream that %s is told to onError, once', async (_what, answer, expected) => {
    let fetched = 0;
    const { promise: again, resolve } = createDeferred<void>();
    const streamed: Answer = (response, request) => {
      fetched += 1;
      answer(response, request);
      if (fetched === 2) resolve();
    };
    const errors: Error[] = [];
    const { first, onError } = listening();
    await using server = await oldServer(plain(404), { GET: streamed });
    await using session = await open(server.url, {
      onNotification: () => {},
      onError: (error) => {
        errors.push(error);
        onError(error);
      },
    });
    expect(await first).toMatchObject(expected);
    await again;
    expect((await session.callTool('anything')).content).toHaveLength(1);
    expect(errors).toHaveLength(1);
  });

  test('a server without such a stream is nothing to tell', async () => {
    const errors: Error[] = [];
    await using server = await oldServer(plain(404));
    await using session = await open(server.url, {
      onNotification: () => {},
      onError: (error) => errors.push(error),
    });
    await session.callTool('anything');
    await session.callTool('anything');
    expect(server.heard).toContain('GET');
    expect(errors).toEqual([]);
  });

  test('a listener that throws ends nothing', async () => {
    const { promise: told, resolve } = createDeferred<void>();
    await using server = await oldServer(plain(404), { GET: plain(500) });
    await using session = await open(server.url, {
      onNotification: () => {},
      onError: () => {
        resolve();
        throw new Error('of the listener');
      },
    });
    await told;
    expect((await session.callTool('anything')).content).toHaveLength(1);
  });
});
