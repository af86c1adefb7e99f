import { createDeferred } from 'mcp-kit/internal';
import { beforeAll, describe, expect, test } from 'vitest';
import { lastingPort, listenAgain } from '../support/lasting-port.ts';
import { serveFixtureHttp } from './fixture.mjs';
import { connectHost, textOf, type Session, type Speaker } from './hosts.ts';
import { makeReady, type SdkHttpTransport, type SdkProgress, type SdkV2Client } from './peers.mjs';
import { openProxy, type Proxy } from './proxy.ts';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

type Http = Awaited<ReturnType<typeof serveFixtureHttp>>;

interface Scene {
  readonly fixture: Http;
  readonly proxy: Proxy;
  readonly session: Session;
}

/** A client that reaches the server only through something that can be cut. */
async function throughProxy(
  speaker: Speaker,
  play: (scene: Scene) => Promise<void>,
): Promise<void> {
  const fixture = await serveFixtureHttp();
  try {
    await using proxy = await openProxy(fixture.port);
    const url = `http://127.0.0.1:${proxy.port}/mcp`;
    const session = await connectHost({ kind: 'http', url }, speaker);
    try {
      await play({ fixture, proxy, session });
    } finally {
      await session.close();
    }
  } finally {
    await fixture.close();
  }
}

/** Tries again when a connection from before the restart was found dead. */
async function afterRestart<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt < 5; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!String(error).includes('fetch failed')) throw error;
    }
  }
  return call();
}

const resuming = [
  { speaks: 'SDK 1, 2025-11-25', speaker: { sdk: 'v1' as const } },
  { speaks: 'SDK 1, 2025-06-18', speaker: { sdk: 'v1' as const, version: '2025-06-18' } },
  { speaks: 'SDK 1, 2025-03-26', speaker: { sdk: 'v1' as const, version: '2025-03-26' } },
  { speaks: 'SDK 2, 2025-11-25', speaker: { sdk: 'v2' as const } },
];

