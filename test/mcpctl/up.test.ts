import path from 'node:path';
import { openSession, type Session } from 'mcp-kit/client';
import { socketTarget } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { Mark } from '../faults/lib/marked-processes.ts';
import { mcpctl, root, type Child } from '../support/child-process.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { Project, trusting } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const numbers = { command: process.execPath, args: [path.join(root, 'examples/first-tool.mjs')] };

const numbersArgv = [numbers.command, ...numbers.args];

/** A project with such servers. */
const projectWith = (mcpServers: object): Project =>
  new Project({ '.mcp.json': { mcpServers }, 'server.sh': script });

/** Its text is full of what would be variables in an entry. */
const [, script = ''] = shellServer(new Mark()).args ?? [];
const shell = ({ env }: Mark): object => ({ command: '/bin/sh', args: ['server.sh'], env });

interface Announced {
  readonly url: string;
  readonly status: string;
  readonly servers: readonly string[];
  readonly groups: readonly string[];
  readonly config: { readonly mcpServers: object };
}

const announced = (child: Child): Promise<Announced> => announcementOf<Announced>(child);

async function namesOf(session: Session): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of session.tools()) names.push(name);
  return names;
}

async function pidOf(session: Session): Promise<number> {
  const { content } = await session.callTool('sh__pid');
  const [block] = content;
  const pid = Number(block !== undefined && 'text' in block ? block.text : 0);
  expect(pid).toBeGreaterThan(0);
  return pid;
}

const sum = { a: 2, b: 3 };
const isFive = { content: [{ text: '2 + 3 = 5' }] };

