// Writes the JavaScript of `mcpctl`: all that it needs is in its package, so that an installation is one package; and few
// files are loaded at a start, because each costs as much as 15 KB of code.
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { licensesOf } from './licenses.mjs';
import { fetchBuiltins, namesIn, rewriting } from './rewrite.mjs';

const main = 'src/main.ts';
/** Another name for a command of the program. */
const alias = 'stdio-http-bridge';
/** What starts the program of a server that was typed, which then starts while the rest is loaded. */
const starting = ['src/commands/tools.ts', 'src/transport/child-process/index.ts'];
/**
 * Files for what several parts share, by what needs them: before the program of a server can be started, while it starts, to
 * read configuration. What else is shared is in `extras`.
 */
const sharing = {
  basics: [main, ...starting],
  session: ['src/manager.ts'],
  settings: ['src/config.ts'],
};
/** Commands that are one file, because they share most of what they have. */
const joined = ['src/commands/serve.ts', 'src/commands/cocos-serve.ts'];
/**
 * Files for what only these parts share: with nothing else loaded for them, nor they for anything else. What each needs for
 * itself alone is in its own file.
 */
const apart = {
  served: joined,
  serving: [
    'src/serve/http.ts',
    'src/serve/new-api-key.ts',
    'src/serve/way-out.ts',
    'src/operate/index.ts',
  ],
  parser: ['/acorn.mjs', '/acorn-typescript/index.js'],
  cocos: [
    'src/commands/cocos-render.ts',
    'src/commands/cocos-validate.ts',
    'src/cocos/open-server.ts',
  ],
  tools: ['src/samples/notes.ts', 'src/samples/server.ts', 'src/cocos/open-server.ts'],
};

/** Where the library loads ajv, at the first check and at once: no import could do that, so it is a file of its own. */
const ajvUser = /schema[\\/]json-validator\.ts$/;
const ajvModule = /(?<=: )'(ajv\/dist\/(\w+)\.js)'/g;

/** Has the library find ajv beside itself; `found` takes the modules that must be there. */
export const findAjvBeside =
  (found) =>
  (text, { file }) =>
    ajvUser.test(file)
      ? text.replaceAll(ajvModule, (_, module, name) => {
          found.set(`ajv-${name}`, module);
          return `'./ajv-${name}.cjs'`;
        })
      : text;

