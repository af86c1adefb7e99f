import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { root, type Child } from '../support/child-process.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';

beforeAll(requireBuild);

const numbers = { command: process.execPath, args: [path.join(root, 'examples/first-tool.mjs')] };
const missing = { command: 'there-is-no-such-program' };
/** Says something on standard error, and something that is no message, then serves. */
const chatty = {
  command: '/bin/sh',
  args: [
    '-c',
    `echo "hello from stderr, token=sk-abcdefghijklmnop1234" >&2; echo "no message"; exec "${process.execPath}" "${path.join(root, 'examples/first-tool.mjs')}"`,
  ],
};
const sum = { a: 2, b: 3 };

interface Shown {
  readonly gateways: readonly {
    readonly gateway: { readonly name: string; readonly pid: number; readonly address: string };
    readonly servers: readonly Record<string, unknown>[];
  }[];
}

async function started(place: Project, ...more: string[]): Promise<{ child: Child; url: string }> {
  const child = place.start('up', '--port', '0', '--json', ...trusting, ...more);
  const { url } = await announcementOf<{ url: string }>(child);
  return { child, url };
}

async function listed(place: Project): Promise<Shown['gateways']> {
  const { code, stdout, stderr } = await place.run('ps', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as Shown).gateways;
}

const folderOf = (place: Project): string => path.join(place.home, '.local/state/mcp-kit/up');

