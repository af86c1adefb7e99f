import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { createManager, loadConfig, type Manager } from '@mcp-kit/host';
import { gateway } from '@mcp-kit/host/gateway';
import { openSession } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { Mark } from '../faults/lib/marked-processes.ts';
import { root } from '../support/child-process.ts';
import { dead, inMemory, namesOf, silent, simple, toolsNamed } from './memory.ts';
import { clientOf, start, use } from './opened.ts';

const eras = ['legacy', 'modern'] as const;

describe.each(eras)('a %s client', (era) => {
  test('gets what is known although servers are dead or silent, and learns why', async () => {
    const service = start({ good: simple('good', 'one'), dead, silent: silent() }, { waitMs: 50 });
    const session = await clientOf(service, { era });
    expect(await namesOf(session)).toEqual(['good__one']);
    const result = await session.callTool('dead__anything');
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({
      text: expect.stringMatching(
        /^dead cannot be used now: .+ Tools of other servers are not concerned\.$/,
      ),
    });
    expect((await session.callTool('good__one')).content[0]).toMatchObject({ text: 'one' });
    const { servers } = service.status();
    expect(servers.map(({ name }) => name)).toEqual(['dead', 'good', 'silent']);
    expect(servers[0]?.reason).toContain('nobody is there');
    // Whoever comes now is told first.
    const later = await clientOf(service, { era });
    expect(later.instructions).toContain('- dead: ');
    expect(later.instructions).toContain('good');
  });

  test('is told when a slow server is there at last', async () => {
    let letIn: (() => void) | undefined;
    const wait = new Promise<void>((resolve) => (letIn = resolve));
    const good = simple('slow', 'late');
    const slow: Target = { ...good, dial: (signal) => wait.then(() => good.dial(signal)) };
    const service = start({ slow, quick: simple('quick', 'now') }, { waitMs: 20 });
    let told = 0;
    const session = await clientOf(service, {
      era,
      onNotification: ({ method }) => {
        if (method === 'notifications/tools/list_changed') told += 1;
      },
    });
    expect(await namesOf(session)).toEqual(['quick__now']);
    const before = told;
    letIn?.();
    await expect.poll(() => told).toBe(before + 1);
    expect(await namesOf(session)).toEqual(['quick__now', 'slow__late']);
  });

  test('sees the tools of a server change while others are served', async () => {
    const tools = toolsNamed('first');
    const changing = createServer({ name: 'changing', version: '1', features: [tools] });
    const service = start({
      changing: inMemory(changing, 'changing'),
      still: simple('still', 'x'),
    });
    let changes = 0;
    const session = await clientOf(service, {
      era,
      onNotification: ({ method }) => {
        if (method.endsWith('list_changed')) changes += 1;
      },
    });
    expect(await namesOf(session)).toEqual(['changing__first', 'still__x']);
    const before = changes;
    tools.add(tool({ name: 'second', description: 'second', run: () => 'second' }));
    await expect.poll(() => changes).toBe(before + 1);
    expect(await namesOf(session)).toEqual(['changing__first', 'changing__second', 'still__x']);
    expect((await session.callTool('changing__second')).content[0]).toMatchObject({
      text: 'second',
    });
    expect((await session.callTool('still__x')).content[0]).toMatchObject({ text: 'x' });
  });

  test('reaches the server it names, whatever others call theirs', async () => {
    const service = start({
      a: simple('a', 'x', 'b__x', '_x'),
      a__b: simple('shadow', 'x'),
      a_: simple('underscore', 'x'),
      'a b': simple('space', 'x'),
    });
    const session = await clientOf(service, { era });
    const names = await namesOf(session);
    expect(names).toHaveLength(6);
    expect(new Set(names).size).toBe(6);
    expect(service.status().refused).toEqual([]);
    for (const { name, description } of service.catalog().tools) {
      expect((await session.callTool(name)).content[0]).toMatchObject({ text: description });
    }
    expect(service.catalog().tool('a__b__x')).toEqual({ server: 'a', item: 'b__x' });
  });

  test('gets an error, and no other client does, when too much is under way at one server', async () => {
    let letGo: (() => void) | undefined;
    const waiting = new Promise<void>((resolve) => (letGo = resolve));
    const hold = tool({
      name: 'hold',
      description: 'Waits.',
      run: () => waiting.then(() => 'held'),
    });
    const busy = createServer({ name: 'busy', version: '1', features: [toolSet([hold])] });
    const service = start(
      { busy: inMemory(busy, 'busy'), free: simple('free', 'x') },
      { maxCalls: 2 },
    );
    const session = await clientOf(service, { era });
    const first = [session.callTool('busy__hold'), session.callTool('busy__hold')];
    await expect(session.callTool('busy__hold')).rejects.toThrow(/busy: 2 requests are under way/);
    expect((await session.callTool('free__x')).content[0]).toMatchObject({ text: 'x' });
    letGo?.();
    for (const call of first) expect((await call).content[0]).toMatchObject({ text: 'held' });
  });
});

test.each(eras)(
  'a server that is killed fails its own calls only, for a %s client',
  async (era) => {
    const mark = use(new Mark());
    const service = start({ sh: childTarget(shellServer(mark)), still: simple('still', 'x') });
    const session = await clientOf(service, { era });
    const pidOf = async (): Promise<number> => {
      const { content } = await session.callTool('sh__pid');
      const [block] = content;
      return Number(block !== undefined && 'text' in block ? block.text : 0);
    };
    const pid = await pidOf();
    expect(pid).toBeGreaterThan(0);
    const hanging = session.callTool('sh__hang');
    await session.callTool('sh__done');
    process.kill(pid, 'SIGKILL');
    const lost = await hanging;
    expect(lost).toMatchObject({
      isError: true,
      _meta: { 'mcp-kit/unavailable': { server: 'sh', mayHaveRun: true, retryable: true } },
    });
    expect((await session.callTool('still__x')).content[0]).toMatchObject({ text: 'x' });
    const next = await pidOf();
    expect(next).toBeGreaterThan(0);
    expect(next).not.toBe(pid);
    await service.close();
    expect(await mark.left()).toEqual([]);
  },
);

