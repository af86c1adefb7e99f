import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { adHocEntry, createManager, loadConfig } from '@mcp-kit/host';
import { gateway } from '@mcp-kit/host/gateway';
import {
  connectable,
  decodeDocument,
  dialectOf,
  hostFile,
  hosts,
  parseDocument,
  writeEntries,
} from '@mcp-kit/host/internal';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { Mark } from '../faults/lib/marked-processes.ts';
import { samples } from '../requirements/config-fixture.ts';
import { root } from '../support/child-process.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { FreshUser, isInstalled } from '../support/fresh-user.ts';
import { Project, trusting } from '../support/project.ts';

beforeAll(requireBuild);

const numbers = { command: process.execPath, args: [path.join(root, 'examples/first-tool.mjs')] };

interface Announced {
  readonly url: string;
  readonly status: string;
  readonly servers: readonly string[];
  readonly hosts: readonly {
    readonly host: string;
    readonly file: string;
    readonly isThere: boolean;
    readonly text: string;
  }[];
}

interface Report {
  readonly servers: readonly { readonly name: string; readonly state: string }[];
}

const reportOf = async ({ status }: Announced): Promise<Report> =>
  (await (await fetch(status)).json()) as Report;

/** Writes a server into the file that each host has for its user, or else for a project; the names of all. */
async function fillAllHosts(place: Project, env: Record<string, string>): Promise<string[]> {
  const surroundings = {
    root: place.folder,
    home: place.home,
    platform: 'linux' as const,
    env: {},
  };
  const names: string[] = [];
  const [, script = ''] = shellServer(new Mark()).args ?? [];
  const server = place.write('server.sh', script);
  for (const host of hosts) {
    const found =
      (await hostFile(host, 'user', surroundings)) ??
      (await hostFile(host, 'project', surroundings));
    if (found === undefined || existsSync(found.file)) continue;
    const entry = adHocEntry({ command: '/bin/sh', args: [server], env }, host.id);
    const { text } = await writeEntries([entry], host.dialect);
    place.write(path.relative(place.folder, found.file), text);
    names.push(host.id);
  }
  return names.sort();
}

