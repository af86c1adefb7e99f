import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { discovered, failure, newer, older, open, script, type Script } from './client-script.ts';

const elicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
const question = {
  resultType: 'input_required',
  inputRequests: {
    who: {
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
    },
  },
};

/** A server whose every answer may be kept like this, and tells how often it was asked. */
function caching(hints: object): Script {
  let asked = 0;
  const complete = (fields: object): object => ({ resultType: 'complete', ...hints, ...fields });
  return script({
    ...newer,
    'server/discover': () => discovered(['2026-07-28'], hints),
    'tools/list': () => complete({ tools: [], nextCursor: String(++asked) }),
    'prompts/list': () => complete({ prompts: [] }),
    'resources/list': () => complete({ resources: [] }),
    'resources/templates/list': () => complete({ resourceTemplates: [] }),
    'resources/read': ({ uri, inputResponses }) =>
      uri === 'x:ask' && inputResponses === undefined ? question : complete({ contents: [] }),
  });
}

const often = (server: Script, method: string): number =>
  server.heard.filter((heard) => heard === method).length;

describe('an answer', () => {
  test('is used again for as long as it says', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = caching({ ttlMs: 40, cacheScope: 'private' });
    await using session = await open(server);
    const first = await session.listTools();
    expect(await session.listTools()).toEqual(first);
    expect(often(server, 'tools/list')).toBe(1);
    await session.listTools({ cursor: 'other' });
    expect(often(server, 'tools/list')).toBe(2);
    vi.advanceTimersByTime(40);
    await session.listTools();
    expect(often(server, 'tools/list')).toBe(3);
  });

  test('that somebody has changed is whole for the next', async () => {
    const made = () => [{ uri: 'x:a', name: 'a', annotations: { audience: ['user'] } }];
    const server = script({
      ...newer,
      'resources/list': () => ({ resultType: 'complete', ttlMs: 60_000, resources: made() }),
    });
    await using session = await open(server);
    for (let round = 0; round < 3; round += 1) {
      const { resources } = await session.listResources();
      expect(resources).toEqual(made());
      const audience: unknown = resources[0]?.annotations?.audience;
      if (Array.isArray(audience)) audience.push('everybody');
    }
    expect(often(server, 'resources/list')).toBe(1);
  });

  test.each([{}, { ttlMs: 0 }, { ttlMs: -1 }, { ttlMs: '1000' }])(
    'with %o is not kept',
    async (hints) => {
      const server = caching(hints);
      await using session = await open(server);
      await session.listTools();
      await session.listTools();
      expect(often(server, 'tools/list')).toBe(2);
    },
  );

  test('makes room for newer ones: what is kept is bounded in size as well as in number', async () => {
    const page = 'x'.repeat(4 * 1024 * 1024);
    const server = script({
      ...newer,
      'resources/read': ({ uri }) => ({
        resultType: 'complete',
        ttlMs: 60_000,
        contents: [{ uri, text: uri === 'x:huge' ? page.repeat(9) : page }],
      }),
    });
    await using session = await open(server);
    const read = async (...names: string[]): Promise<number> => {
      const before = often(server, 'resources/read');
      for (const name of names) await session.readResource(`x:${name}`);
      return often(server, 'resources/read') - before;
    };
    expect(await read('1', '2', '3', '4', '5', '6', '7')).toBe(7);
    expect(await read('1', '7')).toBe(0);
    expect(await read('8', '1')).toBe(2);
    expect(await read('huge', 'huge')).toBe(2);
  });

  test('of a legacy server is not kept, whatever it says', async () => {
    const server = script({ ...older, 'tools/list': () => ({ tools: [], ttlMs: 60_000 }) });
    await using session = await open(server);
    await session.listTools();
    await session.listTools();
    expect(often(server, 'tools/list')).toBe(2);
  });

  test('that took questions back is not kept', async () => {
    const server = caching({ ttlMs: 60_000 });
    await using session = await open(server, { inputs: { elicit } });
    await session.readResource('x:ask');
    await session.readResource('x:ask');
    expect(often(server, 'resources/read')).toBe(4);
  });

  test('is not used once the session is closed', async () => {
    const server = caching({ ttlMs: 60_000, cacheScope: 'public' });
    const session = await open(server);
    await session.listTools();
    await session.close();
    expect(await failure(session.listTools())).toMatchObject({ code: 'closed' });
  });

  test('that was overtaken by a change is not kept', async () => {
    const server = script({
      ...newer,
      'tools/list': (_params, { peer }) => {
        if (peer.of('tools/list').length === 1) peer.notify('notifications/tools/list_changed');
        return { resultType: 'complete', tools: [], ttlMs: 60_000 };
      },
    });
    await using session = await open(server);
    for (let times = 0; times < 3; times += 1) await session.listTools();
    expect(often(server, 'tools/list')).toBe(2);
  });

  test('is no answer to ping', async () => {
    const server = caching({ ttlMs: 60_000 });
    await using session = await open(server);
    await session.discover();
    await session.ping();
    await session.ping();
    expect(often(server, 'server/discover')).toBe(4);
  });
});

describe('a notification', () => {
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  test.each([
    ['notifications/tools/list_changed', {}, ['tools/list']],
    ['notifications/prompts/list_changed', {}, ['prompts/list']],
    [
      'notifications/resources/list_changed',
      {},
      ['resources/list', 'resources/templates/list', 'x:1', 'x:2'],
    ],
    ['notifications/resources/updated', { uri: 'x:1' }, ['x:1']],
    ['notifications/other', {}, []],
  ])('%s makes exactly what it is about be asked for again', async (method, params, stale) => {
    const server = caching({ ttlMs: 60_000, cacheScope: 'public' });
    await using session = await open(server);
    const askAll = async (): Promise<unknown[]> => {
      const before = server.peer.received.length;
      for (const list of lists) await session.request(list);
      for (const uri of ['x:1', 'x:2']) await session.readResource(uri);
      return server.peer.received
        .slice(before)
        .map((message) => message.params?.['uri'] ?? message.method);
    };
    await askAll();
    expect(await askAll()).toEqual([]);
    server.peer.notify(method, params);
    expect(new Set(await askAll())).toEqual(new Set(stale));
  });
});
