import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import type { GatewaySettings, ShownServers } from '@mcp-kit/host';
import { openSession, type Session } from 'mcp-kit/client';
import type { Service, Target } from 'mcp-kit/protocol';
import { createServer, prompts, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { inMemory, namesOf, silent, simple } from './memory.ts';

const eras = ['legacy', 'modern'] as const;

const servers: ShownServers = {
  docs: {
    description: 'Pages of the handbook.',
    tools: {
      get_page: { name: 'read', description: 'Reads a page of the handbook.' },
      'delete_*': { hidden: true },
      delete_draft: { description: 'Throws a draft away.' },
    },
    prompts: { greet: { name: 'hello' }, secret: { hidden: true } },
    resources: { 'a:secret*': { hidden: true } },
  },
  mail: { hidden: true },
};

function docs(): Target {
  const tools = ['get_page', 'delete_page', 'delete_draft'].map((name) =>
    tool({ name, description: `It does ${name}.`, run: () => name }),
  );
  const said = (name: string) => ({
    name,
    get: () => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: name } }],
    }),
  });
  const text = (uri: string) => ({ uri, name: uri, read: () => uri });
  const server = createServer({
    name: 'docs',
    version: '1',
    instructions: 'Own words.',
    features: [
      toolSet(tools),
      prompts([said('greet'), said('secret')]),
      resources({ resources: [text('a:open'), text('a:secret1')] }),
    ],
  });
  return inMemory(server, 'docs');
}

const open = (service: Service | undefined, era: 'legacy' | 'modern'): Promise<Session> =>
  openSession(
    inMemory(service ?? createServer({ name: 'none', version: '1', features: [] }), 'shown'),
    {
      era,
      probeTimeoutMs: 60_000,
    },
  );

const start = (
  settings: GatewaySettings = { servers },
  targets?: Record<string, Target>,
): Gateway =>
  gateway(targets ?? { docs: docs(), mail: simple('mail', 'send') }, { settings, waitMs: 60_000 });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe.each(eras)('a %s client', (era) => {
  test.each(['all', 'one'])(
    'sees and reaches things as the file says, at the address of %s',
    async (at) => {
      await using service = start();
      await service.settled();
      const prefix = at === 'all' ? 'docs__' : '';
      await using session = await open(at === 'all' ? service : service.server('docs'), era);
      const tools = await all(session.tools());
      const shown = tools.map(({ name, description }) => `${name}: ${description}`);
      expect(shown.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
        `${prefix}delete_draft: Throws a draft away.`,
        `${prefix}read: Reads a page of the handbook.`,
      ]);
      const { content } = await session.callTool(`${prefix}read`);
      expect(content).toMatchObject([{ text: 'get_page' }]);
      for (const name of ['get_page', 'delete_page', 'docs__delete_page']) {
        await expect(session.callTool(prefix + name)).rejects.toThrow(/unknown tool/i);
      }
      expect((await all(session.prompts())).map(({ name }) => name)).toEqual([`${prefix}hello`]);
      const { messages } = await session.getPrompt(`${prefix}hello`);
      expect(messages).toMatchObject([{ content: { text: 'greet' } }]);
      for (const name of ['greet', 'secret']) {
        await expect(session.getPrompt(prefix + name)).rejects.toThrow(/unknown prompt/i);
      }
      expect((await all(session.resources())).map(({ uri }) => uri)).toEqual(['a:open']);
      expect((await session.readResource('a:open')).contents).toMatchObject([{ text: 'a:open' }]);
      await expect(session.readResource('a:secret1')).rejects.toThrow(/not found/i);
      expect(session.instructions).toContain('Pages of the handbook.');
      expect(session.instructions).not.toContain('Own words.');
    },
  );

  test('cannot get around it by the name of a server that has not said what it has', async () => {
    await using service = start({ servers }, { docs: silent(), mail: silent() });
    await using session = await open(service, era);
    for (const name of ['docs__get_page', 'docs__delete_page', 'mail__send']) {
      await expect(session.callTool(name)).rejects.toThrow(/Unknown tool/);
    }
    await expect(session.readResource('mcp-kit:docs/a:secret1')).rejects.toThrow(/not found/i);
  });
});

test('a hidden server is not served at all, and hidden things are not counted', async () => {
  await using service = start();
  await service.settled();
  expect(service.server('mail')).toBeUndefined();
  expect(service.status().servers).toMatchObject([
    { name: 'docs', tools: 2, prompts: 1, resources: 1 },
  ]);
});

test('a new name that the server has for something else is refused, and the rest is not', async () => {
  const renamed = { docs: { tools: { one: { name: 'two' } } } };
  await using service = start({ servers: renamed }, { docs: simple('docs', 'one', 'two') });
  await using session = await open(service, 'modern');
  expect(await namesOf(session)).toEqual(['docs__two']);
  expect((await session.callTool('docs__two')).content).toMatchObject([{ text: 'two' }]);
  expect(service.status().refused).toEqual([{ kind: 'tool', server: 'docs', item: 'one' }]);
});

test('two things may change their names, and names stay short enough for every provider', async () => {
  const long = 'x'.repeat(48);
  const tools = { one: { name: 'two' }, two: { name: 'one' }, three: { name: long } };
  const server = 'a-server-with-a-long-name';
  await using service = start(
    { servers: { [server]: { tools } } },
    { [server]: simple(server, 'one', 'two', 'three') },
  );
  await using session = await open(service, 'modern');
  const names = await namesOf(session);
  expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(names).toHaveLength(3);
  expect((await session.callTool(`${server}__one`)).content).toMatchObject([{ text: 'two' }]);
  const other = names.find((name) => name.includes('xxx')) ?? '';
  expect(service.catalog().tool(other)).toEqual({ server, item: 'three' });
  expect((await session.callTool(other)).content).toMatchObject([{ text: 'three' }]);
});