describe('A running gateway', () => {
  test('is shown with the state of each server, and controlled, until it is stopped', async () => {
    using place = new Project({ '.mcp.json': { mcpServers: { numbers, missing, chatty } } });
    const { child, url } = await started(place, '--name', 'mine', '--metrics-port', '0');
    await using _child = child;
    await using session = await openSession(httpTarget(url), { era: 'legacy' });
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject({
      content: [{ text: '2 + 3 = 5' }],
    });
    await expect.poll(async () => (await listed(place))[0]?.servers[0]?.['state']).toBe('ready');
    const [shown] = await listed(place);
    expect(shown?.gateway).toMatchObject({ name: 'mine', address: url, pid: child.process.pid });
    const of = (name: string) => shown?.servers.find((one) => one['name'] === name);
    expect(of('numbers')).toMatchObject({
      state: 'ready',
      // As the one client that it has speaks to it.
      era: 'legacy',
      pid: expect.any(Number),
      restarts: 0,
      conversations: 1,
      calls: { underWay: 0, outcomes: { ok: 1, failed: 0, refused: 0, broken: 0, cancelled: 0 } },
    });
    expect(of('missing')).toMatchObject({ reason: expect.any(String), next: expect.any(String) });
    const text = await place.run('ps');
    expect(text.stdout).toMatch(/numbers +ready +\d+ +2025-11-25 +1 +0\/1\/0 +0 +/);
    expect(text.stdout).toContain('missing: ');

    // Only this user reaches it.
    const folder = folderOf(place);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [socket = ''] = readdirSync(folder);
    expect(statSync(path.join(folder, socket)).mode & 0o777).toBe(0o600);

    const tools = await place.run('tools', '--running', 'numbers', '--json');
    expect(JSON.parse(tools.stdout)).toMatchObject({
      tools: [{ name: 'numbers__get_number_sum' }],
    });

    const logs = await place.run('logs', 'chatty', '--json');
    const lines = logs.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { from: string; text: string });
    expect(lines.find(({ from }) => from === 'stderr')?.text).toMatch(
      /^hello from stderr, token=\*+$/,
    );
    expect(lines.find(({ from }) => from === 'output')?.text).toContain('no message');
    expect(lines.find(({ from }) => from === 'state')?.text).toMatch(/^starting|^ready/);

    const before = of('numbers')?.['pid'];
    const restarted = await place.run('restart', 'numbers', '--json');
    expect(restarted.code).toBe(0);
    const after = JSON.parse(restarted.stdout) as { pid: number; restarts: number };
    expect(after).toMatchObject({ state: 'ready', restarts: 1 });
    expect(after.pid).not.toBe(before);
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject({
      content: [{ text: '2 + 3 = 5' }],
    });
    expect(await place.run('restart', 'missing')).toMatchObject({ code: 4 });
    const nobody = await place.run('restart', 'nobody');
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('numbers') });

    expect(await place.run('stop', 'numbers')).toMatchObject({ code: 0 });
    expect((await listed(place))[0]?.servers.find(({ name }) => name === 'numbers')).toMatchObject({
      state: 'stopped',
      tools: 0,
      conversations: 0,
      next: 'Start it again: mcpctl restart numbers',
    });
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('mcpctl restart numbers') }],
    });
    expect(await place.run('restart', 'numbers')).toMatchObject({ code: 0 });
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject({
      content: [{ text: '2 + 3 = 5' }],
    });

    const status = (await (await fetch(new URL('/status', url))).json()) as Shown['gateways'][0];
    expect(status.servers.find(({ name }) => name === 'numbers')).toMatchObject({
      calls: { outcomes: { ok: 3, broken: 1 } },
    });
    expect(await place.run('stop', '--gateway', url)).toMatchObject({ code: 0 });
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('counts for Prometheus by the names of servers and by outcomes, and by nothing else', async () => {
    using place = new Project({ '.mcp.json': { mcpServers: { numbers } } });
    const child = place.start('up', '--port', '0', '--json', '--metrics-port', '0', ...trusting);
    await using _child = child;
    const announced = await announcementOf<{ url: string; metrics: string }>(child);
    await using session = await openSession(httpTarget(announced.url));
    await session.callTool('numbers__get_number_sum', sum);
    await session.callTool('made-up__tool').catch(() => {});
    await session.callTool('numbers__made_up').catch(() => {});
    const text = await (await fetch(announced.metrics)).text();
    expect(text).toContain('mcp_server_calls_total{server="numbers",outcome="ok"} 1\n');
    expect(text).toContain('mcp_server_call_duration_seconds_count{server="numbers"} ');
    expect(text).toContain('mcp_server_state{server="numbers",state="ready"} 1\n');
    expect(text).toContain('mcp_server_restarts_total{server="numbers"} 0\n');
    const labels = [...text.matchAll(/^mcp_server\w+\{([^}]*)\}/gm)].map(([, label = '']) => label);
    for (const label of labels) expect(label).toMatch(/^server="numbers"/);
    expect(text).not.toContain('made');
    await child.stop('SIGTERM');
  });

  test('is told from others by name, URL and process; what was killed leaves nothing', async () => {
    using place = new Project({ '.mcp.json': { mcpServers: { numbers } } });
    expect(await place.run('ps')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: 'mcpctl: no gateway runs\nStart one: mcpctl up\n',
    });
    expect(await place.run('logs', '--json')).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('no gateway runs'),
    });
    const one = await started(place, '--name', 'one');
    await using _one = one.child;
    const two = await started(place, '--name', 'two');
    await using _two = two.child;
    expect((await listed(place)).map(({ gateway }) => gateway.name)).toEqual(['one', 'two']);
    const unclear = await place.run('stop');
    expect(unclear.code).toBe(2);
    expect(unclear.stderr).toContain(one.url);
    expect(unclear.stderr).toContain(two.url);
    expect(await place.run('restart', 'numbers', '--gateway', 'two')).toMatchObject({ code: 0 });
    await one.child.stop('SIGKILL');
    expect(readdirSync(folderOf(place))).toHaveLength(2);
    expect((await listed(place)).map(({ gateway }) => gateway.name)).toEqual(['two']);
    expect(readdirSync(folderOf(place))).toHaveLength(1);
    const [known] = await listed(place);
    const pid = String(known?.gateway.pid);
    expect(await place.run('stop', '--gateway', pid)).toMatchObject({ code: 0 });
    expect((await two.child.ended).code).toBe(0);
    expect(existsSync(folderOf(place))).toBe(true);
  });

  test('has its logs followed as they come', async () => {
    using place = new Project({ '.mcp.json': { mcpServers: { numbers } } });
    const { child } = await started(place);
    await using _child = child;
    await using follower = place.start('logs', '-f', '-n', '0');
    // It follows once the gateway has answered it; restarts until then go unheard.
    await expect
      .poll(async () => {
        expect((await place.run('restart', 'numbers')).code).toBe(0);
        return follower.stdout;
      })
      .toMatch(/numbers state: ready \(pid \d+\)/);
    expect(await place.run('stop')).toMatchObject({ code: 0 });
    expect((await follower.ended).code).toBe(0);
    expect((await child.ended).code).toBe(0);
  });
});
