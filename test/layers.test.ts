import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const library = 'packages/mcp-kit';

/** What each layer may import. A change here is a change of the architecture. */
const graph: Readonly<Record<string, readonly string[]>> = {
  base: [],
  store: ['base'],
  jsonrpc: ['base'],
  protocol: ['base', 'jsonrpc'],
  schema: ['base', 'jsonrpc', 'protocol'],
  transport: ['base', 'jsonrpc', 'protocol', 'store'],
  auth: ['base', 'jsonrpc'],
  client: ['base', 'jsonrpc', 'protocol', 'schema'],
  manager: ['auth', 'base', 'client', 'jsonrpc', 'protocol', 'schema', 'store', 'transport'],
  operate: ['auth', 'base', 'jsonrpc', 'protocol', 'schema', 'store', 'transport'],
  bridge: ['base', 'client', 'jsonrpc', 'protocol', 'schema'],
  server: ['base', 'jsonrpc', 'protocol'],
  tools: ['base', 'jsonrpc', 'protocol', 'schema', 'server', 'store'],
  testing: [
    'auth',
    'base',
    'bridge',
    'client',
    'jsonrpc',
    'manager',
    'operate',
    'protocol',
    'schema',
    'server',
    'store',
    'tools',
    'transport',
  ],
};
const layers = Object.keys(graph);

async function referencesOf(layer: string): Promise<string[]> {
  const text = await readFile(path.join(root, library, 'src', layer, 'tsconfig.json'), 'utf8');
  const config = JSON.parse(text) as { references: { path: string }[] };
  return config.references.map((reference) => path.basename(reference.path)).sort();
}

/** A file of `layer` that uses the constant of each of `targets`. */
function importing(targets: readonly string[], name: string): string {
  const lines = targets.map((target) => `import { ${target} } from '#${target}';`);
  return `${lines.join('\n')}\nexport const ${name}: string = [${targets.join(', ')}].join();\n`;
}

interface Build {
  readonly ok: boolean;
  readonly output: string;
}

function compile(cwd: string, layer: string): Promise<Build> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-b', path.join(library, 'src', layer)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: stdout + stderr });
    });
  });
}

describe('the layers', () => {
  let copy = '';
  const file = (...parts: string[]): string => path.join(copy, library, 'src', ...parts);

  // The real configurations around one tiny file per layer that imports all it may.
  beforeAll(async () => {
    copy = await mkdtemp(path.join(tmpdir(), 'mcp-kit-layers-'));
    await cp(path.join(root, 'tsconfig.base.json'), path.join(copy, 'tsconfig.base.json'));
    await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    await mkdir(path.join(copy, library), { recursive: true });
    await cp(path.join(root, library, 'package.json'), path.join(copy, library, 'package.json'));
    for (const [layer, lower] of Object.entries(graph)) {
      await mkdir(file(layer), { recursive: true });
      await cp(
        path.join(root, library, 'src', layer, 'tsconfig.json'),
        file(layer, 'tsconfig.json'),
      );
      await writeFile(file(layer, 'index.ts'), importing(lower, layer));
    }
  });

  afterAll(() => rm(copy, { recursive: true, force: true }));

  test('are the ones on disk', async () => {
    const entries = await readdir(path.join(root, library, 'src'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.sort()).toEqual([...layers].sort());
  });

  test.each(layers)('%s refers only to lower layers', async (layer) => {
    expect(await referencesOf(layer)).toEqual(graph[layer]);
  });

  test('compile when each imports only what it may', async () => {
    expect(await compile(copy, 'testing')).toEqual({ ok: true, output: '' });
  });

  const bounded = layers.filter((layer) => layer !== 'testing');
  test.each(bounded)('%s does not compile when it imports any other layer', async (layer) => {
    const allowed = new Set([layer, ...(graph[layer] ?? [])]);
    const forbidden = layers.filter((target) => !allowed.has(target));
    const files = forbidden.map((target) => file(layer, `imports-${target}.ts`));
    for (const [index, target] of forbidden.entries()) {
      await writeFile(files[index] ?? '', importing([target], `violation${index}`));
    }
    const build = await compile(copy, layer);
    await Promise.all(files.map((violation) => rm(violation)));
    expect(build.ok).toBe(false);
    expect(build.output).toMatch(/TS6059|TS6307/);
    for (const target of forbidden) expect(build.output).toContain(`${layer}/imports-${target}.ts`);
    const emitted = (await readdir(file(), { recursive: true })).filter((name) =>
      /\.(js|d\.ts)$/.test(name),
    );
    expect(emitted).toEqual([]);
  });
});
