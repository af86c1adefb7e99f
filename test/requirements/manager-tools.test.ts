import { createDeferred } from 'mcp-kit/internal';
import { createManager, type Manager, type ManagerOptions } from '@mcp-kit/host';
import { describe, expect, test } from 'vitest';
import { failure, newer, older, script, settle, text, type Serve } from './client-script.ts';

const tool = (name: string, description = ''): object => ({
  name,
  description,
  inputSchema: { type: 'object' },
});

function manage(options: Partial<ManagerOptions> = {}): Manager {
  return createManager({
    entries: [],
    trust: 'trusted',
    toolCache: false,
    receipts: false,
    ...options,
  });
}

const lists = (list: Serve): Readonly<Record<string, Serve>> => ({
  ...older,
  'tools/list': list,
  'tools/call': ({ name }) => text(String(name)),
});

describe('the tools of all servers', () => {
  test('are asked for once while they are not there, however often somebody wants them', async () => {
    const gate = createDeferred<void>();
    const slow = script(
      lists(async () => {
        await gate.promise;
        return { tools: [tool('a')] };
      }),
    );
    await using manager = manage({ era: 'legacy' });
    await manager.attach('slow', await slow.target.dial());
    for (let at = 0; at < 5; at += 1) {
      expect(await manager.tools({ waitMs: 1 })).toEqual({
        tools: [],
        pending: ['slow'],
        failed: [],
        withheld: [],
      });
    }
    gate.resolve();
    expect((await manager.tools()).tools).toMatchObject([{ server: 'slow', from: 'live' }]);
    expect(slow.peer.of('tools/list')).toHaveLength(1);
    await manager.tools();
    expect(slow.peer.of('tools/list')).toHaveLength(2);
  });

  test('come page by page, and sorted', async () => {
    const pages = new Map<unknown, object>([
      [undefined, { tools: [tool('c'), tool('a')], nextCursor: '2' }],
      ['2', { tools: [tool('b')] }],
    ]);
    const server = script(lists(({ cursor }) => pages.get(cursor)));
    await using manager = manage({ era: 'legacy' });
    await manager.attach('it', await server.target.dial());
    const { tools } = await manager.tools();
    expect(tools.map((one) => one.tool.name)).toEqual(['a', 'b', 'c']);
  });

  test('that are listed twice in two versions are withheld, also from those who call them', async () => {
    const server = script(
      lists(({ cursor }) =>
        cursor === undefined
          ? { tools: [tool('a', 'one'), tool('b')], nextCursor: '2' }
          : { tools: [tool('a', 'another')] },
      ),
    );
    await using manager = manage({ era: 'legacy' });
    const session = await manager.attach('it', await server.target.dial());
    const { tools, withheld } = await manager.tools();
    expect(tools.map((one) => one.tool.name)).toEqual(['b']);
    expect(withheld).toMatchObject([{ server: 'it', name: 'a', reason: 'ambiguous' }]);
    const page = await session.listTools();
    expect(page.tools.map(({ name }) => name)).toEqual(['b']);
  });

  test.each(['older', 'newer'] as const)(
    'are those that a server has, as soon as it says that they changed, in the %s era',
    async (era) => {
      let names = ['a'];
      const server = script({
        ...(era === 'older' ? older : newer),
        'tools/list': () => ({ tools: names.map((name) => tool(name)), resultType: 'complete' }),
      });
      const heard: string[] = [];
      await using manager = manage({
        onNotification: (_, { method }) => void heard.push(method),
      });
      await manager.attach('it', await server.target.dial());
      const shown = async (): Promise<readonly string[]> =>
        (await manager.tools({ waitMs: 5000 })).tools.map((one) => one.tool.name);
      expect(await shown()).toEqual(['a']);
      await settle();
      names = ['a', 'b'];
      server.peer.notify('notifications/tools/list_changed');
      await settle();
      expect(heard).toEqual(['notifications/tools/list_changed']);
      expect(await shown()).toEqual(['a', 'b']);
    },
  );

  test.each([
    ['promises to say when they change is asked again once it has', true, 2],
    ['promises nothing is asked each time', false, 3],
  ])('are known by the last list: a server that %s', async (_, listChanged, asked) => {
    let names = ['a'];
    const server = script({
      ...lists(() => ({ tools: names.map((name) => tool(name)) })),
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged } },
        serverInfo: { name: 'it', version: '1' },
      }),
    });
    await using manager = manage({ era: 'legacy' });
    await manager.attach('it', await server.target.dial());
    const known = async (): Promise<readonly string[]> =>
      (await manager.server('it').knownTools()).tools.map(({ name }) => name);
    expect([await known(), await known()]).toEqual([['a'], ['a']]);
    names = ['a', 'b'];
    server.peer.notify('notifications/tools/list_changed');
    await settle();
    expect(await known()).toEqual(['a', 'b']);
    expect(server.peer.of('tools/list')).toHaveLength(asked);
  });

  test('of a server that fails are its failure, and the others are there', async () => {
    const [bad, good] = [script(older), script(lists(() => ({ tools: [tool('a')] })))];
    await using manager = manage({ era: 'legacy' });
    await manager.attach('bad', await bad.target.dial());
    await manager.attach('good', await good.target.dial());
    bad.peer.hangUp();
    await settle();
    const { tools, failed } = await manager.tools();
    expect(tools.map(({ server }) => server)).toEqual(['good']);
    expect(failed).toMatchObject([{ name: 'bad', state: 'stopped', error: { code: 'closed' } }]);
  });

  test('are not waited for by whoever has given up; many may use one signal', async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown): void => void warnings.push(warning);
    process.on('warning', warn);
    try {
      const hangs = script(lists(() => undefined));
      await using manager = manage({ era: 'legacy' });
      await manager.attach('it', await hangs.target.dial());
      const giveUp = new AbortController();
      const { signal } = giveUp;
      const waiting = Array.from({ length: 20 }, () => manager.tools({ waitMs: 60_000, signal }));
      const failures = waiting.map((one) => failure(one));
      giveUp.abort();
      for (const one of await Promise.all(failures)) expect(one).toMatchObject({ code: 'aborted' });
      await settle();
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', warn);
    }
  });
});

test('two servers of one name are a mistake of whoever names them', async () => {
  const { adHocEntry } = await import('@mcp-kit/host');
  const twice = [adHocEntry({ command: 'a' }), adHocEntry({ command: 'b' })];
  expect(() => manage({ entries: twice })).toThrow('two servers are called server');
  await using manager = manage();
  await expect(manager.reload({ entries: twice })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});
