import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const library = path.join(root, 'packages/mcp-kit');
const dist = path.join(library, 'dist');

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

async function readJson<Type>(file: string): Promise<Type> {
  return JSON.parse(await readFile(file, 'utf8')) as Type;
}

/** The public entries, as `client` or `transport/http`. */
async function publicEntries(): Promise<string[]> {
  const manifest = await readJson<Manifest>(path.join(library, 'package.json'));
  const targets = Object.entries(manifest.exports).filter(([, target]) => target instanceof Object);
  return targets.map(([name]) => name.slice('./'.length));
}

const entries = await publicEntries();

/** The names that each entry exports, asked of a process that has only what is shipped. */
async function shippedNames(): Promise<Record<string, string[]>> {
  const program = `
    const names = async (entry) => [entry, Object.keys(await import('mcp-kit/' + entry)).sort()];
    const all = await Promise.all(${JSON.stringify(entries)}.map(names));
    console.log(JSON.stringify(Object.fromEntries(all)));`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as Record<string, string[]>;
}

/** A file of `dist` and all that loading it loads. */
async function filesLoadedBy(file: string, loaded = new Set<string>()): Promise<Set<string>> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const code = await readFile(file, 'utf8');
  for (const [, name] of code.matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']/g)) {
    await filesLoadedBy(path.resolve(path.dirname(file), name ?? ''), loaded);
  }
  return loaded;
}

/** The source modules in a file of `dist`, as `server/peer.ts`; none for one that only points to another. */
async function modulesIn(file: string): Promise<string[]> {
  const map = await readJson<{ sources: string[] }>(`${file}.map`).catch(() => ({ sources: [] }));
  return map.sources.map((source) =>
    path.relative(path.join(library, 'src'), path.resolve(path.dirname(file), source)),
  );
}

async function modulesLoadedBy(...names: string[]): Promise<string[]> {
  const files = new Set<string>();
  for (const name of names) await filesLoadedBy(path.join(dist, name, 'index.js'), files);
  return (await Promise.all([...files].map(modulesIn))).flat();
}

async function layersLoadedBy(...names: string[]): Promise<Set<string | undefined>> {
  const modules = await modulesLoadedBy(...names);
  return new Set(modules.map((module) => module.split(path.sep)[0]));
}

test('each entry exports what its source exports', async () => {
  const shipped = await shippedNames();
  for (const entry of entries) {
    const source = (await import(path.join(library, 'src', entry, 'index.ts'))) as object;
    expect([entry, shipped[entry]]).toEqual([entry, Object.keys(source).sort()]);
  }
});

test('no module is shipped twice', async () => {
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  const modules = (await Promise.all(files.map((file) => modulesIn(path.join(dist, file))))).flat();
  expect(modules.length).toBeGreaterThan(50);
  expect(modules.filter((module, index) => modules.indexOf(module) !== index)).toEqual([]);
});

test('a client loads no server', async () => {
  const remotes = ['transport', 'transport/child-process', 'transport/http-client'];
  const layers = await layersLoadedBy('client', ...remotes);
  expect(layers).toContain('jsonrpc');
  expect(layers).not.toContain('server');
  expect(layers).not.toContain('tools');
});

test('a server loads no client', async () => {
  const layers = await layersLoadedBy('server', 'tools', 'transport', 'transport/http');
  expect(layers).toContain('server');
  expect(layers).toContain('tools');
  expect(layers).not.toContain('client');
});

test('a server loads nothing that is only for those who build, call or watch its tools', async () => {
  const modules = await modulesLoadedBy('server', 'tools', 'transport', 'transport/http');
  const around = ['lint/lint', 'manifest-diff', 'retry', 'trace-sinks', 'waterfall'];
  const paths = around.map((name) => path.join('tools', `${name}.ts`));
  expect(modules.filter((module) => paths.includes(module))).toEqual([]);
  expect(await modulesLoadedBy('tools/govern')).toEqual(expect.arrayContaining(paths));
});
