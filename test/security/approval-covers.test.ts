import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createManager, loadConfig, type Manager, type Receipt } from '@mcp-kit/host';
import { updateReceipts, receiptFor, withReceipt } from '@mcp-kit/host/internal';
import { afterAll, describe, expect, test } from 'vitest';
import { echo, writePlainServer, writeTools } from './plain-server.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const answer = [{ type: 'text', text: 'hi' }];
const refused = { code: 'refused_by_policy', details: { ran: false } };

/** A project with one server; `bin` is a folder of programs outside of it. */
class Project {
  readonly #base = mkdtempSync(path.join(os.tmpdir(), 'mcp-covers-'));
  readonly root = path.join(this.#base, 'work');
  readonly bin = path.join(this.#base, 'bin');
  readonly home = path.join(this.#base, 'home');

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    folders.push(this.#base);
    for (const folder of [this.root, this.bin, this.home]) mkdirSync(folder);
    writePlainServer(this.at('server.cjs'), this.at('tools.json'));
    writeTools(this.at('tools.json'), [echo]);
    const PATH = `${this.bin}:${process.env['PATH']}`;
    const entry = { command, args, env: { PATH, HOME: this.home, ...env } };
    writeFileSync(this.at('.mcp.json'), JSON.stringify({ mcpServers: { one: entry } }));
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  /** A program outside of the project, which is a script of the shell. */
  program(name: string, script: string): string {
    const file = path.join(this.bin, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  async open(): Promise<Manager> {
    const { root } = this;
    const { entries } = await loadConfig({ root });
    const receipts = path.join(this.#base, 'trust.json');
    return createManager({ entries, root, receipts, toolCache: false, reconnect: false });
  }

  async approve(pin = false): Promise<Receipt> {
    await using manager = await this.open();
    return (await manager.approve('one', { by: 'test', pin })).receipt;
  }

  async standing(): Promise<{ readonly verdict: string; readonly changed: readonly string[] }> {
    await using manager = await this.open();
    const { verdict, changes } = await manager.trustOf('one');
    return { verdict, changed: changes.map(({ pointer }) => pointer) };
  }

  /** Makes the receipt another one. */
  async rewrite(change: (receipt: Receipt) => Receipt): Promise<void> {
    const { entries } = await loadConfig({ root: this.root });
    const [entry] = entries;
    if (entry === undefined) throw new Error('the server is not there');
    await updateReceipts(path.join(this.#base, 'trust.json'), (all) => {
      const receipt = receiptFor(all, entry);
      return receipt === undefined ? all : withReceipt(all, entry, change(receipt));
    });
  }

  async visit(): Promise<unknown> {
    await using manager = await this.open();
    try {
      return (await manager.server('one').callTool('echo', { text: 'hi' })).content;
    } catch (error) {
      return error;
    }
  }
}

const trusted = { verdict: 'trusted', changed: [] };

test('editing the script of an interpreter asks again, upgrading the interpreter does not', async () => {
  const project = new Project('node', ['server.cjs']);
  const node = project.program('node', `exec '${process.execPath}' "$@"`);
  const { executable, runs } = await project.approve(true);
  expect(executable).toBeUndefined();
  expect(runs).toMatchObject({
    runners: ['node'],
    files: { 'server.cjs': { path: project.at('server.cjs') } },
    gaps: [
      expect.stringContaining('imports') as unknown,
      expect.stringMatching(/^node: /) as unknown,
    ],
  });
  expect(await project.visit()).toEqual(answer);
  // A later version, somewhere else.
  rmSync(node);
  symlinkSync(process.execPath, node);
  expect(await project.visit()).toEqual(answer);
  appendFileSync(project.at('server.cjs'), '// one more line\n');
  expect(await project.visit()).toMatchObject(refused);
  const { changed } = await project.standing();
  expect(changed).toEqual(['/runs/files/server.cjs/sha256', '/runs/files/server.cjs/size']);
  await project.approve();
  expect(await project.visit()).toEqual(answer);
});

test('the script is looked at before each start, also of a server that was lost', async () => {
  const project = new Project('node', ['server.cjs']);
  await project.approve();
  await using manager = await project.open();
  expect(await manager.server('one').callTool('echo', { text: 'hi' })).toMatchObject({
    content: answer,
  });
  await manager.disconnect('one');
  appendFileSync(project.at('server.cjs'), '// one more line\n');
  await expect(manager.server('one').callTool('echo', { text: 'hi' })).rejects.toMatchObject(
    refused,
  );
});

test('an interpreter that is in the project is held to its bytes, too', async () => {
  const project = new Project('./tools/node', ['server.cjs']);
  mkdirSync(project.at('tools'));
  writeFileSync(project.at('tools/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  expect(await project.approve()).toMatchObject({
    executable: { found: project.at('tools/node') },
  });
  expect(await project.standing()).toEqual(trusted);
  appendFileSync(project.at('tools/node'), '# more\n');
  expect(await project.standing()).toMatchObject({ verdict: 'changed' });
});

describe('the file is covered that', () => {
  test.each<[string, string, readonly string[], string]>([
    ['node loads before', 'node', ['--import', './hook.mjs', 'server.cjs'], 'hook.mjs'],
    ['node loads before, with =', 'node', ['--require=./hook.cjs', 'server.cjs'], 'hook.cjs'],
    ['node finds by its name', 'node', ['lib/main'], 'lib/main.js'],
    ['node finds in a folder', 'node', ['lib'], 'lib/index.js'],
    ['python runs', 'python3', ['-u', 'x.py', '--port', '1'], 'x.py'],
    ['python runs as a module', 'python', ['-m', 'pack.server'], 'pack/server.py'],
    ['python runs as a package', 'python3.12', ['-m', 'pack'], 'pack/__main__.py'],
    ['a shell runs', 'bash', ['-e', 'x.sh', 'y'], 'x.sh'],
    ['deno runs', 'deno', ['run', '--allow-net', 'x.ts'], 'x.ts'],
    ['bun runs', 'bun', ['run', 'x.ts'], 'x.ts'],
    ['tsx runs', 'tsx', ['x.ts'], 'x.ts'],
    ['uv runs', 'uv', ['run', '--with', 'mcp', 'x.py'], 'x.py'],
    ['uv runs elsewhere', 'uv', ['--directory', 'lib', 'run', 'x.py'], 'lib/x.py'],
    ['java runs', 'java', ['-Xmx1g', '-jar', 'x.jar'], 'x.jar'],
    ['env starts node with', 'env', ['-u', 'A', 'B=c', 'node', 'x.mjs'], 'x.mjs'],
    ['cmd starts', 'cmd', ['/d', '/c', 'node', 'x.mjs'], 'x.mjs'],
    ['env starts', 'env', ['A=b', './x.sh'], 'x.sh'],
    ['names the scripts of npm', 'npm', ['run', 'serve'], 'package.json'],
    [
      'npx runs where it is installed in the project',
      'npx',
      ['-y', 'tool@1.2.3'],
      'node_modules/tool/cli.js',
    ],
  ])('%s', async (...row) => {
    const [, command, args, file] = row;
    const project = new Project(command, args);
    project.program(command, 'exit 0');
    const place = project.at(file);
    mkdirSync(path.dirname(place), { recursive: true });
    if (file.startsWith('node_modules')) {
      const manifest = { name: 'tool', version: '1.2.3', bin: './cli.js' };
      writeFileSync(path.join(path.dirname(place), 'package.json'), JSON.stringify(manifest));
    }
    writeFileSync(place, '{}', { mode: 0o755 });
    const { runs } = await project.approve();
    expect(Object.values(runs?.files ?? {}).map((covered) => covered.path)).toContain(place);
    expect(await project.standing()).toEqual(trusted);
    writeFileSync(place, '{ }', { mode: 0o755 });
    expect(await project.standing()).toMatchObject({ verdict: 'changed' });
  });

  test('was not there when it was approved', async () => {
    const project = new Project('node', ['late.cjs']);
    const { runs } = await project.approve();
    expect(runs?.gaps).toContain(`late.cjs: no such file in ${project.root}`);
    writeFileSync(project.at('late.cjs'), '');
    expect(await project.standing()).toMatchObject({ verdict: 'changed' });
  });
});

describe('a package', () => {
  const spec = '@scope/tool@1.2.3';

  /** What npm has noted of it in the folder where it keeps what npx has fetched. */
  function fetched(project: Project, integrity: string): void {
    const key = createHash('sha512').update(spec).digest('hex').slice(0, 16);
    const folder = path.join(project.home, '.npm', '_npx', key);
    mkdirSync(folder, { recursive: true });
    const packages = { 'node_modules/@scope/tool': { version: '1.2.3', integrity } };
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  }

  test('is covered with its integrity where npx has fetched it before', async () => {
    const project = new Project('npx', ['-y', spec, 'serve']);
    fetched(project, 'sha512-one');
    const { runs } = await project.approve();
    expect(runs?.package).toEqual({ spec, integrity: 'sha512-one' });
    expect(await project.standing()).toEqual(trusted);
    fetched(project, 'sha512-two');
    expect(await project.standing()).toEqual({
      verdict: 'changed',
      changed: ['/runs/package/integrity'],
    });
  });

  test('is covered by its version where nothing more is known, which is said', async () => {
    const project = new Project('npx', ['--yes', spec]);
    const { runs } = await project.approve();
    expect(runs).toMatchObject({ package: { spec } });
    expect(runs?.gaps.join('\n')).toMatch(/content of @scope\/tool@1\.2\.3/);
    // What is fetched by the first start is not another thing.
    fetched(project, 'sha512-one');
    expect(await project.standing()).toEqual(trusted);
  });

  test('that comes to be installed in the project asks again: that one would run', async () => {
    const project = new Project('npx', ['-y', spec]);
    await project.approve();
    mkdirSync(project.at('node_modules/@scope/tool'), { recursive: true });
    writeFileSync(project.at('node_modules/@scope/tool/package.json'), '{"version":"1.2.3"}');
    expect(await project.standing()).toMatchObject({ verdict: 'changed' });
  });

  test.each<[string, readonly string[], string, boolean]>([
    ['npx', ['tool'], 'tool', false],
    ['npx', ['-y', '@scope/tool@latest'], '@scope/tool@latest', false],
    ['npx', ['--package=tool@1.0.0', 'tool-cli'], 'tool@1.0.0', true],
    ['npm', ['exec', '--yes', 'tool@1.0.0'], 'tool@1.0.0', true],
    ['pnpm', ['dlx', 'tool@^1'], 'tool@^1', false],
    ['yarn', ['dlx', 'tool@1.0.0'], 'tool@1.0.0', true],
    ['bunx', ['tool@1.0.0'], 'tool@1.0.0', true],
    ['bun', ['x', 'tool@1.0.0'], 'tool@1.0.0', true],
    ['uvx', ['tool==1.0'], 'tool==1.0', true],
    ['uvx', ['--from', 'tool@1.0', 'tool-cli'], 'tool@1.0', true],
    ['uvx', ['tool'], 'tool', false],
    ['uv', ['tool', 'run', 'tool@2.1'], 'tool@2.1', true],
    ['pipx', ['run', '--spec', 'tool==1.0', 'cli'], 'tool==1.0', true],
  ])('of %s %j is known, and whether each start may be another', async (...row) => {
    const [command, args, name, exact] = row;
    const project = new Project(command, args);
    project.program(command, 'exit 0');
    const { runs } = await project.approve();
    expect(runs?.package?.spec).toBe(name);
    expect(runs?.gaps.some((gap) => gap.includes('no exact version'))).toBe(!exact);
  });
});

describe('an image', () => {
  const ids = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`);

  test('is covered by the digest that the engine tells', async () => {
    const args = [
      'run',
      '-i',
      '--rm',
      '-e',
      'TOKEN',
      '-v',
      '/a:/b',
      '--name=x',
      'mcp/tool:1',
      'serve',
    ];
    const project = new Project('docker', args);
    const asked = path.join(project.home, 'asked');
    const tell = (id = ''): string =>
      project.program('docker', `echo "$@" >> '${asked}'; echo ${id}`);
    tell(ids[0]);
    const { runs } = await project.approve();
    expect(runs?.image).toEqual({ name: 'mcp/tool:1', digest: ids[0] });
    expect(readFileSync(asked, 'utf8')).toMatch(/^image inspect .* mcp\/tool:1$/m);
    expect(await project.standing()).toEqual(trusted);
    tell(ids[1]);
    expect(await project.standing()).toEqual({
      verdict: 'changed',
      changed: ['/runs/image/digest'],
    });
  });

  test('is covered by the digest in its name', async () => {
    const project = new Project('podman', ['run', '-i', `tool@${ids[0]}`]);
    project.program('podman', 'exit 1');
    expect((await project.approve()).runs?.image?.digest).toBe(ids[0]);
  });

  test('that the engine does not tell of is covered by its name, which is said', async () => {
    const project = new Project('docker', ['run', '-i', 'tool']);
    project.program('docker', 'exit 1');
    const { runs } = await project.approve();
    expect(runs?.image).toEqual({ name: 'tool' });
    expect(runs?.gaps.join('\n')).toMatch(/content of tool/);
  });
});

test.each<[string, readonly string[], RegExp]>([
  ['sh', ['-c', 'exec ./server.cjs'], /program text/],
  ['node', ['-e', 'require("./server.cjs")'], /program text/],
  ['node', ['--version'], /do not tell/],
  ['docker', ['compose', 'up'], /do not tell/],
])('what %s %j runs is not covered, which is said', async (command, args, gap) => {
  const project = new Project(command, args);
  project.program(command, 'exit 0');
  const { runs } = await project.approve();
  expect(runs?.gaps.join('\n')).toMatch(gap);
  expect(await project.standing()).toEqual(trusted);
});

test('a receipt that knows only of the interpreter asks again', async () => {
  const project = new Project('node', ['server.cjs']);
  await project.approve();
  await project.rewrite(({ runs: _, ...receipt }) => {
    const node = { path: process.execPath, size: 1, sha256: '0'.repeat(64) };
    return { ...receipt, executable: { found: process.execPath, ...node } };
  });
  expect(await project.standing()).toEqual({
    verdict: 'changed',
    changed: ['/executable', '/runs'],
  });
  await project.approve();
  expect(await project.standing()).toEqual(trusted);
});
