// Writes the JavaScript of the packages; the compiler writes only their types.
// Loading a module costs Node more than a millisecond and a server is a hundred of them, so the layers are one file,
// `dist/mcp-kit.js`, and each public entry names its part of that file.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const shared = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Half the text to parse at every start; names stay, and the maps lead back to the sources.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

/** Entries with a file of their own. */
const apart = ['transport/http/', 'testing/'];

const readManifest = (folder) =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

/** What a package takes from others stays an import. */
const dependenciesOf = (manifest) =>
  Object.keys(manifest.dependencies ?? {}).flatMap((name) => [name, `${name}/*`]);

/** The public entries of a package, as paths below both `src` and `dist`, without extension. */
const entriesOf = (manifest) =>
  Object.values(manifest.exports ?? {})
    .map((target) => target.default)
    .filter((output) => output?.endsWith('.js'))
    .map((output) => output.replace(/^\.\/dist\//, '').replace(/\.js$/, ''));

/** Removes what an earlier build wrote; the types beside it are the compiler's. */
function removeScripts(folder) {
  const dist = path.join(folder, 'dist');
  const files = existsSync(dist) ? readdirSync(dist, { recursive: true }) : [];
  for (const file of files.filter((name) => /\.js(\.map)?$/.test(name))) {
    rmSync(path.join(dist, file), { force: true });
  }
}

/** The names each entry exports. */
async function namesOf(folder, entries) {
  const { metafile } = await build({
    ...shared,
    absWorkingDir: folder,
    entryPoints: entries.map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
    outdir: 'dist',
    external: ['#*'],
    metafile: true,
    write: false,
  });
  return entries.map((entry) => [entry, metafile.outputs[`dist/${entry}.js`].exports]);
}

/** The library: one file with every layer, a file per entry that points into it, and HTTP, which not every server needs. */
async function bundleLibrary(folder) {
  const manifest = readManifest(folder);
  const entries = entriesOf(manifest);
  const own = entries.filter((entry) => apart.some((part) => entry.startsWith(part)));
  const joined = entries.filter((entry) => !own.includes(entry));
  const core = path.join(folder, 'dist', `${manifest.name}.js`);
  const coreFrom = (entry) =>
    path.relative(path.dirname(path.join(folder, 'dist', entry)), core).replaceAll('\\', '/');
  await build({
    ...shared,
    absWorkingDir: folder,
    stdin: {
      contents: joined.map((entry) => `export * from './src/${entry}.ts';`).join('\n'),
      resolveDir: folder,
    },
    outfile: core,
    conditions: ['@mcp-kit/source'],
    external: dependenciesOf(manifest),
  });
  for (const [entry, names] of await namesOf(folder, joined)) {
    const file = path.join(folder, 'dist', `${entry}.js`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `export { ${names.sort().join(', ')} } from '${coreFrom(entry)}';\n`);
  }
  for (const entry of own) {
    // What it takes from the layers is that one file's.
    const layers = Object.keys(manifest.imports).filter((name) => !name.startsWith('#testing'));
    await build({
      ...shared,
      absWorkingDir: folder,
      entryPoints: [{ in: `src/${entry}.ts`, out: entry }],
      outdir: 'dist',
      alias: Object.fromEntries(layers.map((name) => [name, coreFrom(entry)])),
      external: [coreFrom(entry), ...dependenciesOf(manifest)],
    });
  }
}

/** A command: its main file, and a file for each part that is loaded only when asked for. */
async function bundleCommand(folder) {
  const manifest = readManifest(folder);
  await build({
    ...shared,
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    splitting: true,
    // Beside the main file, as deep as the sources are: paths relative to a module stay true.
    chunkNames: '[name]-[hash]',
    external: dependenciesOf(manifest),
  });
}

/** Bundles every package of the repository. */
export async function bundle(root) {
  const library = path.join(root, 'packages/mcp-kit');
  const command = path.join(root, 'packages/mcpctl');
  removeScripts(library);
  removeScripts(command);
  await Promise.all([bundleLibrary(library), bundleCommand(command)]);
}

if (import.meta.filename === process.argv[1]) await bundle(path.resolve(import.meta.dirname, '..'));
