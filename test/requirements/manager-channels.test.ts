import { PassThrough } from 'node:stream';
import { adHocEntry, createManager, type ManagerOptions, type Manager } from '@mcp-kit/host';
import { memoryPair, serveChannel, StreamChannel } from 'mcp-kit/transport';
import { describe, expect, test } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { older, script, settle } from './client-script.ts';
import { temporaryFolder } from './config-fixture.ts';
import { echoService, manageV1, nodeServer } from './manager-fixture.ts';

function manage(options: Partial<ManagerOptions> = {}): Manager {
  return createManager({ entries: [], toolCache: false, receipts: false, ...options });
}

/** Two streams with a server at their other end. */
function pipes(): { readonly readable: PassThrough; readonly writable: PassThrough } {
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  serveChannel(echoService(), new StreamChannel(writable, readable));
  return { readable, writable };
}

describe('a channel of one’s own', () => {
  test('can be two streams', async () => {
    await using manager = manage({ trust: 'trusted' });
    const session = await manager.attach('mine', pipes());
    expect(textOf(await session.callTool('echo', { said: 'hi' }))).toBe('hi');
    expect(textOf(await manager.server('mine').callTool('echo', { said: 'ho' }))).toBe('ho');
    expect(manager.connectedServerNames).toEqual(['mine']);
    expect(manager.initializeResult('mine')?.serverInfo).toEqual({ name: 'echo', version: '2' });
    expect((await manager.tools()).tools.map(({ tool }) => tool.name)).toEqual(['echo']);
  });

  test('can be anything that carries messages', async () => {
    await using manager = manage({ trust: 'trusted' });
    const [near, far] = memoryPair();
    serveChannel(echoService(), far);
    const session = await manager.attach('mine', near);
    expect(textOf(await session.callTool('echo', { said: 'hi' }))).toBe('hi');
    await manager.disconnect('mine');
    expect(session.isOpen).toBe(false);
  });

  test('keeps to what is written down about the tools of the server that it is for', async () => {
    const entry = { ...adHocEntry({ command: 'x' }, 'mine'), tools: { deny: ['ec*'] } };
    await using manager = manage({ entries: [entry], trust: 'trusted' });
    const session = await manager.attach('mine', pipes());
    await expect(session.callTool('echo', { said: 'hi' })).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
    expect(await manager.server('mine').listTools()).toMatchObject({ tools: [], denied: ['echo'] });
  });

  test('is refused in untrusted mode, unless the caller says that it was not checked', async () => {
    await using manager = manage();
    const io = manager.attach('mine', pipes());
    await expect(io).rejects.toMatchObject({
      code: 'refused_by_policy',
      message: 'refusing to attach custom IO in untrusted mode: mine',
    });
    const server = script(older);
    const rpc = manager.attach('mine', await server.target.dial());
    await expect(rpc).rejects.toMatchObject({
      message: 'refusing to attach custom JSON-RPC client in untrusted mode: mine',
    });
    expect(server.heard).toEqual([]);
    const session = await manager.attach('mine', pipes(), { unchecked: true });
    expect(textOf(await session.callTool('echo', { said: 'hi' }))).toBe('hi');
  });

  test('ends with its conversation, and only another one can take its place', async () => {
    const server = script(older);
    await using manager = manage({ trust: 'trusted', era: 'legacy' });
    const session = await manager.attach('mine', await server.target.dial());
    server.peer.hangUp();
    await session.closed;
    await settle();
    expect(manager.status('mine')).toMatchObject({ state: 'stopped', error: expect.any(Error) });
    await expect(manager.server('mine').ping()).rejects.toMatchObject({
      code: 'closed',
      hint: expect.stringContaining('Give another one'),
    });
    const next = await manager.attach('mine', await server.target.dial());
    await next.ping();
    expect(manager.status('mine')).toMatchObject({ state: 'ready', starts: 2 });
  });

  test('may stand in for a server that is configured, until it ends', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(
      folder,
      { servers: { it: nodeServer } },
      { trust: 'trusted' },
    );
    const server = script(older);
    await manager.attach('it', await server.target.dial());
    expect(manager.initializeResult('it')?.serverInfo?.name).toBe('older');
    server.peer.hangUp();
    await settle();
    await manager.server('it').ping();
    expect(manager.initializeResult('it')?.serverInfo?.name).toBe('by hand');
  });

  test('is not disturbed by another configuration, unless that has the name', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers: {} }, { trust: 'trusted' });
    await using other = await manageV1(folder, { servers: { mine: nodeServer } });
    const entries = other.servers().flatMap(({ entry }) => entry ?? []);
    const server = script(older);
    const session = await manager.attach('mine', await server.target.dial());
    await manager.reload({ entries: [] });
    await session.ping();
    expect(await manager.reload({ entries })).toMatchObject({ added: ['mine'] });
    expect(session.isOpen).toBe(false);
    await manager.server('mine').ping();
    expect(manager.initializeResult('mine')?.serverInfo?.name).toBe('by hand');
  });
});

describe('a session', () => {
  test('can be handed over: it is the caller’s, and outlives the manager', async () => {
    const manager = manage({ trust: 'trusted' });
    await manager.attach('mine', pipes());
    await using session = manager.server('mine').take();
    expect(manager.isConnected('mine')).toBe(false);
    expect(manager.server('mine').take()).toBeUndefined();
    await manager.close();
    expect(session && textOf(await session.callTool('echo', { said: 'hi' }))).toBe('hi');
  });

  test('of the manager shows and calls what its configuration lets pass', async () => {
    await using folder = await temporaryFolder();
    await folder.write('.gemini/settings.json', {
      mcpServers: {
        it: { command: process.execPath, args: [nodeServer.argv[1]], excludeTools: ['ec*'] },
      },
    });
    const { loadConfig } = await import('@mcp-kit/host');
    const { entries } = await loadConfig({ root: folder.path });
    await using manager = createManager({
      entries,
      trust: 'trusted',
      toolCache: false,
      receipts: false,
    });
    const session = await manager.server('it').connect();
    expect(await session.listTools()).toMatchObject({ tools: [] });
    const refused = {
      code: 'refused_by_policy',
      message: 'it: the configuration keeps echo out',
      details: { ran: false },
    };
    const asked = { name: 'echo', arguments: { said: 'hi' } };
    await expect(session.callTool('echo', { said: 'hi' })).rejects.toMatchObject(refused);
    await expect(session.request('tools/call', asked)).rejects.toMatchObject(refused);
    await expect(manager.server('it').callTool('echo', {})).rejects.toMatchObject(refused);
    await expect(manager.server('it').request('tools/call', asked)).rejects.toMatchObject(refused);
    await expect(manager.server('it').take()?.callTool('echo')).rejects.toMatchObject(refused);
    expect(await manager.server('it').listTools()).toMatchObject({ tools: [], denied: ['echo'] });
  });
});
