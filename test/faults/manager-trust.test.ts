import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import os from 'node:os';
import path from 'node:path';
import { loadConfig, type ManagerOptions } from '@mcp-kit/host';
import { updateReceipts, withReceipt } from '@mcp-kit/host/internal';
import { expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from '../security/plain-server.ts';
import { managing, type Watched } from './lib/managed-servers.ts';
import { killNow, Mark } from './lib/marked-processes.ts';

/** A project with one server, and the file of approvals of its user. */
class Project implements Disposable {
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'mcp-kit-revoked-'));
  readonly receipts = path.join(this.root, 'state', 'trust.json');
  readonly program = path.join(this.root, 'server');

  constructor(server: object) {
    writeFileSync(
      path.join(this.root, '.mcp.json'),
      JSON.stringify({ mcpServers: { it: server } }),
    );
    writePlainServer(this.program, path.join(this.root, 'tools.json'));
    writeTools(path.join(this.root, 'tools.json'), [echo]);
  }

  async manage(options: Partial<ManagerOptions> = {}): Promise<Watched> {
    const { root, receipts } = this;
    const { entries } = await loadConfig({ root });
    return managing(entries, { root, receipts, trust: 'untrusted', ...options });
  }

  /** As another process would. */
  async revoke(): Promise<void> {
    const { entries } = await loadConfig({ root: this.root });
    const [entry] = entries;
    if (entry === undefined) throw new Error('no entry');
    await updateReceipts(this.receipts, (all) => withReceipt(all, entry));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const refused = { code: 'refused_by_policy', details: { ran: false } };

test('an approval that is withdrawn elsewhere counts at the next start: not before, and not again', async () => {
  await using mark = new Mark();
  using project = new Project({ command: './server', env: mark.env });
  await using watched = await project.manage();
  const { manager } = watched;
  await manager.approve('it', { by: 'test' });
  const session = await manager.server('it').connect();
  await project.revoke();
  expect((await session.callTool('echo', { text: 'still' })).content).toHaveLength(1);
  for (const pid of mark.alive()) killNow(pid);
  const { error } = await watched.until(({ state }) => state === 'refused');
  expect(error).toMatchObject(refused);
  expect(mark.alive()).toEqual([]);
  await expect(manager.server('it').callTool('echo', {})).rejects.toMatchObject(refused);
  await expect(session.callTool('echo', {})).rejects.toMatchObject(refused);
  expect(mark.alive()).toEqual([]);
  // The user changes their mind.
  await manager.approve('it', { by: 'test' });
  expect((await manager.server('it').callTool('echo', { text: 'again' })).content).toHaveLength(1);
});

test('a tool that is another after a restart is refused, however it is called', async () => {
  await using mark = new Mark();
  using project = new Project({ command: './server', env: mark.env });
  await using watched = await project.manage();
  const { manager } = watched;
  await manager.approve('it', { by: 'test' });
  const session = await manager.server('it').connect();
  expect((await session.callTool('echo', { text: 'hi' })).content).toHaveLength(1);
  const changed = { ...echo, description: 'Says it again, to somebody else.' };
  writeTools(path.join(project.root, 'tools.json'), [changed, { ...echo, name: 'new' }]);
  for (const pid of mark.alive()) killNow(pid);
  await watched.until(({ state, starts }) => state === 'ready' && starts === 2);
  const withheld = { ...refused, message: 'it: the tool echo is not what was approved' };
  await expect(session.callTool('echo', {})).rejects.toMatchObject(withheld);
  await expect(session.request('tools/call', { name: 'echo' })).rejects.toMatchObject(withheld);
  await expect(manager.server('it').callTool('echo', {})).rejects.toMatchObject(withheld);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(['new']);
  expect(await manager.server('it').listTools()).toMatchObject({
    tools: [{ name: 'new' }],
    withheld: [{ name: 'echo', reason: 'changed' }],
    fresh: ['new'],
  });
  expect(await manager.tools()).toMatchObject({ withheld: [{ server: 'it', name: 'echo' }] });
});

test('a program that changes while it runs is not started again', async () => {
  await using mark = new Mark();
  using project = new Project({ command: './server', env: mark.env });
  await using watched = await project.manage();
  const { manager } = watched;
  await manager.approve('it', { by: 'test' });
  await manager.server('it').connect();
  appendFileSync(project.program, '// one more line\n');
  for (const pid of mark.alive()) killNow(pid);
  const { error } = await watched.until(({ state }) => state === 'refused');
  expect(error).toMatchObject({ ...refused, message: 'mcp server it is not what was approved' });
  expect(mark.alive()).toEqual([]);
});

test('a token is not sent any more once the approval is withdrawn, be the connection still there', async () => {
  let session = 1;
  const seen: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage): Promise<object | undefined> => {
    seen.push(request.headers.authorization);
    const { id, method } = JSON.parse(await text(request)) as { id?: number; method: string };
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {} }
        : { content: [], tools: [] };
    return id === undefined ? undefined : { jsonrpc: '2.0', id, result };
  };
  const server = createServer((request, response) => {
    const known = request.headers['mcp-session-id'] ?? `s${session}`;
    if (request.method !== 'POST' || known !== `s${session}`) {
      response.writeHead(request.method === 'POST' ? 404 : 405).end();
      return;
    }
    void answer(request).then((message) => {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': `s${session}` };
      response.writeHead(message ? 200 : 202, headers).end(message && JSON.stringify(message));
    });
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const headers = { Authorization: 'Bearer ${KEY}' };
    using project = new Project({ type: 'http', url, headers });
    const policy = { requireHttps: false, allowLocalhost: true, allowPrivateIps: true };
    await using watched = await project.manage({ policy, env: { KEY: 'secret' } });
    const { manager } = watched;
    await manager.approve('it', { by: 'test' });
    await manager.server('it').callTool('x', {});
    expect(new Set(seen)).toEqual(new Set(['Bearer secret']));
    await project.revoke();
    // The server forgets the session, and wants another on the same connection.
    session += 1;
    seen.length = 0;
    await expect(manager.server('it').callTool('x', {})).rejects.toMatchObject(refused);
    expect(seen).toEqual([]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