describe('the servers of a configuration', () => {
  const numbers = { command: process.execPath, args: [path.join(root, 'examples/first-tool.mjs')] };

  async function project(
    servers: object,
  ): Promise<{ folder: string; write(all: object): Promise<void> }> {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-gateway-'));
    use({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
    const write = (all: object): Promise<void> =>
      writeFile(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: all }));
    await write(servers);
    return { folder, write };
  }

  async function managerOf(folder: string): Promise<Manager> {
    const { entries } = await loadConfig({ root: folder });
    const receipts = path.join(folder, 'trust.json');
    const toolCache = path.join(folder, 'tools');
    return use(createManager({ entries, root: folder, receipts, toolCache, credentials: false }));
  }

  test('are served once their user has approved of them, and not before', async () => {
    const { folder } = await project({ numbers });
    const manager = await managerOf(folder);
    const service = use(gateway(manager));
    await service.settled();
    const [status] = service.status().servers;
    expect(status).toMatchObject({ name: 'numbers', state: 'refused', tools: 0 });
    expect(status?.next).toContain('trust approve');
    const session = await clientOf(service);
    const refused = await session.callTool('numbers__get_number_sum', { a: 1, b: 2 });
    expect(refused).toMatchObject({ isError: true });
    await manager.approve('numbers', { by: 'a test' });
    await expect.poll(() => service.catalog().tools.length).toBe(1);
    const result = await session.callTool('numbers__get_number_sum', { a: 1, b: 2 });
    expect(result.content[0]).toMatchObject({ text: '1 + 2 = 3' });
  });

  test('come and go with it, and those that stay are not disturbed', async () => {
    const { folder, write } = await project({ numbers });
    const manager = await managerOf(folder);
    await manager.approve('numbers', { by: 'a test' });
    const service = use(gateway(manager));
    const session = await clientOf(service, { era: 'legacy' });
    expect(await namesOf(session)).toEqual(['numbers__get_number_sum']);
    await session.callTool('numbers__get_number_sum', { a: 1, b: 2 });
    const { starts } = manager.status('numbers');
    const alone = service.server('numbers');
    await write({ numbers, spare: numbers });
    await manager.reload(await loadConfig({ root: folder }));
    await manager.approve('spare', { by: 'a test' });
    await expect.poll(() => service.catalog().tools.length).toBe(2);
    expect(manager.status('numbers').starts).toBe(starts);
    expect(service.server('numbers')).toBe(alone);
    expect(service.status().servers[0]?.conversations).toBe(1);
    await write({ numbers });
    await manager.reload(await loadConfig({ root: folder }));
    expect(await namesOf(session)).toEqual(['numbers__get_number_sum']);
    await expect(session.callTool('spare__get_number_sum')).rejects.toThrow(/Unknown tool/);
    await session.callTool('numbers__get_number_sum', { a: 1, b: 2 });
  });

  test('show the tools they had when they were last seen, before they are up', async () => {
    const { folder } = await project({ numbers });
    const first = await managerOf(folder);
    await first.approve('numbers', { by: 'a test' });
    await first.close();
    const { entries } = await loadConfig({ root: folder });
    const manager = use(
      createManager({
        entries,
        root: folder,
        receipts: path.join(folder, 'trust.json'),
        toolCache: path.join(folder, 'tools'),
        targets: { numbers: silent() },
      }),
    );
    const service = use(gateway(manager, { waitMs: 3_600_000 }));
    const session = await clientOf(service);
    expect(await namesOf(session)).toEqual(['numbers__get_number_sum']);
    expect(service.status().servers[0]).toMatchObject({ listing: 'cache', tools: 1 });
  });
});

test('what clients show to a gateway no server is shown', async () => {
  const seen: string[] = [];
  const back = use(
    await (async () => {
      const server = createServer({ name: 'back', version: '1', features: [toolsNamed('look')] });
      const listening = await serveHttp(server, {
        identify: (headers) => {
          seen.push(JSON.stringify(headers));
          return undefined;
        },
      });
      return { url: listening.url, [Symbol.asyncDispose]: () => listening.close() };
    })(),
  );
  const service = start({ back: httpTarget(back.url) });
  const front = await serveHttp(service, {
    identify: ({ authorization }) => String(authorization),
  });
  use({ [Symbol.asyncDispose]: () => front.close() });
  const secret = fc.stringMatching(/^secret-[a-z0-9]{20}$/);
  const header = fc.constantFrom(
    'authorization',
    'cookie',
    'x-api-key',
    'proxy-authorization',
    'x-forwarded-for',
    'x-anything',
  );
  await fc.assert(
    fc.asyncProperty(header, secret, fc.constantFrom(...eras), async (name, value, era) => {
      const target = httpTarget(front.url, { headers: { [name]: value } });
      const session = await openSession(target, { era });
      expect((await session.callTool('back__look')).content[0]).toMatchObject({ text: 'look' });
      await session.close();
      expect(seen.some((headers) => headers.includes(value))).toBe(false);
    }),
    { numRuns: 12 },
  );
  expect(seen.length).toBeGreaterThan(12);
});