describe('mcpctl up', () => {
  test('serves every server at one URL, and each by itself, until it is told to stop', async () => {
    await using mark = new Mark();
    using place = projectWith({
      numbers: { ...numbers, env: mark.env },
      sh: shell(mark),
      'my server': { ...numbers, env: mark.env },
      missing: { command: 'there-is-no-such-program' },
    });
    await using child = place.start('up', '--port', '0', '--json', ...trusting);
    const { url, status, servers, config } = await announced(child);
    expect(servers).toEqual(['missing', 'my server', 'numbers', 'sh']);
    expect(config).toEqual({ mcpServers: { gateway: { type: 'http', url } } });
    for (const era of ['legacy', 'modern'] as const) {
      await using session = await openSession(httpTarget(url), { era });
      const names = await namesOf(session);
      const sums = names.filter((name) => name.includes('get_number_sum'));
      expect(sums).toHaveLength(2);
      expect(names.filter((name) => !sums.includes(name))).toEqual([
        'sh__done',
        'sh__hang',
        'sh__pid',
      ]);
      for (const name of sums) expect(await session.callTool(name, sum)).toMatchObject(isFive);
      expect(await session.callTool('missing__any')).toMatchObject({ isError: true });
      const pid = await pidOf(session);
      expect(mark.alive()).toContain(pid);
    }
    for (const name of ['numbers', 'my%20server']) {
      await using session = await openSession(httpTarget(`${url}/${name}`));
      expect(await namesOf(session)).toEqual(['get_number_sum']);
      expect(await session.callTool('get_number_sum', sum)).toMatchObject(isFive);
    }
    const nobody = await fetch(`${url}/nobody`, { method: 'POST', body: '{}' });
    expect(nobody.status).toBe(404);
    const report = (await (await fetch(status)).json()) as { servers: Record<string, unknown>[] };
    const of = (name: string) => report.servers.find((one) => one['name'] === name);
    expect(of('numbers')).toMatchObject({ state: 'ready', tools: 1, listing: 'live' });
    expect(of('missing')).toMatchObject({ reason: expect.any(String), next: expect.any(String) });
    expect(await child.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await mark.left()).toEqual([]);
  });

  test('leaves nothing running when it is killed', async () => {
    await using mark = new Mark();
    using place = projectWith({ sh: shell(mark), numbers: { ...numbers, env: mark.env } });
    await using child = place.start('up', '--port', '0', '--json', ...trusting);
    const { url } = await announced(child);
    const session = await openSession(httpTarget(url), { era: 'legacy', heal: false });
    await pidOf(session);
    await session.callTool('numbers__get_number_sum', sum);
    session.callTool('sh__hang').catch(() => {});
    expect(mark.alive().length).toBeGreaterThanOrEqual(2);
    await child.stop('SIGKILL');
    expect(await mark.left()).toEqual([]);
    await session.close();
  });

  test('takes over what changes in the file, and disturbs nothing else', async () => {
    await using mark = new Mark();
    const sh = shell(mark);
    const own = ['sh__done', 'sh__hang', 'sh__pid'];
    using place = projectWith({ sh });
    await using child = place.start('up', '--port', '0', ...trusting);
    const url = await child.until(() => /http:\S+\/mcp/.exec(child.stdout)?.[0]);
    await using session = await openSession(httpTarget(url), { era: 'legacy' });
    const pid = await pidOf(session);
    expect(await namesOf(session)).toEqual(own);
    place.write('.mcp.json', { mcpServers: { sh, numbers } });
    await expect.poll(() => namesOf(session)).toEqual(['numbers__get_number_sum', ...own]);
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject(isFive);
    place.write('.mcp.json', '{ "mcpServers": ');
    await child.until(() => (child.stderr.includes('.mcp.json') ? true : undefined));
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject(isFive);
    place.write('.mcp.json', { mcpServers: { sh } });
    await expect.poll(() => namesOf(session)).toEqual(own);
    expect(await pidOf(session)).toBe(pid);
    await child.stop('SIGINT');
  });

  test('uses what was approved meanwhile, and says so', async () => {
    using place = projectWith({ numbers });
    await using child = place.start('up', '--port', '0');
    await child.until(() => child.stderr.includes('mcpctl trust approve numbers') || undefined);
    expect((await place.run('trust', 'approve', 'numbers', '--yes')).code).toBe(0);
    await child.until(() => child.stderr.includes('numbers: 1 tool\n') || undefined);
    await child.stop('SIGINT');
  });

  test('serves groups at addresses of their own, from one process of each server', async () => {
    await using mark = new Mark();
    const argv = ['/bin/sh', 'server.sh'];
    const names = [1, 2, 3, 4, 5, 6, 7].map((at) => `group${at}`);
    const groups = Object.fromEntries(names.map((name) => [name, { tools: ['sh__pid'] }]));
    const servers = { sh: { argv, env: mark.env }, numbers: { argv: numbersArgv } };
    using place = new Project({ 'server.sh': script });
    place.write('mcp.json', { servers, gateway: { groups } });
    await using child = place.start('up', '--port', '0', '--json', ...trusting);
    const { url, groups: told } = await announced(child);
    expect(told).toEqual(names);
    const sessions = await Promise.all(
      names.map((name) => openSession(httpTarget(`${url}/${name}`), { era: 'modern' })),
    );
    const pids = async () => new Set(await Promise.all(sessions.map((one) => pidOf(one))));
    for (const session of sessions) expect(await namesOf(session)).toEqual(['sh__pid']);
    const [pid = 0, ...others] = await pids();
    expect(others).toEqual([]);
    // Whatever is lost with it, no group is left with what is gone.
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => pids().catch(() => new Set([pid]))).not.toContain(pid);
    expect((await pids()).size).toBe(1);
    const gone = { servers, gateway: { groups: { ...groups, group1: { servers: ['numbers'] } } } };
    place.write('mcp.json', gone);
    await expect
      .poll(async () => (sessions[0] === undefined ? [] : namesOf(sessions[0])))
      .toEqual(['numbers__get_number_sum']);
    expect((await fetch(`${url}/group8`, { method: 'POST', body: '{}' })).status).toBe(404);
    await Promise.all(sessions.map((session) => session.close()));
    expect(await child.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await mark.left()).toEqual([]);
  });

  test('serves one group where only that is wanted', async () => {
    await using mark = new Mark();
    const servers = {
      sh: { argv: ['/bin/sh', 'server.sh'], env: mark.env },
      numbers: { argv: numbersArgv },
    };
    const gateway = { groups: { sums: { servers: ['numbers'] } } };
    using place = new Project({ 'server.sh': script, 'mcp.json': { servers, gateway } });
    const args = [mcpctl, 'up', '--stdio', '--group', 'sums', '--root', place.folder, ...trusting];
    const env = { HOME: place.home };
    await using session = await openSession(childTarget({ command: process.execPath, args, env }));
    expect(await namesOf(session)).toEqual(['numbers__get_number_sum']);
    expect(mark.alive()).toEqual([]);
    const { code, stderr } = await place.run('up', '--group', 'sum', ...trusting);
    expect(code).toBe(2);
    expect(stderr).toContain('no group is called sum');
    expect(stderr).toContain('There are: sums');
  });

  test('serves over standard input and output, and ends with them', async () => {
    using place = projectWith({ numbers });
    const args = [mcpctl, 'up', '--stdio', '--root', place.folder, ...trusting];
    const env = { HOME: place.home };
    const session = await openSession(childTarget({ command: process.execPath, args, env }));
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject(isFive);
    await session.close();
    const { code, stdout } = await place.runWith('', 'up', '--stdio', ...trusting);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  test('serves on a unix socket', async () => {
    using place = projectWith({ numbers });
    const socket = path.join(place.folder, 'gateway.sock');
    await using child = place.start('up', '--unix', socket, '--json', ...trusting);
    expect(await announcementOf(child)).toMatchObject({ transport: 'unix', path: socket });
    await using session = await openSession(socketTarget(socket));
    expect(await session.callTool('numbers__get_number_sum', sum)).toMatchObject(isFive);
    expect(await child.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  oneIn(3)([
    [['--stdio', '--port', '0'], '--stdio and --port exclude each other'],
    [['--stdio', '--json'], '--stdio and --json exclude each other'],
    [['--unix', 'x.sock', '--api-keys', 'keys.json'], '--unix and --api-keys exclude each other'],
    [['--max-calls-per-server', '0'], '--max-calls-per-server'],
    [['--wait-ms', 'soon'], '--wait-ms'],
    [['--port', 'nine'], '--port'],
    [['numbers'], 'numbers'],
  ])('says what is wrong with %j', async (args, said) => {
    using place = projectWith({ numbers });
    const { code, stdout, stderr } = await place.run('up', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });

  test('says what to do where the file that is named has no server', async () => {
    using place = new Project({ 'mcp.json': { version: 1, servers: {} } });
    const { code, stderr } = await place.run('up', '--config', 'mcp.json');
    expect(code).toBe(2);
    expect(stderr).toContain('no servers in');
  });
});
