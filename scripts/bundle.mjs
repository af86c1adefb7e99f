// Writes the JavaScript of the packages; the compiler writes only their types.
// Loading a module costs Node about half a millisecond, and parsing code that is not needed costs as much for 15 KB. So what
// is used together is one file: in `package.json` entries that share one name it as their default. Files of the library end in
// `.mjs`, because for others Node looks for a `package.json` that says what they are, from their folder upwards.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { bundleCommand } from './bundle-command.mjs';
import { compileEagerly } from './eager.mjs';
import { fetchBuiltins, rewriting } from './rewrite.mjs';
import { shorten } from './shorten.mjs';

/** Options of every bundle. */
export const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Half the text to parse at every start; the maps lead back to the sources.
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

/** The file that every program loads, and what clients load beside it: what is for pipes and servers only is elsewhere. */
const everywhere = './dist/mcp-kit.mjs';
const ofClients = ['./dist/client.mjs'];

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
    const isScript = /\.[cm]?js(\.map)?$/.test(name);
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

/**
 * What sources consist of, the names they export, and what they load later, when the layers that they import are left to
 * others.
 */
async function survey(sources, options) {
  const later = new Set();
  const { metafile } = await build({
    ...options,
    stdin: { contents: exportAll(sources), resolveDir: options.absWorkingDir },
    external: ['#*', ...options.external],
    sourcemap: false,
    metafile: true,
    outfile: 'surveyed.js',
    plugins: [leaveForLater(later)],
  });
  const [{ exports: names }] = Object.values(metafile.outputs);
  const modules = Object.keys(metafile.inputs).filter((name) => name !== '<stdin>');
  return { modules, names, later: [...later] };
}

/** Collects the modules that are imported where they are first needed. */
const leaveForLater = (later) => ({
  name: 'leave-for-later',
  setup(bundler) {
    bundler.onResolve({ filter: /^[.#]/ }, ({ path: name, resolveDir, kind }) => {
      if (kind !== 'dynamic-import') return undefined;
      if (name.startsWith('.')) later.add(path.resolve(resolveDir, name));
      return { path: name, external: true };
    });
  },
});

/** The modules that sources need, of whatever layer, to be loaded. */
async function needsOf(sources, options) {
  const { metafile } = await build({
    ...options,
    stdin: { contents: exportAll(sources), resolveDir: options.absWorkingDir },
    sourcemap: false,
    metafile: true,
    outfile: 'needed.js',
    plugins: [leaveForLater(new Set())],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const needed = Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0);
  return needed.filter((name) => name !== '<stdin>');
}

/** The files of the manifest; what clients need of the layers below them is in the file that every program loads. */
async function surveyManifest(folder, options) {
  const files = filesOf(readManifest(folder));
  for (const file of files) Object.assign(file, await survey(file.sources, options));
  const first = files.find(({ output }) => output === everywhere);
  if (first === undefined) return files;
  const isOfClients = ({ output }) => ofClients.includes(output);
  const clients = files.filter(isOfClients).flatMap(({ sources, later }) => [...sources, ...later]);
  const others = new Set(files.flatMap((file) => (isOfClients(file) ? [] : file.modules)));
  let modules = (await needsOf(clients, options)).filter((module) => others.has(module));
  // Whole modules may need more than what is used of them.
  for (let known = -1; known < modules.length;) {
    known = modules.length;
    modules = await needsOf([...first.sources, ...modules.map((module) => `./${module}`)], options);
  }
  first.modules = [...new Set([...first.modules, ...modules])];
  return [first, ...files.filter((file) => file !== first)];
}

/** All files of the library: those of the manifest, and one for each module that is loaded later. */
async function surveyAll(folder, options) {
  const files = await surveyManifest(folder, options);
  for (const file of files) {
    if (file.modules === undefined) Object.assign(file, await survey(file.sources, options));
    for (const module of file.later) {
      const place = `./${path.relative(folder, module).replaceAll('\\', '/')}`;
      const output = `./dist/${path.basename(module, '.ts')}${path.extname(file.output)}`;
      if (!files.some((other) => other.output === output)) files.push({ output, sources: [place] });
    }
  }
  return files;
}

/**
 * Leaves to other files what they have, so that no class exists twice. Each thing is imported by a statement of its own, since
 * only whole ones are left out where they are not needed.
 */
const leaveToOthers = ({ folder, files, manifest, ownerOf, output }) => ({
  name: 'leave-to-others',
  setup(bundler) {
    const leave = (other, kind) => {
      if (other === undefined || other === output) return undefined;
      const place = pathBetween(output, other);
      return kind === 'dynamic-import'
        ? { path: place, external: true }
        : { path: other, namespace: 'elsewhere', sideEffects: false };
    };
    bundler.onResolve({ filter: /.*/, namespace: 'elsewhere' }, ({ path: place }) => ({
      path: place,
      external: true,
      sideEffects: false,
    }));
    // The modules of a layer may be in several files: where each is tells the resolution of what the layer exports.
    bundler.onResolve({ filter: /^#/ }, ({ path: name, kind }) => {
      const layer = manifest.imports[name];
      if (layer === undefined) return undefined;
      if (kind === 'dynamic-import') return leave(layer.default, kind);
      return { path: path.resolve(folder, layer[source]), sideEffects: false };
    });
    bundler.onResolve({ filter: /^\./ }, ({ path: name, resolveDir, kind }) => {
      const module = path.relative(folder, path.resolve(resolveDir, name)).replaceAll('\\', '/');
      return leave(ownerOf(module), kind);
    });
    bundler.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: other }) => {
      const { names } = files.find((file) => file.output === other);
      const place = pathBetween(output, other);
      return { contents: names.map((name) => `export { ${name} } from '${place}';`).join('\n') };
    });
  },
});

