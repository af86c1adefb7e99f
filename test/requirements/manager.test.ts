import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createManager, loadConfig } from '@mcp-kit/host';
import { listenSocket } from 'mcp-kit/transport';
import { describe, expect, test, vi } from 'vitest';
import { textOf } from '../interop/client-session.ts';
import { serving } from '../support/mcp-http.ts';
import { failure, older, script, type Message } from './client-script.ts';
import { temporaryFolder } from './config-fixture.ts';
import { echoService, manageV1, nodeServer } from './manager-fixture.ts';

const trusted = { trust: 'trusted' } as const;

describe('an opening', () => {
  test('connects, initializes, keeps the answer, says so, and then asks', async () => {
    await using folder = await temporaryFolder();
    const client = { protocol_version: '2025-06-18', capabilities: { elicitation: {} } };
    const servers = { it: nodeServer };
    const options = { ...trusted, name: 'agent', version: '7' };
    await using manager = await manageV1(folder, { client, servers }, options);
    expect(manager.isConnected('it')).toBe(false);
    expect(manager.initializeResult('it')).toBeUndefined();
    const result = await manager.server('it').callTool('received');
    const lines = JSON.parse(textOf(result)) as string[];
    const [first, second, third] = lines.map((line) => JSON.parse(line) as Message);
    expect(first).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'agent', version: '7' },
      },
    });
    expect(second).toMatchObject({ method: 'notifications/initialized' });
    expect(third).toMatchObject({ method: 'tools/call' });
    expect(lines).toHaveLength(3);
    expect(manager.initializeResult('it')).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'by hand', version: '1' },
    });
  });

  test('happens once, however many ask, and is kept', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers: { it: nodeServer } }, trusted);
    const sessions = await Promise.all([1, 2, 3].map(() => manager.server('it').connect()));
    expect(new Set([...sessions, await manager.server('it').connect()]).size).toBe(1);
    expect(manager.connectedServerNames).toEqual(['it']);
    expect(manager.status('it')).toMatchObject({ state: 'ready', starts: 1 });
    await manager.disconnect('it');
    expect(manager.connectedServerNames).toEqual([]);
    await expect(sessions[0]?.ping()).rejects.toMatchObject({ code: 'closed' });
  });

  test('is over stdio, a unix socket or streamable HTTP, as the configuration says', async () => {
    await using folder = await temporaryFolder();
    const socket = path.join(folder.path, 'run.sock');
    const listening = await listenSocket(echoService(), socket);
    try {
      await using http = await serving(echoService());
      const servers = {
        stdio: nodeServer,
        // Relative to the root.
        unix: { transport: 'unix', unix_path: 'run.sock' },
        http: { transport: 'streamable_http', url: http.url },
      };
      await using manager = await manageV1(folder, { servers }, trusted);
      const statuses = await manager.connectAll();
      expect(statuses.map(({ name, state }) => [name, state])).toEqual([
        ['http', 'ready'],
        ['stdio', 'ready'],
        ['unix', 'ready'],
      ]);
      for (const name of manager.connectedServerNames) {
        const result = await manager.server(name).callTool('echo', { said: name });
        expect(textOf(result)).toBe(name);
      }
      expect(manager.initializeResult('unix')?.serverInfo).toEqual({ name: 'echo', version: '2' });
    } finally {
      await listening.close();
    }
  });

  test('is over HTTP on a unix socket where a host says so', async () => {
    await using folder = await temporaryFolder();
    const unix = path.join(folder.path, 'http.sock');
    await using served = await serving(echoService(), { unix });
    expect(served.url).toBe('http://localhost/mcp');
    const url = `unix://${unix}#/mcp`;
    await folder.write('.vscode/mcp.json', { servers: { it: { type: 'http', url } } });
    const { entries } = await loadConfig({ root: folder.path });
    const options = { toolCache: false, receipts: false, root: folder.path } as const;
    await using refused = createManager({ entries, ...options });
    await expect(refused.server('it').connect()).rejects.toMatchObject({
      code: 'refused_by_policy',
    });
    await using manager = createManager({ entries, trust: 'trusted', ...options });
    const result = await manager.server('it').callTool('echo', { said: 'hi' });
    expect(textOf(result)).toBe('hi');
  });

  test('with a server that speaks another revision is noted, or refused where that is wanted', async () => {
    await using folder = await temporaryFolder();
    const config = {
      client: { protocol_version: '2025-11-25' },
      servers: { it: nodeServer },
    };
    const mismatch = { server: 'it', asked: '2025-11-25', spoken: '2025-06-18' };
    await using lenient = await manageV1(folder, config, trusted);
    await lenient.server('it').connect();
    await lenient.disconnect('it');
    await lenient.server('it').connect();
    expect(lenient.versionMismatches).toEqual([mismatch]);
    await using strict = await manageV1(folder, config, { ...trusted, versionCheck: 'strict' });
    await expect(strict.server('it').connect()).rejects.toMatchObject({
      code: 'unsupported_version',
      message:
        'mcp initialize protocolVersion mismatch (server=it): client=2025-11-25, server=2025-06-18',
    });
    expect(strict.isConnected('it')).toBe(false);
    await using blind = await manageV1(folder, config, { ...trusted, versionCheck: 'ignore' });
    await blind.server('it').connect();
    expect(blind.versionMismatches).toEqual([]);
  });

  test('of a server that nobody knows, or that is switched off, says so', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers: { it: nodeServer } }, trusted);
    const unknown = { message: 'unknown mcp server: that', hint: 'There are: it.' };
    expect(() => manager.server('that')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', ...unknown }),
    );
    const all = manager.servers().flatMap(({ entry }) => entry ?? []);
    const entries = all.map((entry) => ({ ...entry, enabled: false }));
    await using other = createManager({ entries, trust: 'trusted' });
    await expect(other.server('it').connect()).rejects.toMatchObject({
      message: 'mcp server it is switched off',
    });
    expect(await other.tools()).toMatchObject({ tools: [], failed: [], pending: [] });
  });
});

