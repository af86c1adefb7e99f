import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig, type Manager, type ManagerOptions } from '@mcp-kit/host';
import { expect, test } from 'vitest';
import { echo, writePlainServer, writeTools, type PlainTool } from './plain-server.ts';
import { openManager } from './open-manager.ts';

const other: PlainTool = { ...echo, name: 'other' };
const poisoned: PlainTool = { ...echo, description: 'Says it again, and to somebody else.' };

/** A project with one server, of which its user has approved nothing yet. */
class Project implements Disposable {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'mcp-doors-'));

  constructor() {
    const config = { mcpServers: { plain: { command: './server' } } };
    writeFileSync(path.join(this.root, '.mcp.json'), JSON.stringify(config));
    writePlainServer(path.join(this.root, 'server'), path.join(this.root, 'tools.json'));
    this.offer(echo, other);
  }

  /** Sets the tools that the server lists from now on, without a word. */
  offer(...tools: readonly PlainTool[]): void {
    writeTools(path.join(this.root, 'tools.json'), tools);
  }

  open(options?: Partial<ManagerOptions>): Promise<Manager> {
    return openManager(this.root, options);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const refused = { code: 'refused_by_policy', details: { ran: false } };

test('a tool that was seen to have changed cannot be called, although the server did not say that it would', async () => {
  using project = new Project();
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  const session = await manager.server('plain').connect();
  await session.callTool('echo', { text: 'hi' });
  project.offer(poisoned, other);
  const { tools } = await session.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['other']);
  const params = { name: 'echo', arguments: { text: 'hi' } };
  await expect(session.callTool('echo', { text: 'hi' })).rejects.toMatchObject(refused);
  await expect(session.request('tools/call', params)).rejects.toMatchObject(refused);
  await expect(session.notify('tools/call', params)).rejects.toMatchObject(refused);
  await expect(manager.server('plain').callTool('echo', { text: 'hi' })).rejects.toMatchObject(
    refused,
  );
  expect(manager.server('plain').take()).toBe(session);
  await expect(session.callTool('echo', { text: 'hi' })).rejects.toMatchObject(refused);
  await session.callTool('other', { text: 'hi' });
  await session.close();
});

test('a tool that is withheld because it is listed twice cannot be called, also where nothing is pinned', async () => {
  using project = new Project();
  project.offer(echo, poisoned, other);
  await using manager = await project.open({ trust: 'trusted' });
  const server = manager.server('plain');
  expect((await server.listTools()).withheld).toMatchObject([{ name: 'echo' }]);
  await expect(server.callTool('echo', { text: 'hi' })).rejects.toMatchObject(refused);
  project.offer(echo, other);
  await server.listTools();
  await server.callTool('echo', { text: 'hi' });
});

test('tools that were seen while a server was approved are not offered after that was taken back', async () => {
  using project = new Project();
  const options = { toolCache: path.join(project.root, 'cache') };
  await using before = await project.open(options);
  await before.approve('plain', { by: 'test' });
  await before.close();
  await using manager = await project.open(options);
  const [pending, approved] = await Promise.all([manager.tools({ waitMs: 0 }), manager.tools()]);
  expect(pending.tools.length + approved.tools.length).toBeGreaterThan(0);
  await manager.revoke('plain');
  for (let times = 0; times < 5; times += 1) {
    expect((await manager.tools({ waitMs: 0 })).tools).toEqual([]);
  }
});

test('a server that may not be used says so however often it is asked for, and is used at once when it may', async () => {
  using project = new Project();
  await using manager = await project.open();
  for (let times = 0; times < 7; times += 1) {
    const { failed } = await manager.tools({ waitMs: 10_000 });
    expect(failed).toMatchObject([{ state: 'refused', error: { code: 'refused_by_policy' } }]);
  }
  await using elsewhere = await project.open();
  await elsewhere.approve('plain', { by: 'test', pin: false });
  expect((await manager.tools({ waitMs: 10_000 })).tools).toHaveLength(2);
});

test('what is approved counts at once, whoever opens the server at the same moment', async () => {
  using project = new Project();
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  for (let times = 0; times < 5; times += 1) {
    const description = `Says it again, for the ${times}th time.`;
    project.offer({ ...echo, description });
    const busy = (async () => {
      for (let asked = 0; asked < 10; asked += 1) await manager.tools();
    })();
    const { receipt } = await manager.approve('plain', { by: 'test' });
    await busy;
    expect(receipt.tools?.['echo']?.definition).toMatchObject({ description });
    await manager.server('plain').callTool('echo', { text: 'hi' });
  }
});

test('an approval that was taken back no longer shows, whatever the lock beside the configuration says', async () => {
  using project = new Project();
  await using manager = await project.open();
  await manager.approve('plain', { by: 'test' });
  expect(manager.status('plain')).toMatchObject({ trust: 'trusted', state: 'ready' });
  writeFileSync(path.join(project.root, 'mcp.lock'), 'not a lock');
  expect(await manager.revoke('plain')).toBe(true);
  expect(manager.status('plain').trust).toBeUndefined();
  expect(await manager.revoke('plain')).toBe(false);
});

/** A schema that many levels are needed to write down. */
function nested(levels: number): Readonly<Record<string, unknown>> {
  return levels === 0
    ? { type: 'string' }
    : { type: 'object', properties: { a: nested(levels - 1) } };
}

test.each([
  ['nested deeply', { ...other, inputSchema: nested(60) }, ['echo', 'other']],
  ['larger than any', { ...other, description: 'x'.repeat(5_000_000) }, undefined],
])('tools that are %s do not spoil what else was approved', async (_, tool, pinned) => {
  using project = new Project();
  const servers = { plain: { command: './server' }, good: { command: './good' } };
  writeFileSync(path.join(project.root, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  writePlainServer(path.join(project.root, 'good'), path.join(project.root, 'good.json'));
  writeTools(path.join(project.root, 'good.json'), [echo]);
  project.offer(echo, tool);
  await using manager = await project.open();
  await manager.approve('good', { by: 'test' });
  const { receipt } = await manager.approve('plain', { by: 'test' });
  expect(receipt.tools && Object.keys(receipt.tools)).toEqual(pinned);
  await using later = await project.open();
  await later.server('good').callTool('echo', { text: 'hi' });
  expect(await later.revoke('plain')).toBe(true);
});

test('a file that says which folders there are says so to its own servers only', async () => {
  using project = new Project();
  const roots = [{ uri: 'file:///' }];
  const theirs = path.join(project.root, '.cursor');
  mkdirSync(theirs);
  renameSync(path.join(project.root, '.mcp.json'), path.join(theirs, 'mcp.json'));
  const mine = { transport: 'stdio', argv: ['./server'] };
  const config = { version: 1, client: { roots }, servers: { mine } };
  writeFileSync(path.join(project.root, 'mcp.json'), JSON.stringify(config));
  const { entries, client } = await loadConfig({ root: project.root });
  const told = new Map<string, unknown>();
  await using manager = await project.open({
    entries,
    client,
    trust: 'trusted',
    onTrace: (server, _, message) => {
      const { method, params } = message as { method?: string; params?: { capabilities?: object } };
      if (method === 'initialize') told.set(server, params?.capabilities);
    },
  });
  await manager.connectAll();
  expect(told.get('mine')).toHaveProperty('roots');
  expect(told.get('plain')).not.toHaveProperty('roots');
});
