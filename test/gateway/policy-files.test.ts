import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createManager, loadConfig, watchConfig, type LoadOptions } from '@mcp-kit/host';
import { gateway, type Gateway } from '@mcp-kit/host/gateway';
import { createDeferred } from 'mcp-kit/internal';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inMemory, namesOf } from './memory.ts';
import { clientOf, use } from './opened.ts';

type Files = Readonly<Record<string, unknown>>;

const demo = { argv: ['demo'] };
const servers = { version: 1, servers: { demo } };
const denied = [{ decision: 'deny', tools: ['delete_*'] }];
const own = 'home/.config/mcp-kit/mcp.json';

async function folderWith(files: Files): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-policy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await write(folder, name, content);
  return folder;
}

/** Text as it is, anything else as JSON; whole at every moment. */
async function write(folder: string, name: string, content: unknown): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, typeof content === 'string' ? content : JSON.stringify(content));
  await rename(`${file}.new`, file);
}

/** A gateway for the files of a folder, with what was done through it, and by how many conversations. */
async function serve(folder: string, more: Partial<LoadOptions> = {}) {
  const options = { root: path.join(folder, 'work'), home: path.join(folder, 'home'), ...more };
  const done: string[] = [];
  const held = createDeferred<void>();
  const begun = createDeferred<void>();
  const run = (name: string) => tool({ name, description: name, run: () => void done.push(name) });
  const slow = tool({
    name: 'wait',
    description: 'Waits.',
    async run() {
      begun.resolve();
      await held.promise;
      return 'waited';
    },
  });
  let conversations = 0;
  const target = inMemory(() => {
    conversations += 1;
    const features = [toolSet([run('read_file'), run('delete_file'), slow])];
    return createServer({ name: 'demo', version: '1', features });
  }, 'demo');
  const config = await loadConfig(options);
  const manager = use(
    createManager({
      ...config,
      targets: { demo: target },
      trust: 'trusted',
      receipts: false,
      toolCache: false,
      root: options.root,
    }),
  );
  const service: Gateway = use(gateway(manager, { waitMs: 60_000 }));
  await service.settled();
  return {
    options,
    config,
    manager,
    service,
    done,
    held,
    begun,
    conversations: () => conversations,
  };
}

describe('a file that may have a policy, and cannot be read when a gateway begins', () => {
  const broken: readonly [string, Files, readonly string[] | undefined][] = [
    [
      'is cut off',
      { 'work/mcp.json': '{"version":1,"gateway":{"policy":[', [own]: servers },
      undefined,
    ],
    ['is that of the user', { [own]: '{', 'work/mcp.json': servers }, undefined],
    [
      'has a key twice',
      { 'work/mcp.json': '{"gateway":{"policy":[],"policy":[]}}', [own]: servers },
      undefined,
    ],
    ['is shared', { 'work/.mcp.json': '{"mcpServers":{},"gateway":', [own]: servers }, undefined],
    ['is named', { 'work/a.json': servers, 'work/b.json': '{' }, ['a.json', 'b.json']],
    [
      'has no list of rules',
      { 'work/mcp.json': { gateway: { policy: {} } }, [own]: servers },
      undefined,
    ],
    ['has no object', { 'work/mcp.json': { gateway: [] }, [own]: servers }, undefined],
    [
      'has a wrong rule',
      { 'work/mcp.json': { gateway: { policy: [{ decision: 'no' }] } }, [own]: servers },
      undefined,
    ],
    [
      'has another word for it',
      { 'work/mcp.json': { gateway: { polcy: denied } }, [own]: servers },
      undefined,
    ],
  ];
  test.each(broken)('lets nothing pass, and says so, where it %s', async (_, files, named) => {
    const { config, service, done } = await serve(await folderWith(files), { files: named });
    expect(config.errors).toMatchObject([{ code: 'invalid_config' }]);
    const session = await clientOf(service);
    expect(await namesOf(session)).toEqual([]);
    const { isError, content } = await session.callTool('demo__read_file');
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('the policy cannot be read');
    expect(done).toEqual([]);
  });

  test('is no matter where it cannot have one', async () => {
    const files = { 'work/.cursor/mcp.json': '{', [own]: servers };
    const { service, done } = await serve(await folderWith(files));
    const session = await clientOf(service);
    await session.callTool('demo__read_file');
    expect(done).toEqual(['read_file']);
  });
});

describe.each(['legacy', 'modern'] as const)('while a gateway runs, to a %s client', (era) => {
  test('another policy counts from the next call on, and disturbs nothing', async () => {
    const folder = await folderWith({ 'work/mcp.json': servers });
    const { options, manager, service, done, held, begun, conversations } = await serve(folder);
    const told: unknown[] = [];
    const { promise: taken, resolve: took } = createDeferred<void>();
    const watching = watchConfig(
      options,
      {
        async changed(config) {
          await manager.reload(config);
          took();
        },
        failed: (error) => told.push(error),
      },
      { everyMs: 10 },
    );
    onTestFinished(() => watching.close());
    await watching.ready;
    const session = await clientOf(service, { era });
    await session.callTool('demo__delete_file');
    const opened = conversations();
    const underWay = session.callTool('demo__wait');
    await begun.promise;
    await write(folder, 'work/mcp.json', { ...servers, gateway: { policy: denied } });
    await taken;
    const { isError } = await session.callTool('demo__delete_file');
    expect(isError).toBe(true);
    await session.callTool('demo__read_file');
    held.resolve();
    expect(await underWay).toMatchObject({ content: [{ text: 'waited' }] });
    expect(done).toEqual(['delete_file', 'read_file']);
    expect(conversations()).toBe(opened);
    expect(await namesOf(session)).toEqual(['demo__read_file', 'demo__wait']);
    expect(told).toEqual([]);
  });
});

test.each([
  ['is cut off', '{"version":1,"gateway":{'],
  ['is empty', ''],
  ['has a wrong rule', { ...servers, gateway: { policy: [{ decision: 'maybe' }] } }],
  ['has another word for it', { ...servers, gateway: { polcy: denied } }],
])('a policy that %s counts as it was, and that is said', async (_, content) => {
  const before = { ...servers, gateway: { policy: denied } };
  const folder = await folderWith({ 'work/mcp.json': before });
  const { options, manager, service, done } = await serve(folder);
  const { promise: failed, resolve } = createDeferred<Error>();
  const changed: unknown[] = [];
  const watching = watchConfig(
    options,
    {
      changed: async (config) => changed.push(await manager.reload(config)),
      failed: resolve,
    },
    { everyMs: 10 },
  );
  onTestFinished(() => watching.close());
  await watching.ready;
  const session = await clientOf(service);
  await write(folder, 'work/mcp.json', content);
  expect(await failed).toMatchObject({ code: 'invalid_config' });
  expect((await session.callTool('demo__delete_file')).isError).toBe(true);
  await session.callTool('demo__read_file');
  expect(done).toEqual(['read_file']);
  expect(changed).toEqual([]);
});
