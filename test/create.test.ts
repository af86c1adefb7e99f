import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const creator = path.join(root, 'packages/create-mcp-kit/bin/create-mcp-kit.js');

let folder = '';
const project = (...parts: string[]): string => path.join(folder, 'My Server', ...parts);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(cwd: string, command: string, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: path.join(folder, 'home') };
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, { cwd, env })) };
  } catch (error) {
    return error as Ended;
  }
}

const node = (cwd: string, ...args: string[]): Promise<Ended> =>
  run(cwd, process.execPath, ...args);

/** Runs npm: the one that runs these tests, where it does. */
function npm(cwd: string, ...args: string[]): Promise<Ended> {
  const cli = process.env['npm_execpath'];
  return cli?.endsWith('.js') ? node(cwd, cli, ...args) : run(cwd, 'npm', ...args);
}

/** Unpacks a package, as an installation would. */
async function unpack(name: string): Promise<void> {
  const archives = await readdir(folder);
  const archive = archives.find((file) => file.startsWith(`${name}-`) && file.endsWith('.tgz'));
  const target = project('node_modules', name);
  await mkdir(target, { recursive: true });
  await run(
    folder,
    'tar',
    '-xzf',
    path.join(folder, archive ?? ''),
    '-C',
    target,
    '--strip-components=1',
  );
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'create-mcp-kit-'));
  const packages = ['mcp-kit', 'mcpctl'].map((name) => path.join(root, 'packages', name));
  await npm(folder, 'pack', ...packages, '--ignore-scripts', '--silent');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('makes a project that compiles, passes its test and answers, with packed packages', async () => {
  const made = await node(folder, creator, 'My Server', '--no-install', '--packages', '.');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('npx mcpctl call my-server.get_number_sum a=2 b=3');
  expect(existsSync(project('.gitignore'))).toBe(true);
  expect(await readFile(project('skills/my-server/SKILL.md'), 'utf8')).toMatch(
    /^---\nname: my-server\n/,
  );
  // Without a network: what the packages need is what this repository has.
  for (const name of ['mcp-kit', 'mcpctl']) await unpack(name);
  for (const name of await readdir(path.join(root, 'node_modules'))) {
    const there = project('node_modules', name);
    if (!existsSync(there)) await symlink(path.join(root, 'node_modules', name), there);
  }
  const manifest = JSON.parse(await readFile(project('package.json'), 'utf8')) as {
    readonly dependencies: object;
  };
  expect(manifest.dependencies).toEqual({
    'mcp-kit': expect.stringMatching(/^file:.*mcp-kit-\d+\.\d+\.\d+\.tgz$/) as unknown,
  });
  expect(await node(project(), 'node_modules/typescript/bin/tsc')).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(await node(project(), '--test', 'dist/tools.test.js')).toMatchObject({ code: 0 });
  const mcpctl = project('node_modules/mcpctl/bin/mcpctl.js');
  const refused = await node(project(), mcpctl, 'call', 'my-server.get_number_sum', 'a=2', 'b=3');
  expect(refused.code).toBe(3);
  expect(await node(project(), mcpctl, 'trust', 'approve', 'my-server', '--yes')).toMatchObject({
    code: 0,
  });
  const called = await node(project(), mcpctl, 'call', 'my-server.get_number_sum', 'a=2', 'b=3');
  expect(called).toMatchObject({ code: 0, stdout: '2 + 3 = 5\n' });
  const linted = await node(project(), mcpctl, 'config', 'lint', '--strict');
  expect(linted).toMatchObject({ code: 0 });
});

test('names the release of its own version, and says what is wrong', async () => {
  const made = await node(folder, creator, 'other', '--no-install');
  expect(made).toMatchObject({ code: 0 });
  const manifest = await readFile(path.join(folder, 'other/package.json'), 'utf8');
  const { version } = JSON.parse(
    await readFile(path.join(root, 'packages/create-mcp-kit/package.json'), 'utf8'),
  ) as { readonly version: string };
  expect(JSON.parse(manifest)).toMatchObject({
    name: 'other',
    dependencies: { 'mcp-kit': version },
    devDependencies: { mcpctl: version },
  });
  const again = await node(folder, creator, 'other');
  expect(again).toMatchObject({ code: 2 });
  expect(again.stderr).toMatch(/other is not empty\nName a new folder/);
  expect((await node(folder, creator, '--wat')).stderr).toMatch(
    /--wat[^]*Usage: npm create mcp-kit/,
  );
  expect((await node(folder, creator, 'x', '--packages', 'nowhere')).stderr).toMatch(
    /there is no .*\nPack it: npm pack/,
  );
  expect((await node(folder, creator, '--help')).stdout).toMatch(/^Usage: npm create mcp-kit/);
  expect(existsSync(path.join(folder, 'x'))).toBe(false);
});
