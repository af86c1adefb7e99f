// Writes the JavaScript of the packages; the compiler writes only their types.
// Loading a module costs Node about half a millisecond, and parsing code that is not needed costs as much for 15 KB. So what
// every program needs is one file, `dist/mcp-kit.js`, and every other public entry is one file with its own code.
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
  // What Node prints of an uncaught error is the line it was thrown on.
  lineLimit: 120,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};

/** Layers that every program needs; their entries name their part of the shared file. */
const sharedLayers = ['base', 'store', 'jsonrpc', 'protocol', 'schema'];
const sharedFile = 'mcp-kit';

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

/** How one file of `dist` names another; both without extension. */
function pathBetween(from, to) {
  const relative = path.relative(path.dirname(from), to).replaceAll('\\', '/');
  return `${relative.startsWith('.') ? relative : `./${relative}`}.js`;
}

/** Removes what an earlier build wrote; the types beside it are the compiler's. */
function removeScripts(folder) {
  const dist = path.join(folder, 'dist');
  const files = existsSync(dist) ? readdirSync(dist, { recursive: true }) : [];
  for (const file of files.filter((name) => /\.js(\.map)?$/.test(name))) {
    rmSync(path.join(dist, file), { force: true });
  }
}

/** What each entry exports, and the modules of its own layer that it consists of. */
async function partsOf(folder, entries) {
  const { metafile } = await build({
    ...shared,
    absWorkingDir: folder,
    entryPoints: entries.map((entry) => ({ in: `src/${entry}.ts`, out: entry })),
    outdir: 'dist',
    external: ['#*', ...dependenciesOf(readManifest(folder))],
    metafile: true,
    write: false,
  });
  return entries.map((entry) => {
    const { exports, inputs } = metafile.outputs[`dist/${entry}.js`];
    return { entry, names: exports.sort(), modules: Object.keys(inputs) };
  });
}

/** The modules that more than one entry consists of. */
function modulesInCommon(parts) {
  const all = parts.flatMap(({ modules }) => modules);
  return new Set(all.filter((module, index) => all.indexOf(module) !== index));
}

/** Leaves to other files of `dist` what they have, so that no class exists twice. */
const leaveToOthers = ({ folder, entry, common }) => ({
  name: 'leave-to-others',
  setup(bundler) {
    const leaveTo = (other) => ({
      path: pathBetween(entry, other),
      external: true,
      sideEffects: false,
    });
    bundler.onResolve({ filter: /^#/ }, ({ path: name }) =>
      leaveTo(sharedLayers.includes(name.slice(1)) ? sharedFile : `${name.slice(1)}/index`),
    );
    bundler.onResolve({ filter: /^\./ }, ({ path: name, resolveDir }) => {
      const module = path.relative(folder, path.resolve(resolveDir, name)).replaceAll('\\', '/');
      return common.has(module) ? leaveTo(sharedFile) : undefined;
    });
  },
});

/** The code of an entry that only names its part of the shared file. */
const pointer = (names, entry) =>
  `export { ${names.join(', ')} } from '${pathBetween(entry, sharedFile)}';\n`;

function writeScript(file, code) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, code);
}

/** The library: one file with what is shared, and a file per entry, which is its own code or points into the shared one. */
async function bundleLibrary(folder) {
  const manifest = readManifest(folder);
  const options = { ...shared, absWorkingDir: folder, external: dependenciesOf(manifest) };
  const parts = await partsOf(folder, entriesOf(manifest));
  const common = modulesInCommon(parts);
  const sources = [...sharedLayers.map((layer) => `src/${layer}/index.ts`), ...common];
  await build({
    ...options,
    stdin: {
      contents: sources.map((source) => `export * from './${source}';`).join('\n'),
      resolveDir: folder,
    },
    outfile: `dist/${sharedFile}.js`,
    conditions: ['@mcp-kit/source'],
  });
  for (const { entry, names } of parts) {
    if (sharedLayers.includes(path.dirname(entry))) {
      writeScript(path.join(folder, 'dist', `${entry}.js`), pointer(names, entry));
      continue;
    }
    await build({
      ...options,
      entryPoints: [{ in: `src/${entry}.ts`, out: entry }],
      outdir: 'dist',
      plugins: [leaveToOthers({ folder, entry, common })],
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