describe.each(resuming)('A client that can resume ($speaks)', ({ speaker }) => {
  test('is cut after every message of a call, and gets each message once', () =>
    throughProxy(speaker, async ({ fixture, proxy, session }) => {
      const seen: number[] = [];
      const onprogress = ({ progress }: SdkProgress) => {
        seen.push(progress);
        proxy.cut();
        fixture.waiting.at(`cut ${progress}`).letGo.resolve();
      };
      const call = session.call('wait_often', { key: 'cut', times: 4 }, { onprogress });
      expect(textOf(await call)).toBe('waited 4 times');
      expect(seen).toEqual([1, 2, 3, 4]);
    }));

  test('hears of changes after the stream for them was cut', () =>
    throughProxy(speaker, async ({ fixture, proxy, session }) => {
      fixture.server.listChanged('prompts');
      await session.inbox.next('notifications/prompts/list_changed');
      proxy.cut();
      fixture.server.listChanged('tools');
      await session.inbox.next('notifications/tools/list_changed');
      await session.client.subscribeResource({ uri: 'memo://one' });
      await session.call('touch', { uri: 'memo://one' });
      await session.inbox.next('notifications/resources/updated');
      expect(session.inbox.of('notifications/tools/list_changed')).toHaveLength(1);
    }));

  test('goes away during a call, which another client with its session takes up', () =>
    throughProxy(speaker, async ({ fixture, session }) => {
      const { sessionId } = session.transport as SdkHttpTransport;
      const { letGo, begun } = fixture.waiting.at('inherited');
      const token = createDeferred<string>();
      const options = { onprogress: () => {}, onresumptiontoken: token.resolve };
      const lost = session.call('wait', { key: 'inherited' }, options);
      const resumptionToken = await token.promise;
      await begun.promise;
      await session.close();
      await expect(lost).rejects.toThrow(/closed/i);
      const heir = await connectHost({ kind: 'http', url: fixture.url, sessionId }, speaker);
      const taken = heir.call('wait', { key: 'inherited' }, { resumptionToken });
      letGo.resolve();
      expect(textOf(await taken)).toBe('waited for inherited');
      await heir.close();
    }));

  test('is refused in the middle of a call, and still hears of a change once', () =>
    throughProxy(speaker, async ({ fixture, session }) => {
      const onprogress = () => {};
      const refused = session.call('refuse_midway', {}, { onprogress });
      await expect(refused).rejects.toMatchObject({ code: -32602 });
      fixture.server.listChanged('tools');
      await session.inbox.next('notifications/tools/list_changed');
      fixture.server.listChanged('prompts');
      await session.inbox.next('notifications/prompts/list_changed');
      expect(session.inbox.of('notifications/tools/list_changed')).toHaveLength(1);
    }));

  test('is told to hang up and fetches the answer later', () =>
    throughProxy(speaker, async ({ session }) => {
      expect(textOf(await session.call('hang_up_and_answer'))).toBe('fetched later');
    }));

  test('ends its session, and is told that it is gone', () =>
    throughProxy(speaker, async ({ fixture, session }) => {
      const transport = session.transport as SdkHttpTransport;
      const { sessionId } = transport;
      await transport.terminateSession();
      expect(transport.sessionId).toBeUndefined();
      const answer = await fetch(fixture.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': sessionId ?? '',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: -32001 } });
    }));

  test('finds its session lost after a restart and begins a new one', async () => {
    const port = await lastingPort();
    const before = await listenAgain(() => serveFixtureHttp({ port }));
    const { url } = before;
    const session = await connectHost({ kind: 'http', url }, speaker);
    await before.close();
    const after = await listenAgain(() => serveFixtureHttp({ port }));
    try {
      const lost = afterRestart(() => session.call('greet', { name: 'Ada' }));
      await expect(lost).rejects.toThrow(/Session not found/);
      const anew = await afterRestart(() => connectHost({ kind: 'http', url }, speaker));
      expect(textOf(await anew.call('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
      await anew.close();
    } finally {
      await session.close();
      await after.close();
    }
  });
});

test('A client that comes back for a call that was refused is told not to (SDK 1)', async () => {
  const fixture = await serveFixtureHttp();
  const told = createDeferred<number>();
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (new Headers(init?.headers).has('last-event-id')) told.resolve(response.status);
    return response;
  };
  try {
    const place = { kind: 'http', url: fixture.url, fetch: watched } as const;
    const session = await connectHost(place, { sdk: 'v1' });
    session.answers['elicitation/create'] = () => {
      throw new Error('Nobody is at home');
    };
    await expect(session.client.readResource({ uri: 'memo://personal' })).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('Nobody is at home'),
    });
    expect(await told.promise).toBe(204);
    expect(session.errors).toEqual([]);
    await session.close();
  } finally {
    await fixture.close();
  }
});

const stateless: Speaker = { sdk: 'v2', mode: { pin: '2026-07-28' } };

describe('A client without sessions', () => {
  test('loses a call with its connection, which cancels it, and the next call is served', () =>
    throughProxy(stateless, async ({ fixture, proxy, session }) => {
      const onprogress = () => proxy.cut();
      const call = session.call('wait', { key: 'lost' }, { onprogress, timeout: 300 });
      await expect(call).rejects.toThrow(/timed out/i);
      await fixture.waiting.at('lost').cancelled.promise;
      expect(textOf(await session.call('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
    }));

  test('notices that its subscription was cut, and subscribes again', () =>
    throughProxy(stateless, async ({ fixture, proxy, session }) => {
      const client = session.client as SdkV2Client;
      const first = await client.listen({ toolsListChanged: true });
      proxy.cut();
      expect(await first.closed).toBe('remote');
      const second = await client.listen({ toolsListChanged: true });
      fixture.server.listChanged('tools');
      await session.inbox.next('notifications/tools/list_changed');
      await second.close();
    }));

  test('is told when the server ends its subscription', () =>
    throughProxy(stateless, async ({ fixture, session }) => {
      const client = session.client as SdkV2Client;
      const subscription = await client.listen({ toolsListChanged: true });
      await fixture.close();
      expect(await subscription.closed).toBe('graceful');
    }));

  test('does not notice a restart', async () => {
    const port = await lastingPort();
    const before = await listenAgain(() => serveFixtureHttp({ port }));
    const { url } = before;
    const session = await connectHost({ kind: 'http', url }, stateless);
    await before.close();
    const after = await listenAgain(() => serveFixtureHttp({ port }));
    try {
      const result = await afterRestart(() => session.call('greet', { name: 'Ada' }));
      expect(textOf(result)).toBe('Hello, Ada!');
    } finally {
      await session.close();
      await after.close();
    }
  });
});
