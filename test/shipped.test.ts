import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const library = path.join(root, 'packages/mcp-kit');
const dist = path.join(library, 'dist');
const libraries = ['mcp-kit', 'store-file', 'store-redis', 'host', 'console', 'cocos'];

interface Entry {
  readonly default: string;
  readonly '@mcp-kit/source': string;
}

type Entries = Readonly<Record<string, string | Entry>>;

interface Manifest {
  readonly name: string;
  readonly exports: Entries;
  readonly imports: Entries;
}

async function readJson<Type>(file: string): Promise<Type> {
  return JSON.parse(await readFile(file, 'utf8')) as Type;
}

const manifest = await readJson<Manifest>(path.join(library, 'package.json'));

/** The files that a part of the manifest names, under a condition. */
const filesIn = (part: Entries, condition: keyof Entry = 'default'): [string, string][] =>
  Object.entries(part).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [[name, target[condition]]],
  );

/** The entries without those that have only a source, which are for tests. */
const shippedIn = (part: Entries): Entries =>
  Object.fromEntries(
    Object.entries(part).filter(([, target]) => typeof target !== 'string' && 'default' in target),
  );

/** The file of each entry, by names as `client` or `transport/http`; the root has none. */
const entries = new Map(
  filesIn(manifest.exports).map(([name, file]) => [name.slice(2), path.join(library, file)]),
);

/** The names that entries export, asked of a process that has only what is shipped. */
async function shippedNames(entriesOfPackage: readonly string[]): Promise<string[][]> {
  const program = `
    const names = async (entry) => Object.keys(await import(entry)).sort();
    const all = await Promise.all(${JSON.stringify(entriesOfPackage)}.map(names));
    console.log(JSON.stringify(all));`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as string[][];
}

/** A file of `dist` and all that loading it loads. */
async function filesLoadedBy(file: string, loaded = new Set<string>()): Promise<Set<string>> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const code = await readFile(file, 'utf8');
  for (const [, name = ''] of code.matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+)["']/g)) {
    await filesLoadedBy(path.resolve(path.dirname(file), name), loaded);
  }
  return loaded;
}

/** Whether a file of `dist` has code of ours: an entry may only name what is elsewhere, and one file is the bundler's. */
async function hasCode(file: string): Promise<boolean> {
  if (path.basename(file) === 'rolldown-runtime.js') return false;
  return !/^(?:(?:import|export)\b[^;]*;\s*)*$/.test(await readFile(file, 'utf8'));
}

/** The source modules in a file of `dist`, as `server/peer.ts`. */
async function modulesIn(file: string): Promise<string[]> {
  if (!(await hasCode(file))) return [];
  const map = await readJson<{ sources: (string | null)[] }>(`${file}.map`);
  return map.sources
    .filter((source) => source !== null)
    .map((source) =>
      path.relative(path.join(library, 'src'), path.resolve(path.dirname(file), source)),
    );
}

async function modulesLoadedBy(...names: string[]): Promise<string[]> {
  const files = new Set<string>();
  for (const name of names) await filesLoadedBy(entries.get(name) ?? name, files);
  return (await Promise.all([...files].map(modulesIn))).flat();
}

async function layersLoadedBy(...names: string[]): Promise<Set<string | undefined>> {
  const modules = await modulesLoadedBy(...names);
  return new Set(modules.map((module) => module.split(path.sep)[0]));
}

test.each(libraries)(
  'each entry of %s exports what its source exports, and nothing else',
  async (name) => {
    const folder = path.join(root, 'packages', name);
    const told = await readJson<Manifest>(path.join(folder, 'package.json'));
    const sources = filesIn(shippedIn(told.exports), '@mcp-kit/source');
    const entryNames = sources.map(([entry]) => path.posix.join(told.name, entry));
    const shipped = await shippedNames(entryNames);
    expect(entryNames).toContain(told.name);
    for (const [at, [entry, file]] of sources.entries()) {
      const source = (await import(path.join(folder, file))) as object;
      expect([entry, shipped[at]]).toEqual([entry, Object.keys(source).sort()]);
    }
  },
);

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

test('a client over HTTP loads no processes', async () => {
  const modules = await modulesLoadedBy('client', 'transport/http-client');
  const folders = new Set(modules.map((module) => path.dirname(module)));
  expect(folders).toContain(path.join('transport', 'http-client'));
  expect(folders).not.toContain(path.join('transport', 'child-process'));
});

test('a server is few files, as each takes its time to load', async () => {
  const files = await filesLoadedBy(path.join(dist, 'index.js'));
  await filesLoadedBy(entries.get('transport') ?? '', files);
  expect([...files].map((file) => path.relative(dist, file)).sort()).toEqual([
    'core.js',
    'index.js',
    'serving.js',
    'transport/index.js',
  ]);
});

test('a server loads no client', async () => {
  const layers = await layersLoadedBy('server', 'tools', 'transport', 'transport/http');
  expect(layers).toContain('server');
  expect(layers).toContain('tools');
  expect(layers).not.toContain('client');
});

test('a server of plain tools loads neither governance nor workflows, and a governed one no workflows', async () => {
  const folders = (modules: string[]): Set<string> =>
    new Set(modules.map((module) => path.dirname(module)));
  const plain = folders(await modulesLoadedBy('server', 'tools', 'transport', 'transport/http'));
  const own = ['governed', 'lint', 'workflow'].map((name) => path.join('tools', name));
  expect(own.filter((folder) => plain.has(folder))).toEqual([]);
  const governed = folders(await modulesLoadedBy('tools/governed'));
  expect(own.filter((folder) => governed.has(folder))).toEqual([path.join('tools', 'governed')]);
  expect(governed).not.toContain('store');
});

test('a server loads nothing that is only for those who build, call or watch its tools', async () => {
  const modules = await modulesLoadedBy('server', 'tools', 'transport', 'transport/http');
  const around = ['lint/lint', 'manifest/manifest-diff', 'retry', 'trace/trace-sinks'];
  const paths = around.map((name) => path.join('tools', ...`${name}.ts`.split('/')));
  expect(modules.filter((module) => paths.includes(module))).toEqual([]);
  expect(await modulesLoadedBy('tools/inspect')).toEqual(expect.arrayContaining(paths));
});

test.each(libraries)('maps of %s lead to what is published with it', async (name) => {
  const folder = path.join(root, 'packages', name);
  const args = ['pack', folder, '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 1e8 });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const published = new Set(files.map((file) => file.path));
  expect(published).toContain('LICENSE');
  expect(published).toContain('README.md');
  const maps = [...published].filter((file) => file.endsWith('.map'));
  const unmapped = [...published].filter(
    // What browsers load is one file without a map.
    (file) => /^dist\/(?!page\/).*\.(?:js|d\.ts)$/.test(file) && !published.has(`${file}.map`),
  );
  const places = unmapped.map((file) => path.join(folder, file));
  expect(await Promise.all(places.map(hasCode))).not.toContain(true);
  for (const map of maps) {
    const { sources } = await readJson<{ sources: string[] }>(path.join(folder, map));
    const originals = sources.map((source) => path.join(path.dirname(map), source));
    expect([map, originals.filter((place) => !published.has(place))]).toEqual([map, []]);
  }
});
