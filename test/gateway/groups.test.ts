import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import type { Service, Target } from 'mcp-kit/protocol';
import { createServer, resources } from 'mcp-kit/server';
import { toolSet, tool } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { inMemory, namesOf, silent, simple } from './memory.ts';

const eras = ['legacy', 'modern'] as const;
const groups = {
  reading: { servers: ['docs', 'code'], tools: ['*__get_*', 'code__list'] },
  docs_only: { servers: ['docs'] },
  getters: { tools: ['*__get_*'] },
};

const open = (service: Service | undefined, era?: 'legacy' | 'modern'): Promise<Session> => {
  if (service === undefined) throw new Error('there is no such group');
  return openSession(inMemory(service, 'group'), { era, probeTimeoutMs: 60_000 });
};

/** Counts how often it is dialled. */
function counted(target: Target): Target & { dials: number } {
  const one = {
    ...target,
    dials: 0,
    dial: (...args: Parameters<Target['dial']>) => {
      one.dials += 1;
      return target.dial(...args);
    },
  };
  return one;
}

const threeServers = (): Record<string, Target> => ({
  docs: simple('docs', 'get_page', 'put_page'),
  code: simple('code', 'list', 'get_file', 'write_file'),
  mail: simple('mail', 'get_mail'),
});

const all = (targets = threeServers()): Gateway =>
  gateway(targets, { settings: { groups }, waitMs: 60_000 });

describe.each(eras)('a group, for a %s client', (era) => {
  test('has its servers and those tools of them, under the names that they have among all', async () => {
    await using service = all();
    await using session = await open(service.group('reading'), era);
    expect(await namesOf(session)).toEqual(['code__get_file', 'code__list', 'docs__get_page']);
    const { content } = await session.callTool('code__list');
    expect(content).toMatchObject([{ text: 'list' }]);
    await using getters = await open(service.group('getters'), era);
    expect(await namesOf(getters)).toEqual(['code__get_file', 'docs__get_page', 'mail__get_mail']);
    await using whole = await open(service, era);
    expect(await namesOf(whole)).toHaveLength(6);
  });

  test('lets nobody call what it does not have', async () => {
    await using service = all();
    await using session = await open(service.group('reading'), era);
    for (const name of ['code__write_file', 'mail__get_mail', 'docs__put_page', 'put_page']) {
      await expect(session.callTool(name)).rejects.toThrow(/Unknown tool/);
    }
    expect(session.instructions).not.toContain('mail');
  });

  test('lets nobody guess the tools of a server that has not said what it has', async () => {
    await using service = gateway(
      { docs: silent(), code: silent() },
      { settings: { groups: { some: { servers: ['docs'], tools: ['docs__get_*'] } } }, waitMs: 20 },
    );
    await using session = await open(service.group('some'), era);
    for (const name of ['docs__put_page', 'code__get_file']) {
      await expect(session.callTool(name)).rejects.toThrow(/Unknown tool/);
    }
  });
});

test('there is no group that is not configured', async () => {
  await using service = all();
  for (const name of ['nobody', 'docs', 'constructor', '__proto__']) {
    expect(service.group(name)).toBeUndefined();
  }
});

test('groups share the resources of their servers, and keep those of others out', async () => {
  const withResource = (uri: string): Target => {
    const contents = { uri, text: uri };
    const feature = resources({ resources: [{ uri, name: uri, read: () => [contents] }] });
    return inMemory(createServer({ name: uri, version: '1', features: [feature] }), uri);
  };
  await using service = gateway(
    { one: withResource('a:same'), two: withResource('a:same'), three: withResource('a:other') },
    { settings: { groups: { some: { servers: ['one'] } } }, waitMs: 60_000 },
  );
  await using session = await open(service.group('some'));
  const uris: string[] = [];
  for await (const { uri } of session.resources()) uris.push(uri);
  expect(uris).toEqual(['mcp-kit:one/a:same']);
  // Among the servers of the group it is clear whose it is.
  for (const uri of ['a:same', 'mcp-kit:one/a:same']) {
    expect((await session.readResource(uri)).contents).toMatchObject([{ text: 'a:same' }]);
  }
  for (const uri of ['a:other', 'mcp-kit:two/a:same', 'mcp-kit:three/a:other']) {
    await expect(session.readResource(uri)).rejects.toThrow(/not found/i);
  }
});

test('one conversation with a server lists it for all groups', async () => {
  const docs = counted(simple('docs', 'get_page'));
  const seven = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`g${at}`, {}]));
  await using service = gateway({ docs }, { settings: { groups: seven }, waitMs: 60_000 });
  await service.settled();
  const before = docs.dials;
  for (const name of Object.keys(seven)) {
    await using session = await open(service.group(name), 'modern');
    expect(await namesOf(session)).toEqual(['docs__get_page']);
  }
  expect(docs.dials).toBe(before);
});

test('a change of a server is told once in each group that has it, and in no other', async () => {
  const tools = toolSet([tool({ name: 'get_one', description: 'One.', run: () => '1' })]);
  const changing = createServer({ name: 'docs', version: '1', features: [tools] });
  await using service = all({ ...threeServers(), docs: inMemory(changing, 'docs') });
  await service.settled();
  const told = new Map<string, number>();
  const listening = async (name: string): Promise<Session> => {
    const target = inMemory(service.group(name) ?? service, name);
    return openSession(target, {
      era: 'legacy',
      onNotification({ method }) {
        if (method.endsWith('tools/list_changed')) told.set(name, (told.get(name) ?? 0) + 1);
      },
    });
  };
  await using reading = await listening('reading');
  await using docsOnly = await listening('docs_only');
  expect(await namesOf(docsOnly)).toEqual(['docs__get_one']);
  tools.add(tool({ name: 'put_two', description: 'Two.', run: () => '2' }));
  await expect.poll(() => told.get('docs_only')).toBe(1);
  // Its globs keep the new tool out, so that nothing has changed there.
  expect(await namesOf(reading)).not.toContain('docs__put_two');
  expect(Object.fromEntries(told)).toEqual({ docs_only: 1 });
});

test('a gateway of one group opens no other server', async () => {
  const targets = { docs: counted(simple('docs', 'get_page')), mail: counted(simple('mail', 'x')) };
  await using service = gateway(targets, { settings: { groups }, group: 'docs_only' });
  await using session = await open(service);
  expect(await namesOf(session)).toEqual(['docs__get_page']);
  expect(targets.mail.dials).toBe(0);
  expect(service.status().servers.map(({ name }) => name)).toEqual(['docs']);
  expect([service.server('mail'), service.group('getters')]).toEqual([undefined, undefined]);
});