describe('mcpctl up', () => {
  test('says for every host what to write, in words that the host reads', async () => {
    using place = new Project();
    await using child = place.start('up', '--sample', '--port', '0', '--json');
    const { url, hosts: lines } = await announcementOf<Announced>(child);
    expect(lines.map(({ host }) => host)).toEqual(connectable.map(({ id }) => id));
    for (const { host, file, text } of lines) {
      const { dialect } = connectable.find(({ id }) => id === host) ?? {
        dialect: 'compat' as const,
      };
      const { format } = dialectOf(dialect);
      const document = await parseDocument(text, file, format);
      const source = { file, scope: 'user' as const, rank: 0 };
      const { entries, errors } = decodeDocument(document, dialectOf(dialect), source);
      expect({ host, errors }).toEqual({ host, errors: [] });
      const reached = entries.map(({ entry: { transport } }) =>
        transport.kind === 'stdio' ? transport.args.at(-1) : 'url' in transport && transport.url,
      );
      expect({ host, reached }).toEqual({ host, reached: [url] });
    }
    await child.stop('SIGTERM');
  });

  test('takes the samples of all dialects, and runs nothing of them', async () => {
    using place = new Project();
    cpSync(path.join(samples, 'project'), place.folder, { recursive: true });
    cpSync(path.join(samples, 'home'), place.home, { recursive: true });
    const options = { root: place.folder, home: place.home, env: {}, platform: 'linux' } as const;
    const { entries } = await loadConfig(options);
    const enabled = entries.filter((entry) => entry.enabled).map(({ name }) => name);
    expect(enabled.length).toBeGreaterThan(10);
    await using child = place.start('up', '--port', '0', '--json');
    const announced = await announcementOf<Announced>(child);
    expect(announced.servers).toEqual(enabled.toSorted());
    await expect
      .poll(async () => {
        const { servers } = await reportOf(announced);
        return new Set(servers.map(({ state }) => state));
      })
      .toEqual(new Set(['refused', 'disabled']));
    await child.stop('SIGTERM');
  });

  test.each(['v1', 'compat', 'sep-2633'])(
    'takes the sample of %s, a file of no host, and runs nothing of it',
    async (name) => {
      using place = new Project();
      const project = { root: path.join(samples, name) };
      const config = await loadConfig({ ...project, home: place.home, env: {} });
      expect(config.errors).toEqual([]);
      const receipts = path.join(place.home, 'receipts.json');
      await using manager = createManager({ ...config, ...project, receipts, toolCache: false });
      await using service = gateway(manager);
      await service.settled();
      const enabled = config.entries.filter((entry) => entry.enabled);
      expect(enabled.length).toBeGreaterThan(1);
      const { servers } = service.status();
      const states = Object.fromEntries(servers.map((server) => [server.name, server.state]));
      const expected = config.entries.map((entry) => [
        entry.name,
        entry.enabled ? 'refused' : 'disabled',
      ]);
      expect(states).toEqual(Object.fromEntries(expected));
    },
  );

  test('serves what the files of all hosts have, from one place', async () => {
    await using mark = new Mark();
    using place = new Project();
    const names = await fillAllHosts(place, mark.env);
    expect(names.length).toBeGreaterThan(25);
    await using child = place.start(
      'up',
      '--port',
      '0',
      '--json',
      '--wait-ms',
      '120000',
      '--disclosure',
      'full',
      ...trusting,
    );
    const announced = await announcementOf<Announced>(child);
    expect(announced.servers).toEqual(names);
    expect(announced.hosts.every(({ host, isThere }) => isThere || !names.includes(host))).toBe(
      true,
    );
    await using session = await openSession(httpTarget(announced.url), { era: 'modern' });
    const found: string[] = [];
    for await (const { name } of session.tools()) if (name.endsWith('__pid')) found.push(name);
    expect(found).toEqual(names.map((name) => `${name}__pid`).sort());
    await child.stop('SIGTERM');
    expect(await mark.left()).toEqual([]);
  });

  test('imports what other programs have into a file of its own, on request', async () => {
    using place = new Project();
    const cursor = { mcpServers: { sums: numbers } };
    place.write('../home/.cursor/mcp.json', cursor);
    await using before = place.start('up', '--port', '0');
    await before.until(() => before.stderr.includes('mcpctl up --import') || undefined);
    await before.stop('SIGTERM');
    const refused = await place.run('up', '--import');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const own = path.join(place.home, '.config/mcp-kit/mcp.json');
    const shown = await place.run('up', '--import', '--yes', '--dry-run');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('"sums"') });
    expect(existsSync(own)).toBe(false);
    await using child = place.start('up', '--import', '--yes', '--port', '0', ...trusting);
    await child.until(() => child.stdout.includes('Ctrl-C') || undefined);
    expect(child.stderr).toContain('imported into');
    await child.stop('SIGTERM');
    expect(JSON.parse(readFileSync(own, 'utf8'))).toMatchObject(cursor);
  });

  test('is not a server of its own, when hosts that are read were told of it', async () => {
    using place = new Project();
    const told = {
      byUrl: { type: 'http', url: 'http://127.0.0.1:7999/mcp' },
      byCommand: { command: 'npx', args: ['-y', 'mcpctl', 'up', '--stdio'] },
    };
    place.write('../home/.cursor/mcp.json', { mcpServers: { ...told, sums: numbers } });
    const { code, stderr } = await place.runWith('', 'up', '--stdio', ...trusting);
    expect(code).toBe(0);
    expect(stderr).toContain('byCommand leads to this gateway');
    expect(stderr).not.toContain('byUrl leads to this gateway');
  });

  test('serves what comes with it where nothing is configured', async () => {
    using place = new Project();
    await using child = place.start('up', '--port', '0', '--json');
    const announced = await announcementOf<Announced>(child);
    expect(announced.servers).toEqual(['cocos', 'demo']);
    await using session = await openSession(httpTarget(announced.url));
    const info = await session.callTool('cocos__get_project_info');
    expect(info.isError).not.toBe(true);
    const time = await session.callTool('demo__get_time_now');
    expect(time.isError).not.toBe(true);
    expect(await child.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe.skipIf(!isInstalled('script'))('a person at a terminal', () => {
  test('is asked whether to import, and about each server', async () => {
    using user = new FreshUser({});
    user.project.write('../home/.cursor/mcp.json', { mcpServers: { sums: numbers } });
    await using child = user.terminal('mcpctl up --port 0');
    await child.until(() => child.stdout.includes('Write this? [y/N]') || undefined);
    child.process.stdin.write('y\r');
    await child.until(() => child.stdout.includes('Approve it? [y/N]') || undefined);
    child.process.stdin.write('y\r');
    await child.until(() => child.stdout.includes('sums: 1 tool') || undefined);
    child.process.stdin.write('\u0003');
    await child.ended;
  });
});