describe('calls', () => {
  test('have a method each, and any other can be made', async () => {
    const peer = script({
      ...older,
      'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [] }),
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': () => ({ contents: [] }),
      'prompts/list': () => ({ prompts: [] }),
      'prompts/get': () => ({ messages: [] }),
      'completion/complete': () => ({ completion: { values: ['x'] } }),
      'acme/own': (params) => ({ got: params['x'] }),
    });
    await using manager = createManager({ entries: [], trust: 'trusted', era: 'legacy' });
    await manager.attach('it', await peer.target.dial());
    const it = manager.server('it');
    await it.ping();
    expect((await it.listTools()).tools).toHaveLength(1);
    await it.callTool('a', { x: 1 });
    await it.listResources();
    await it.listResourceTemplates();
    await it.readResource('file:///x');
    await it.subscribe('file:///x');
    await it.unsubscribe('file:///x');
    await it.listPrompts();
    await it.getPrompt('p', { x: '1' });
    await it.setLogLevel('debug');
    const ref = { type: 'ref/prompt', name: 'p' } as const;
    expect(await it.complete(ref, { name: 'x', value: '' })).toMatchObject({
      completion: { values: ['x'] },
    });
    expect(await it.request('acme/own', { x: 5 })).toEqual({ got: 5 });
    await it.notify('acme/told', { x: 6 });
    await peer.peer.nth('acme/told');
    expect(peer.heard).toEqual([
      'initialize',
      'notifications/initialized',
      'ping',
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'resources/unsubscribe',
      'prompts/list',
      'prompts/get',
      'logging/setLevel',
      'completion/complete',
      'acme/own',
      'acme/told',
    ]);
  });

  test('on one connection are under way at the same time, and written one after the other', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers: { it: nodeServer } }, trusted);
    const it = manager.server('it');
    const said = Array.from({ length: 50 }, (_, at) => String(at).repeat(2000));
    const slow = it.callTool('later', { said: 'slow', ms: 100 });
    const answers = await Promise.all(said.map((one) => it.callTool('echo', { said: one })));
    expect(answers.map(textOf)).toEqual(said);
    expect(textOf(await slow)).toBe('slow');
    expect((await manager.server('it').connect()).stats.malformed).toBe(0);
  });

  test('take 30 s at most, unless told otherwise; a server of its own time has that', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const hang = script({ ...older, hang: () => undefined });
      await using manager = createManager({ entries: [], trust: 'trusted', era: 'legacy' });
      await manager.attach('it', await hang.target.dial());
      const began = performance.now();
      const call = failure(manager.server('it').request('hang'));
      await vi.advanceTimersByTimeAsync(29_999);
      expect(hang.peer.of('notifications/cancelled')).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(await call).toMatchObject({ code: 'timeout' });
      expect(performance.now() - began).toBe(30_000);
      await using other = createManager({
        entries: [],
        trust: 'trusted',
        era: 'legacy',
        timeoutMs: 50,
      });
      await other.attach('it', await hang.target.dial());
      const short = failure(other.server('it').request('hang'));
      await vi.advanceTimersByTimeAsync(50);
      expect(await short).toMatchObject({ code: 'timeout' });
    } finally {
      vi.useRealTimers();
    }
  });
});

