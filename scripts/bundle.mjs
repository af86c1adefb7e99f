// Writes the JavaScript of the packages; the compiler writes only their types.
// Loading a module costs Node about half a millisecond, and parsing code that is not needed costs as much for 15 KB. So what
// is used together is one file: in `package.json` entries that share one name it as their default.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { bundleCommand } from './bundle-command.mjs';
import { fetchBuiltins, rewriting } from './rewrite.mjs';

/** Options of every bundle. */
export const common = {
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
  write: false,
};

const source = '@mcp-kit/source';

const readManifest = (folder) =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

/**
 * Writes files into `dist`, all at once because something may be running from there, and removes what an earlier build
 * wrote; the types beside it are the compiler's.
 */
function replaceScripts(folder, files) {
  const dist = path.join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const { path: file, contents, isProgram } of files) {
    writeFileSync(file, contents, { mode: isProgram ? 0o755 : 0o644 });
  }
  const present = new Set(files.map((file) => path.relative(dist, file.path)));
  for (const name of readdirSync(dist, { recursive: true })) {
    const isScript = /\.c?js(\.map)?$/.test(name);
    if (isScript && !present.has(name)) rmSync(path.join(dist, name), { force: true });
  }
}

/** The files of a library, in the order of the manifest: each with the sources of the entries and layers it holds. */
function filesOf(manifest) {
  const files = new Map();
  for (const entry of Object.values({ ...manifest.imports, ...manifest.exports })) {
    if (entry.default === undefined) continue;
    const sources = files.get(entry.default) ?? new Set();
    files.set(entry.default, sources.add(entry[source]));
  }
  return [...files].map(([output, sources]) => ({ output, sources: [...sources] }));
}

const exportAll = (sources) => sources.map((name) => `export * from '${name}';`).join('\n');

/** The modules that each file consists of when it leaves layers that it imports to others. */
async function addModules(files, options) {
  for (const file of files) {
    const { metafile } = await build({
      ...options,
      stdin: { contents: exportAll(file.sources), resolveDir: options.absWorkingDir },
      external: ['#*', ...options.external],
      metafile: true,
      outfile: file.output,
    });
    file.modules = Object.keys(metafile.inputs).filter((name) => name !== '<stdin>');
  }
}

/** Leaves to other files what they have, so that no class exists twice. */
const leaveToOthers = ({ folder, manifest, ownerOf, output }) => ({
  name: 'leave-to-others',
  setup(bundler) {
    const leave = (other) =>
      other === undefined || other === output
        ? undefined
        : { path: pathBetween(output, other), external: true, sideEffects: false };
    bundler.onResolve({ filter: /^#/ }, ({ path: name }) => leave(manifest.imports[name]?.default));
    bundler.onResolve({ filter: /^\./ }, ({ path: name, resolveDir }) =>
      leave(ownerOf(path.relative(folder, path.resolve(resolveDir, name)).replaceAll('\\', '/'))),
    );
  },
});

/** How one file of `dist` names another. */
function pathBetween(from, to) {
  const relative = path.relative(path.dirname(from), to).replaceAll('\\', '/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** The files of a library: a module that several need is in the first of them. */
async function bundleLibrary(folder) {
  const manifest = readManifest(folder);
  const external = Object.keys(manifest.dependencies ?? {}).flatMap((name) => [name, `${name}/*`]);
  const options = { ...common, absWorkingDir: folder, conditions: [source], external };
  const files = filesOf(manifest);
  await addModules(files, options);
  const outputs = [];
  const ownerOf = (module) => files.find(({ modules }) => modules.includes(module))?.output;
  for (const { output, sources, modules } of files) {
    const needed = modules.filter(
      (module) =>
        ownerOf(module) === output &&
        files.some((other) => other.output !== output && other.modules.includes(module)),
    );
    const parts = [...sources, ...needed.map((module) => `./${module}`)];
    const { outputFiles } = await build({
      ...options,
      stdin: { contents: exportAll(parts), resolveDir: folder },
      outfile: output,
      plugins: [leaveToOthers({ folder, manifest, ownerOf, output }), rewriting(fetchBuiltins)],
    });
    outputs.push(...outputFiles);
  }
  return outputs;
}

/** Bundles every package of the repository. */
export async function bundle(root) {
  for (const name of ['mcp-kit', 'cocos']) {
    const library = path.join(root, 'packages', name);
    replaceScripts(library, await bundleLibrary(library));
  }
  const command = path.join(root, 'packages/mcpctl');
  replaceScripts(command, await bundleCommand(command, common));
  const sample = path.join(command, 'dist/cocos-sample');
  rmSync(sample, { recursive: true, force: true });
  cpSync(path.join(root, 'packages/cocos/sample'), sample, { recursive: true });
}

if (import.meta.filename === process.argv[1]) await bundle(path.resolve(import.meta.dirname, '..'));