/** How one file of `dist` names another. */
function pathBetween(from, to) {
  const relative = path.relative(path.dirname(from), to).replaceAll('\\', '/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** What is written of a bundle. */
async function scriptAndMap(file, bundled) {
  const { target, lineLimit } = common;
  const { code, map } = await shorten(bundled, { target, lineLimit });
  const name = `${path.basename(file)}.map`;
  return [
    { path: file, contents: `${code}//# sourceMappingURL=${name}\n` },
    { path: `${file}.map`, contents: map },
  ];
}

/** The files of a library: a module that several need is in the first of them. */
async function bundleLibrary(folder) {
  const manifest = readManifest(folder);
  const external = Object.keys(manifest.dependencies ?? {}).flatMap((name) => [name, `${name}/*`]);
  const options = { ...common, absWorkingDir: folder, conditions: [source], external };
  const files = await surveyAll(folder, options);
  const fileOf = (module) => files.find(({ modules }) => modules.includes(module));
  const ownerOf = (module) => fileOf(module)?.output;
  for (const file of files) {
    const needed = file.modules.filter(
      (module) =>
        ownerOf(module) === file.output &&
        files.some((other) => other !== file && other.modules.includes(module)),
    );
    file.parts = [...file.sources, ...needed.map((module) => `./${module}`)];
    const { names } = await survey(file.parts, options);
    const others = file.modules.map(fileOf).filter((other) => other !== file);
    const passedOn = new Set(others.flatMap((other) => other.names));
    file.names = names.filter((name) => !passedOn.has(name));
  }
  const outputs = [];
  for (const { output, parts } of files) {
    const left = leaveToOthers({ folder, files, manifest, ownerOf, output });
    const { outputFiles } = await build({
      ...options,
      stdin: { contents: exportAll(parts), resolveDir: folder },
      outfile: output,
      minifyWhitespace: false,
      lineLimit: 0,
      sourcemap: 'inline',
      plugins: [left, rewriting(fetchBuiltins, compileEagerly)],
    });
    outputs.push(...(await scriptAndMap(path.resolve(folder, output), outputFiles[0].text)));
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
