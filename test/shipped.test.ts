import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const library = path.join(root, 'packages/mcp-kit');
const dist = path.join(library, 'dist');

interface Entry {
  readonly default: string;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Entry>>;
}

async function readJson<Type>(file: string): Promise<Type> {
  return JSON.parse(await readFile(file, 'utf8')) as Type;
}

/** The file of each public entry, by names as `client` or `transport/http`; the root has none. */
async function publicEntries(): Promise<Map<string, string>> {
  const manifest = await readJson<Manifest>(path.join(library, 'package.json'));
  return new Map(
    Object.entries(manifest.exports).flatMap(([name, target]) =>
      typeof target === 'string'
        ? []
        : [[name.slice('./'.length), path.join(library, target.default)]],
    ),
  );
}

const entries = await publicEntries();

/** The names that each entry exports, asked of a process that has only what is shipped. */
async function shippedNames(): Promise<Record<string, string[]>> {
  const program = `
    const find = (entry) => import(['mcp-kit', entry].filter(Boolean).join('/'));
    const names = async (entry) => [entry, Object.keys(await find(entry))];
    const all = await Promise.all(${JSON.stringify([...entries.keys()])}.map(names));
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

/** The source modules in a file of `dist`, as `server/peer.ts`. */
async function modulesIn(file: string): Promise<string[]> {
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

// Entries that share a file have its other names as well, of which their types say nothing.
test('each entry exports what its source exports', async () => {
  const shipped = await shippedNames();
  for (const entry of entries.keys()) {
    const source = (await import(path.join(library, 'src', entry, 'index.ts'))) as object;
    const missing = Object.keys(source).filter((name) => !shipped[entry]?.includes(name));
    expect([entry, missing]).toEqual([entry, []]);
  }
});

test('no module is shipped twice', async () => {
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.mjs'));
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

test('a client over HTTP is two files, without what only checks of results need', async () => {
  const files = await filesLoadedBy(entries.get('') ?? '');
  await filesLoadedBy(entries.get('client') ?? '', files);
  await filesLoadedBy(entries.get('transport/http-client') ?? '', files);
  expect([...files].map((file) => path.basename(file)).sort()).toEqual([
    'client.mjs',
    'mcp-kit.mjs',
  ]);
  expect(await layersLoadedBy('client')).not.toContain('schema');
});

test('a client over HTTP loads nothing of the lower layers that only pipes, servers and stores need', async () => {
  const modules = await modulesLoadedBy('client', 'transport/http-client');
  const others = ['base/lock-file', 'protocol/request-state', 'transport/stream-channel'];
  const paths = others.map((name) => path.normalize(`${name}.ts`));
  expect(modules.filter((module) => paths.includes(module))).toEqual([]);
  expect(await modulesLoadedBy('base', 'protocol', 'transport')).toEqual(
    expect.arrayContaining(paths),
  );
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
  const around = ['lint/lint', 'manifest-diff', 'retry', 'trace-sinks', 'waterfall'];
  const paths = around.map((name) => path.join('tools', `${name}.ts`));
  expect(modules.filter((module) => paths.includes(module))).toEqual([]);
  expect(await modulesLoadedBy('tools/inspect')).toEqual(expect.arrayContaining(paths));
});

/** Connects and calls over HTTP for the first time; prints which functions in parentheses have run, and which have not. */
const firstCall = `
  import { readFile } from 'node:fs/promises';
  import { createServer } from 'node:http';
  import { Session } from 'node:inspector/promises';
  import { text } from 'node:stream/consumers';
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } },
    'tools/call': { content: [{ type: 'text', text: 'any text '.repeat(20) }] },
  };
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{}');
    response.writeHead(method in results ? 200 : 202, { 'content-type': 'application/json' });
    response.end(method in results ? JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) : '');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true });
  const { httpTarget, openSession } = await import('mcp-kit');
  const target = httpTarget('http://127.0.0.1:' + server.address().port);
  const session = await openSession(target, { era: 'legacy' });
  await session.callTool('any');
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const found = { run: [], idle: [] };
  for (const { url, functions } of result.filter(({ url }) => url.includes('/mcp-kit/dist/'))) {
    const code = await readFile(new URL(url), 'utf8');
    for (const { functionName, ranges: [{ startOffset, count }] } of functions) {
      const isEager = /=\\(\\s*$/.test(code.slice(0, startOffset));
      if (isEager) (count > 0 ? found.run : found.idle).push(functionName);
    }
  }
  await session.close();
  server.closeAllConnections();
  server.close();
  console.log(JSON.stringify(found));`;

test('what is compiled with the files of a client is what its first call runs', async () => {
  const args = ['--input-type=module', '--eval', firstCall];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const found = JSON.parse(stdout) as { readonly run: string[]; readonly idle: string[] };
  expect(found.run).toEqual(expect.arrayContaining(['openSession', 'httpTarget', 'parseMessage']));
  expect(found.idle).toEqual([]);
});
