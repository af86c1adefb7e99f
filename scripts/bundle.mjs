// Writes the JavaScript of the packages; the compiler writes only their types.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { licensesOf } from './licenses.mjs';

/** The condition under which an entry is its source. */
const source = '@mcp-kit/source';

/** Options of every bundle. */
export const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  // What Node prints of an uncaught error is the line it was thrown on.
  lineLimit: 120,
  // The sources are published too.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

/** What packages in CommonJS call to load modules of Node, which a module does not have by itself. */
export const withRequire = {
  js: `import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);`,
};

/** Bundles files of CommonJS, which Node is faster to begin with than with modules: each has all that it needs. */
function bundleCommonJs(folder, options) {
  const whole = { absWorkingDir: folder, format: 'cjs', splitting: false, metafile: true };
  return build({ ...common, ...whole, ...options });
}

/** Bundles the validators of JSON Schema (`#ajv/*`): each is loaded when it is first needed, and at once. */
export function bundleValidators(folder, options) {
  return bundleCommonJs(folder, {
    entryPoints: ['2019', '2020', 'ajv'].map((name) => `ajv/dist/${name}.js`),
    outExtension: { '.js': '.cjs' },
    minify: true,
    sourcemap: false,
    ...options,
  });
}

/** Removes the scripts of an earlier build; the types beside them are the compiler's. */
function removeScripts(folder) {
  for (const name of readdirSync(path.join(folder, 'dist'), { recursive: true })) {
    if (/\.[cm]?js(\.map)?$/.test(name)) rmSync(path.join(folder, 'dist', name), { force: true });
  }
}

/** The entries of a library by layer: folders of `src`. */
function layersOf(folder) {
  const { imports, exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const entries = Object.values({ ...imports, ...exports }).filter((entry) => entry.default);
  const layers = new Map();
  for (const name of new Set(entries.flatMap((entry) => entry[source] ?? []))) {
    const layer = path.dirname(name).split('/')[2] ?? '';
    layers.set(layer, [...(layers.get(layer) ?? []), name]);
  }
  return layers;
}

/** Bundles each layer of a library by itself: what it imports of others (`#name`) is looked up in the manifest. */
async function bundleLibrary(folder) {
  removeScripts(folder);
  for (const [layer, entryPoints] of layersOf(folder)) {
    await build({
      ...common,
      absWorkingDir: folder,
      entryPoints,
      outbase: 'src',
      outdir: 'dist',
      chunkNames: `${layer}/[name]-[hash]`,
      packages: 'external',
      external: ['#*'],
    });
  }
}

/** Bundles the command with all that it needs, so that an installation is one package. */
async function bundleCommand(folder) {
  removeScripts(folder);
  const { metafile } = await build({
    ...common,
    absWorkingDir: folder,
    // The thread of the store in a folder stands beside what starts it.
    entryPoints: { main: 'src/main.ts', worker: '../store-file/src/worker.ts' },
    outdir: 'dist',
    // The one has a binary of each system, the other a licence that asks for more than a line.
    external: ['ioredis', 'libsql'],
    conditions: [source],
    // What is written as modules can be cut down to what is used.
    mainFields: ['module', 'main'],
    banner: withRequire,
    metafile: true,
  });
  // What a warm call needs, which is next to nothing.
  await bundleCommonJs(folder, { entryPoints: ['src/warm/client.ts'], outfile: 'dist/warm.cjs' });
  const validators = await bundleValidators(folder, { outdir: 'dist/ajv' });
  const modules = [metafile, validators.metafile].flatMap(({ inputs }) => Object.keys(inputs));
  writeFileSync(path.join(folder, 'dist/licenses.txt'), licensesOf(folder, modules));
}

/** Bundles every package of the repository. */
export async function bundle(root) {
  const packages = path.join(root, 'packages');
  for (const name of ['mcp-kit', 'store-file', 'store-redis', 'host', 'cocos']) {
    await bundleLibrary(path.join(packages, name));
  }
  await bundleCommand(path.join(packages, 'mcpctl'));
  for (const name of ['sample', 'skills']) {
    const copy = path.join(packages, `mcpctl/dist/cocos-${name}`);
    rmSync(copy, { recursive: true, force: true });
    cpSync(path.join(packages, 'cocos', name), copy, { recursive: true });
  }
}

if (import.meta.filename === process.argv[1]) await bundle(path.resolve(import.meta.dirname, '..'));
