import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession } from 'mcp-kit/client';
import { socketTarget } from 'mcp-kit/transport';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child, mcpctl } from '../support/child-process.ts';
import { announcementOf, initialize, requireBuild } from '../support/cli.ts';
import { oneIn } from '../support/scale.ts';

let folder = '';
beforeAll(async () => {
  requireBuild();
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-bridge-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const samples = ['--', process.execPath, mcpctl, 'serve', '--stdio'];

/** What a bridge prints with --json when it listens. */
const announced = (child: Child) => announcementOf<Record<string, string>>(child);

/** Whether a process is there. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it never came to be so');
}

const fallback = { COCOS_MCP_HTTP_URL: 'https://a.example/mcp' };

const ownPid = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const { protocolVersion } = params ?? {};
  if (method === 'initialize') say({ id, result: { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } } });
  else if (id !== undefined) say({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });
});
// Does not end with its input.
setInterval(() => {}, 1000);
`;

/** A program that answers the handshake, or not, and does not end when it is told to. */
const stubborn = (answers: boolean): string => `
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
say({ method: 'notifications/message', params: { level: 'info', data: 'it has started' } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (${answers} && method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } } });
});
`;

describe('mcpctl bridge', () => {
  test.each([true, false])(
    'ends with 0 when it is told to stop, whatever its program does; it answers: %s',
    async (answers) => {
      await using bridge = Child.mcpctl(
        'bridge',
        '--trace',
        '--',
        process.execPath,
        '-e',
        stubborn(answers),
      );
      bridge.send(initialize());
      if (answers) await bridge.answer('init');
      else await bridge.until(() => bridge.stderr.includes('it has started') || undefined);
      expect(await bridge.stop('SIGTERM')).toMatchObject({ code: 0 });
    },
  );

  test('puts a program at a URL, for clients of either era, and says how it is', async () => {
    await using bridge = Child.mcpctl('bridge', '--json', '--http', ':0', ...samples);
    const { url = '', health = '' } = await announced(bridge);
    for (const era of ['legacy', 'modern'] as const) {
      await using session = await openSession(httpTarget(url), { era });
      const { content } = await session.callTool('get_text_statistics', { text: 'two words' });
      expect(content).not.toEqual([]);
    }
    const response = await fetch(health);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'ok', lost: 0 });
    expect(await bridge.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('says that it is degraded while its program cannot be started', async () => {
    await using bridge = Child.mcpctl(
      'bridge',
      '--json',
      '--http',
      ':0',
      '--',
      process.execPath,
      '-e',
      'process.exit(3)',
    );
    const { url = '', health = '' } = await announced(bridge);
    await expect(openSession(httpTarget(url), { era: 'legacy' })).rejects.toMatchObject({
      code: -32603,
      data: { retryable: true },
    });
    const response = await fetch(health);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: 'degraded' });
  });

  test('puts a program on a unix socket, and a unix socket on standard input and output', async () => {
    const socket = path.join(folder, 'samples.sock');
    await using front = Child.mcpctl('bridge', '--json', '--unix', socket, ...samples);
    expect(await announced(front)).toMatchObject({ path: socket });
    await using session = await openSession(socketTarget(socket), { era: 'modern' });
    expect((await session.listTools()).tools.length).toBeGreaterThan(3);
    for (const server of [`unix:${socket}`, '--unix']) {
      const args = server === '--unix' ? ['--unix', socket] : [server];
      await using bridge = Child.mcpctl('bridge', ...args);
      bridge.send({
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      });
      expect(await bridge.answer(1)).toMatchObject({
        result: { serverInfo: { name: 'mcpctl-samples' } },
      });
    }
  });

  test('records what crosses, without secrets, for its user only; and shows it side by side', async () => {
    const file = path.join(folder, 'wire.jsonl');
    await using bridge = Child.mcpctl('bridge', '--trace', '--record', file, ...samples);
    bridge.send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, api_key: 'hush' },
    });
    await bridge.answer(1);
    bridge.process.stdin.end();
    expect(await bridge.ended).toMatchObject({ code: 0 });
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('hush');
    const crossings = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { side: string; direction: string; message: unknown });
    const ways = crossings.map(({ side, direction }) => `${side} ${direction}`);
    expect(ways.slice(0, 3)).toEqual(['client received', 'server sent', 'server received']);
    expect(ways).toContain('client sent');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(bridge.stderr).toMatch(/client +│ server/);
    expect(bridge.stderr).toMatch(/→ #1 initialize \{"protocolVersion".* │ \n/);
    expect(bridge.stderr).toMatch(/← #1 = \{"protocolVersion".* │ \n/);
    expect(bridge.stderr).not.toContain('hush');
  });

  test('leaves no process behind, even when it is killed', async () => {
    await using bridge = Child.mcpctl('bridge', '--', process.execPath, '-e', ownPid);
    bridge.send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {} },
    });
    bridge.send({ method: 'notifications/initialized' });
    bridge.send({ id: 2, method: 'tools/call', params: { name: 'pid' } });
    const { result } = await bridge.answer(2);
    const { content } = result as { content: { text: string }[] };
    const pid = Number(content[0]?.text);
    expect(lives(pid)).toBe(true);
    bridge.process.kill('SIGKILL');
    await until(() => !lives(pid));
  });

  oneIn(3)([
    [['bridge'], /no server to bridge to/],
    [['bridge', 'https://a.example/mcp', '--url', 'https://b.example/mcp'], /exclude each other/],
    [['bridge', '--http', ':0', '--unix', 'x', 'https://a.example/mcp'], /exclude each other/],
    [['bridge', '--http', 'x:y', 'https://a.example/mcp'], /--http cannot be "y"/],
    [['bridge', '--insecure', 'https://a.example/mcp'], /--insecure needs --http/],
    [['bridge', 'nobody'], /no servers in|nobody/],
    [['bridge', 'ftp://a.example/mcp'], /not an http or https URL/],
    [['bridge', 'nobody', '--header', 'a: b'], /--header needs a URL/],
    [['bridge', '--api-keys', 'keys.json', 'https://a.example/mcp'], /--api-keys needs --http/],
    [['bridge', '--http', '0.0.0.0:0', 'https://a.example/mcp'], /can be reached from other/],
    [['bridge', '--record', '/nowhere/at/all', 'https://a.example/mcp'], /--record \/nowhere/],
  ])('refuses %j', async (args, why) => {
    await using bridge = Child.mcpctl(...args);
    expect(await bridge.ended).toMatchObject({ code: 2 });
    expect(bridge.stderr).toMatch(why);
  });

  test.each(['COCOS_MCP_HTTP_URL', 'COCOS_MCP_HTTP_TIMEOUT_MS'])(
    'says that %s is wrong, and not what nobody has typed',
    async (name) => {
      const env = { ...process.env, [name]: 'ten', ...(!name.endsWith('URL') && fallback) };
      await using bridge = new Child(process.execPath, [mcpctl, 'bridge'], { env });
      expect(await bridge.ended).toMatchObject({ code: 2 });
      expect(bridge.stderr).toContain(`mcpctl: ${name} `);
    },
  );
});