test('without reconnecting a server that was lost stays lost until it is asked', async () => {
  await using folder = await temporaryFolder();
  const options = { ...trusted, reconnect: false };
  await using manager = await manageV1(folder, { servers: { it: nodeServer } }, options);
  const it = manager.server('it');
  await expect(it.callTool('die', { code: 3 })).rejects.toMatchObject({ code: 'closed' });
  expect(manager.status('it')).toMatchObject({ state: 'stopped', starts: 1 });
  expect(manager.status('it').retryAt).toBeUndefined();
  await it.ping();
  expect(manager.status('it')).toMatchObject({ state: 'ready', starts: 2 });
});

describe('what a server says on its standard output', () => {
  const log = { path: 'logs/it.log', max_bytes_per_part: 2000, max_parts: 2 };
  const servers = { it: { ...nodeServer, stdout_log: log } };

  test('is kept on disk where the configuration says, in parts, the newest of them', async () => {
    await using folder = await temporaryFolder();
    await using manager = await manageV1(folder, { servers }, trusted);
    const it = manager.server('it');
    for (let at = 0; at < 20; at += 1) await it.callTool('echo', { said: `${at} `.repeat(100) });
    await manager.close();
    const logs = path.join(folder.path, 'logs');
    const names = (await readdir(logs)).toSorted();
    expect(names).toHaveLength(3);
    expect(names).toContain('it.log');
    for (const name of names) expect(name).toMatch(/^it(\.segment-\d{4})?\.log$/);
    const texts = await Promise.all(names.map((name) => readFile(path.join(logs, name), 'utf8')));
    const lines = texts.join('').trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(lines.join('')).toContain('19 19');
    expect(lines.join('')).not.toContain('"0 0 ');
  });

  test('does not leave the folder of the project, unless that is allowed', async () => {
    await using folder = await temporaryFolder();
    await using elsewhere = await temporaryFolder();
    const outside = { ...log, path: path.join(elsewhere.path, 'it.log') };
    const config = { servers: { it: { ...nodeServer, stdout_log: outside } } };
    await using refused = await manageV1(folder, config, trusted);
    await expect(refused.server('it').connect()).rejects.toMatchObject({ name: 'KitError' });
    expect(await readdir(elsewhere.path)).toEqual([]);
    const options = { ...trusted, allowStdoutLogOutsideRoot: true };
    await using allowed = await manageV1(folder, config, options);
    await allowed.server('it').ping();
    await allowed.close();
    expect(await readdir(elsewhere.path)).toEqual(['it.log']);
  });
});
