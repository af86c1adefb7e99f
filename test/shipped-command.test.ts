import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Child } from './support/child-process.ts';
import { announcementOf } from './support/cli.ts';
import { startSession } from './support/mcp-http.ts';

const root = path.resolve(import.meta.dirname, '..');
const fixture = path.join(root, 'bench/lib/host.mjs');

let folder = '';
const installed = (...parts: string[]): string => path.join(folder, 'node_modules', ...parts);

/** Runs npm: the one that runs these tests, where it does. */
async function runNpm(...args: string[]): Promise<void> {
  const cli = process.env['npm_execpath'];
  const [command, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  await promisify(execFile)(command ?? '', [...first, ...args], { cwd: folder });
}

/** Runs the program as its package installed it. */
async function mcpctl(
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [installed('.bin', 'mcpctl'), ...args];
  try {
    const printed = await promisify(execFile)(process.execPath, command, { cwd: folder });
    return { code: 0, ...printed };
  } catch (error) {
    // What a program that ended with another code is reported as.
    return error as { code: number; stdout: string; stderr: string };
  }
}

/** What draws PNG; as it is installed here, so that nothing depends on what the cache of npm happens to have. */
const drawing = ['@fontsource/arimo', '@resvg/resvg-wasm'].map((name) => `node_modules/${name}`);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcpctl-installed-'));
  const packed = ['packages/mcpctl', ...drawing].map((part) => path.join(root, part));
  await runNpm('pack', ...packed, '--ignore-scripts', '--silent');
  const archives = (await readdir(folder)).map((archive) => `./${archive}`);
  // Without the database of --store, which has a binary for each system.
  const bare = ['--offline', '--ignore-scripts', '--no-audit', '--omit=optional'];
  await runNpm('install', ...archives, ...bare);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('mcpctl installs with nothing but what draws PNG and what keeps state, and without that in less than 10 MB', async () => {
  const text = await readFile(installed('.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: object };
  expect(Object.keys(packages)).toEqual([...drawing, 'node_modules/mcpctl']);
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(installed('mcpctl/package.json'), 'utf8'),
  ) as Record<string, object | undefined>;
  expect(dependencies).toBeUndefined();
  const optional = Object.keys(optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  const keeping = ['node_modules/ioredis', 'node_modules/libsql'];
  expect(optional).toEqual([...drawing, ...keeping]);
  const files = await readdir(installed(), { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await lstat(installed(file))).size));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  expect(megabytes).toBeLessThan(10);
});

test('mcpctl works where nothing else is installed', async () => {
  const server = [process.execPath, fixture, 'floor', 'stdio', '{"era":"2025-11-25"}'];
  const listed = await mcpctl('tools', '--json', '--', ...server);
  expect(listed).toMatchObject({ code: 0 });
  const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toContain('echo');
});

test('mcpctl keeps state in memory where the database of --store is not installed, and says so', async () => {
  const args = ['serve', '--port', '0', '--json', '--store', path.join(folder, 'state')];
  await using child = new Child(process.execPath, [installed('.bin', 'mcpctl'), ...args]);
  const { url } = await announcementOf(child);
  expect(child.stderr).toMatch(/state is kept in memory.*libsql/);
  expect(child.stderr.match(/state is kept in memory/g)).toHaveLength(1);
  const session = await startSession(url);
  expect((await session.request('ping')).status).toBe(200);
  // Who shares a store does not mean the memory of one process.
  const shared = await mcpctl('serve', '--port', '0', '--store', 'redis://127.0.0.1:9');
  expect(shared.code).not.toBe(0);
  expect(shared.stderr).toContain('Install ioredis');
});

test('what mcpctl bundles it also finds: the validator of arguments', async () => {
  const server = [process.execPath, fixture, 'floor', 'stdio', '{"era":"2025-11-25"}'];
  const refused = await mcpctl(
    'call',
    'echo',
    '--args',
    '{"message":1}',
    '--json',
    '--',
    ...server,
  );
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('message');
  expect(refused.stderr).not.toContain('bug');
});

test('what mcpctl bundles it also finds: the reader and writer of YAML', async () => {
  const file = path.join(folder, 'mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers: { far: { command: 'a', args: ['b c'] } } }));
  const written = await mcpctl('config', 'convert', '--in', file, '--to', 'goose');
  expect(written).toMatchObject({ code: 0 });
  expect(written.stdout).toContain('cmd: a\n');
  const yaml = path.join(folder, 'config.yaml');
  await writeFile(yaml, written.stdout);
  const read = await mcpctl('config', 'convert', '--in', yaml, '--from', 'goose', '--to', 'cursor');
  expect(read).toMatchObject({ code: 0 });
  expect(JSON.parse(read.stdout)).toMatchObject({
    mcpServers: { far: { command: 'a', args: ['b c'] } },
  });
});

test('an error of the library is known for what it is throughout the program', async () => {
  const failed = await mcpctl('tools', '--json', '--', path.join(folder, 'no-such-program'));
  const { error } = JSON.parse(failed.stdout) as { error: { code: string } };
  expect(error.code).toBe('process_failed');
});

test('the Cocos pack comes with it, with its sample project and what reads scripts', async () => {
  const server = [process.execPath, installed('.bin', 'mcpctl'), 'cocos', 'serve', '--sample'];
  const call = ['call', 'list_component_classes', 'of=scripts', '--json', '--', ...server];
  const called = await mcpctl(...call);
  expect(called).toMatchObject({ code: 0 });
  expect(called.stdout).toContain('MenuView');
  const sample = installed('mcpctl/dist/cocos-sample');
  expect(await mcpctl('cocos', 'validate', sample)).toMatchObject({ code: 0 });
  const original = await readdir(path.join(root, 'packages/cocos/sample'), { recursive: true });
  const shipped = await readdir(sample, { recursive: true });
  expect(shipped.sort()).toEqual(original.filter((name) => name !== '.gitignore').sort());
});

test('the licences of all that mcpctl contains come with it', async () => {
  const text = await readFile(installed('mcpctl/dist/licenses.txt'), 'utf8');
  const names = ['ajv', 'cross-spawn', 'jsonc-parser', 'smol-toml', 'yaml', 'acorn'];
  for (const name of [...names, '@sveltejs/acorn-typescript']) {
    expect(text).toMatch(new RegExp(`^${name} [0-9.]+ \\((MIT|ISC|BSD-3-Clause)\\)$`, 'm'));
  }
});
