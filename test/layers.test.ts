import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneIn } from './support/scale.ts';

const root = path.resolve(import.meta.dirname, '..');

type Graph = Readonly<Record<string, readonly string[]>>;

/** What each layer of `mcp-kit` may import. A change here is a change of the architecture. */
const kitGraph: Graph = {
  base: [],
  store: ['base'],
  jsonrpc: ['base'],
  protocol: ['base', 'jsonrpc'],
  schema: ['base', 'jsonrpc', 'protocol'],
  transport: ['base', 'jsonrpc', 'protocol', 'store'],
  auth: ['base', 'jsonrpc'],
  client: ['base', 'jsonrpc', 'protocol', 'schema'],
  bridge: ['base', 'client', 'jsonrpc', 'protocol', 'schema'],
  server: ['base', 'jsonrpc', 'protocol'],
  tools: ['base', 'jsonrpc', 'protocol', 'schema', 'server', 'store'],
  testing: [
    'auth',
    'base',
    'bridge',
    'client',
    'jsonrpc',
    'protocol',
    'schema',
    'server',
    'store',
    'tools',
    'transport',
  ],
};

/** What each layer of `@mcp-kit/host` may import. */
const hostGraph: Graph = { manager: [], operate: [], gateway: ['manager'] };

/** What each layer of `@mcp-kit/cocos` may import. */
const cocosGraph: Graph = {
  document: [],
  components: ['document'],
  images: ['document'],
  scripts: ['document'],
  project: ['document', 'scripts'],
  edit: ['components', 'document', 'images', 'project', 'scripts'],
  validate: ['components', 'document', 'edit', 'images', 'project', 'scripts'],
  render: ['components', 'document', 'edit', 'images', 'project', 'scripts'],
  backend: ['components', 'document', 'edit', 'images', 'project', 'render', 'scripts', 'validate'],
  tools: [
    'backend',
    'components',
    'document',
    'edit',
    'images',
    'project',
    'render',
    'scripts',
    'validate',
  ],
};

interface Library {
  readonly library: string;
  /** How a layer is imported. */
  readonly specifier: (layer: string) => string;
  readonly graph: Graph;
}

const libraries: readonly Library[] = [
  { library: 'packages/mcp-kit', specifier: (layer) => `#${layer}`, graph: kitGraph },
  {
    library: 'packages/host',
    specifier: (layer) => (layer === 'manager' ? '@mcp-kit/host' : `@mcp-kit/host/${layer}`),
    graph: hostGraph,
  },
  { library: 'packages/cocos', specifier: (layer) => `#cocos/${layer}`, graph: cocosGraph },
];

interface LayerConfig {
  readonly references: readonly { readonly path: string }[];
}

/** The configuration of a layer without what it takes from other packages. */
async function configOf(library: string, layer: string): Promise<LayerConfig> {
  const text = await readFile(path.join(root, library, 'src', layer, 'tsconfig.json'), 'utf8');
  const config = JSON.parse(text) as LayerConfig;
  const own = config.references.filter((reference) => /^\.\.\/[^./]/.test(reference.path));
  return { ...config, references: own };
}

async function referencesOf(library: string, layer: string): Promise<string[]> {
  const { references } = await configOf(library, layer);
  return references.map((reference) => path.basename(reference.path)).sort();
}

/** A file that exports a constant `name` of the constants of layers, each from its `specifier`. */
function importing(
  targets: readonly string[],
  name: string,
  specifier: (target: string) => string,
): string {
  const lines = targets.map((target) => `import { ${target} } from '${specifier(target)}';`);
  return `${lines.join('\n')}\nexport const ${name}: string = [${targets.join(', ')}].join();\n`;
}

interface Build {
  readonly ok: boolean;
  readonly output: string;
}

function compile(cwd: string, folders: readonly string[]): Promise<Build> {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-b', ...folders];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: stdout + stderr });
    });
  });
}

describe.each(libraries)('the layers of $library', ({ library, specifier, graph }) => {
  const layers = Object.keys(graph);
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
      const config = await configOf(library, layer);
      await writeFile(file(layer, 'tsconfig.json'), JSON.stringify(config));
      await writeFile(file(layer, 'index.ts'), importing(lower, layer, specifier));
    }
  });

  afterAll(() => rm(copy, { recursive: true, force: true }));

  test('are the ones on disk', async () => {
    const entries = await readdir(path.join(root, library, 'src'), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(folders.sort()).toEqual([...layers].sort());
  });

  test.each(layers)('%s refers only to lower layers', async (layer) => {
    expect(await referencesOf(library, layer)).toEqual(graph[layer]);
  });

  test('compile when each imports only what it may', async () => {
    const folders = layers.map((layer) => file(layer));
    expect(await compile(copy, folders)).toEqual({ ok: true, output: '' });
  });

  const bounded = layers.filter((layer) => (graph[layer]?.length ?? 0) < layers.length - 1);
  oneIn(3)(bounded)('%s does not compile when it imports any other layer', async (layer) => {
    const allowed = new Set([layer, ...(graph[layer] ?? [])]);
    const forbidden = layers.filter((target) => !allowed.has(target));
    const files = forbidden.map((target) => file(layer, `imports-${target}.ts`));
    for (const [index, target] of forbidden.entries()) {
      await writeFile(files[index] ?? '', importing([target], `violation${index}`, specifier));
    }
    const build = await compile(copy, [file(layer)]);
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