/** What a CommonJS package requires of Node, which a module cannot do. */
const builtins = {
  name: 'builtins-of-node',
  setup(bundler) {
    const filter = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);
    bundler.onResolve({ filter }, ({ path: name, kind }) =>
      kind === 'require-call' ? { path: name, namespace: 'builtin' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule('${name}');`,
    }));
  },
};

/**
 * Has modules import from where a thing is, not from the entry that names it: whoever imports an entry seems to need all
 * that it names, and would be given it.
 */
async function passEntries(text, { file, bundler }) {
  const resolveDir = path.dirname(file);
  let changed = text;
  for (const [statement, verb, list, name] of text.matchAll(entryImport)) {
    const entry = await bundler.resolve(name, { resolveDir, kind: 'import-statement' });
    if (!entry.path.endsWith('index.ts')) continue;
    const places = placesOf(entry.path);
    const parts = namesIn(list).map(
      (each) => `${verb} { ${each} } from '${places.get(each.split(' as ')[0]) ?? name}';`,
    );
    const lines = '\n'.repeat(statement.split('\n').length - 1);
    changed = changed.replace(statement, parts.join(' ') + lines);
  }
  return changed;
}

const entryImport = /^(import|export) \{([^}]*)\} from '((?:#|mcp-kit\/)[^']+)';$/gm;

/** The file of each value that an entry names. */
function placesOf(entry) {
  const places = new Map();
  const text = readFileSync(entry, 'utf8');
  for (const [, list, from] of text.matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm)) {
    const place = from.startsWith('.') ? path.resolve(path.dirname(entry), from) : from;
    for (const name of namesIn(list)) places.set(name.split(' as ').at(-1), place);
  }
  return places;
}

/** The name of the file of what is loaded later: that of its package, where it is another's. */
function nameOf(root) {
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(root) ?? [];
  const { dir, name } = path.parse(root);
  return (
    library?.replace(/^@/, '').replace('/', '-') ?? (name === 'index' ? path.basename(dir) : name)
  );
}

/**
 * Cuts the program into pieces: what is loaded later, and what each combination of these needs in common. By name, with
 * its code, the names that it exports, and what it imports.
 */
async function cut(options) {
  const { metafile, outputFiles } = await build({
    ...options,
    entryPoints: [main],
    outdir: 'dist',
    splitting: true,
    minify: false,
    sourcemap: 'inline',
    metafile: true,
  });
  const pieces = new Map();
  for (const [output, { entryPoint, exports, imports }] of Object.entries(metafile.outputs)) {
    const isStatic = ({ kind, external }) => kind === 'import-statement' && !external;
    const { text } = outputFiles.find((file) => file.path.endsWith(`/${output}`));
    const needs = imports.filter(isStatic).map((each) => path.basename(each.path));
    // A name that no other piece has, for each that is exported.
    const unique = exports.map((name) => [name, `${name}$${pieces.size}`]);
    pieces.set(path.basename(output), { root: entryPoint, text, unique, needs });
  }
  return { pieces, modules: Object.keys(metafile.inputs) };
}

/** Adds a piece and all that it needs at once. */
function addClosure(name, pieces, closure) {
  if (closure.has(name)) return;
  closure.add(name);
  for (const needed of pieces.get(name).needs) addClosure(needed, pieces, closure);
}

/** Which file each piece is in. */
function distribute(pieces) {
  const loadedWith = (isOne) => {
    const closure = new Set();
    for (const [name, { root }] of pieces)
      if (root !== undefined && isOne(root)) addClosure(name, pieces, closure);
    return closure;
  };
  const among = (ends) => (root) => ends.some((end) => root.endsWith(end));
  const groups = Object.entries(sharing).map(([file, ends]) => [file, loadedWith(among(ends))]);
  const single = Object.entries(apart).map(([file, ends]) => [
    file,
    loadedWith(among(ends)),
    loadedWith((root) => !among(ends)(root)),
  ]);
  const shared = (name) =>
    groups.find(([, members]) => members.has(name))?.[0] ??
    single.find(([, members, others]) => members.has(name) && !others.has(name))?.[0] ??
    'extras';
  const files = new Map();
  for (const [name, { root }] of pieces) {
    // To load these from files of their own would take longer than to parse them at every start.
    const isBasic = among([...starting, ...joined])(root ?? '');
    const own = root === undefined || isBasic ? undefined : nameOf(root);
    if (own !== undefined && [...files.values()].includes(own)) {
      throw new Error(`${root} and another file that is loaded later have the same name`);
    }
    files.set(name, own ?? shared(name));
  }
  return files;
}

/** Joins pieces; takes from other files what is in them, under names that no two pieces share. */
const joining = ({ pieces, fileOf, file }) => ({
  name: 'joining',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/[^/]+$/ }, ({ path: given, kind }) => {
      const name = given.slice('./'.length);
      const other = fileOf.get(name);
      if (other === undefined) return { path: given, external: true };
      if (kind === 'dynamic-import') return { path: `./${other}.js`, external: true };
      if (other === file) return { path: name, namespace: 'piece' };
      return { path: name, namespace: 'elsewhere', sideEffects: false };
    });
    bundler.onResolve({ filter: /^\.\/[^/]+$/, namespace: 'elsewhere' }, ({ path: given }) => ({
      path: given,
      external: true,
      sideEffects: false,
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'piece' }, ({ path: name }) => ({
      contents: pieces.get(name).text,
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'elsewhere' }, ({ path: name }) => {
      const list = pieces.get(name).unique.map(([own, other]) => `${other} as ${own}`);
      return { contents: `export { ${list.join(', ')} } from './${fileOf.get(name)}.js';` };
    });
  },
});

/** What a file says to export its pieces: roots as they are, what others need under unique names. */
function contentsOf(names, pieces) {
  const lines = names.map((name) => {
    const { root, unique } = pieces.get(name);
    // What a CommonJS package exports is its default, which a star leaves out.
    const isDefault = unique.some(([own]) => own === 'default');
    const all = [
      ...(root === undefined ? [] : [`export * from './${name}';`]),
      ...(root !== undefined && isDefault ? [`export { default } from './${name}';`] : []),
    ];
    // What is loaded later is also loaded at once by what needs it at once.
    const isNeeded = [...pieces.values()].some(({ needs }) => needs.includes(name));
    if (root !== undefined && !isNeeded) return all.join('\n');
    const list = unique.map(([own, other]) => `${own} as ${other}`);
    return [...all, `export { ${list.join(', ')} } from './${name}';`].join('\n');
  });
  return lines.join('\n');
}

/** The program of another name: it starts the main one. */
async function aliasOf(folder) {
  const text = readFileSync(path.join(folder, `src/${alias}.ts`), 'utf8');
  const { code } = await transform(text.replace('./main.ts', './main.js'), { loader: 'ts' });
  return { path: path.join(folder, `dist/${alias}.js`), contents: code, isProgram: true };
}

/** The files of a command: the main one, what several parts share, and one for each part that is loaded later. */
export async function bundleCommand(folder, common) {
  const found = new Map();
  const options = { ...common, absWorkingDir: folder };
  const { pieces, modules } = await cut({
    ...options,
    conditions: ['@mcp-kit/source'],
    // What is written as modules can be cut down to what is used.
    mainFields: ['module', 'main'],
    plugins: [builtins, rewriting(findAjvBeside(found), fetchBuiltins, passEntries)],
  });
  const fileOf = distribute(pieces);
  const outputs = [];
  for (const file of new Set(fileOf.values())) {
    const names = [...pieces.keys()].filter((name) => fileOf.get(name) === file);
    const isProgram = file === nameOf(main);
    const { outputFiles } = await build({
      ...options,
      stdin: { contents: contentsOf(names, pieces), resolveDir: folder },
      outfile: `dist/${file}.js`,
      plugins: [joining({ pieces, fileOf, file })],
      // Pieces name each other also where nothing is left to import.
      logOverride: { 'ignored-bare-import': 'silent' },
      ...(isProgram && { banner: { js: '#!/usr/bin/env node' } }),
    });
    for (const { path: place, contents } of outputFiles) {
      outputs.push({ path: place, contents, isProgram });
    }
  }
  if (found.size === 0) throw new Error('the place where the library loads ajv has moved');
  const ajv = await build({
    ...options,
    entryPoints: [...found].map(([out, module]) => ({ in: module, out })),
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    sourcemap: false,
    metafile: true,
  });
  const contained = [...modules, ...Object.keys(ajv.metafile.inputs)];
  const licenses = {
    path: path.join(folder, 'dist/licenses.txt'),
    contents: licensesOf(folder, contained),
  };
  return [...outputs, await aliasOf(folder), ...ajv.outputFiles, licenses];
}
