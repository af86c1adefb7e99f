// Writes the JavaScript of the packages; the compiler writes only their types.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { licensesOf } from './licenses.mjs';

/** The condition under which an entry is its source. */
const source = '@mcp-kit/source';

/** Bundles entries, a file by name each, with what they share in files of its own; gives these files. */
export async function bundleEntries(folder, input, { output, ...options } = {}) {
  const { output: files } = await build({
    cwd: folder,
    input,
    platform: 'node',
    transform: { target: 'node20.19' },
    // What is written as modules can be cut down to what is used.
    resolve: { conditionNames: [source, 'import'], mainFields: ['module', 'main'] },
    ...options,
    output: {
      dir: 'dist',
      chunkFileNames: '[name].js',
      comments: false,
      // The sources are published too.
      sourcemap: true,
      sourcemapExcludeSources: true,
      ...output,
    },
  });
  return files;
}

/** Bundles a file of CommonJS, which Node is faster to begin with than with modules: it has all that it needs. */
export function bundleCommonJs(folder, file, { output, ...options } = {}) {
  const whole = { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false, ...output };
  return bundleEntries(folder, file, { ...options, output: whole });
}

/** Bundles the validators of JSON Schema (`#ajv/*`): each is loaded when it is first needed, and at once. */
export async function bundleValidators(folder, { output, ...options } = {}) {
  const small = { dir: 'dist/ajv', minify: true, sourcemap: false, ...output };
  const bundles = ['2019', '2020', 'ajv'].map((name) =>
    bundleCommonJs(folder, { [name]: `ajv/dist/${name}.js` }, { ...options, output: small }),
  );
  return (await Promise.all(bundles)).flat();
}

/** The sources that files of a bundle were made of. */
export const modulesOf = (files) => files.flatMap(({ moduleIds = [] }) => moduleIds);

/** Removes the scripts of an earlier build; the types beside them are the compiler's. */
function removeScripts(folder) {
  for (const name of readdirSync(path.join(folder, 'dist'), { recursive: true })) {
    if (/\.[cm]?js(\.map)?$/.test(name)) rmSync(path.join(folder, 'dist', name), { force: true });
  }
}

/** Bundles the entries of a library without what it depends on. */
async function bundleLibrary(folder, groups) {
  removeScripts(folder);
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const { imports, exports, dependencies } = manifest;
  const built = Object.values({ ...imports, ...exports }).filter((entry) => entry.default);
  const sources = new Set(built.map((entry) => entry[source]));
  const nameOf = (file) => path.relative('src', file).replace(/\.ts$/, '');
  const entries = Object.fromEntries([...sources].map((file) => [nameOf(file), file]));
  const external = new RegExp(`^(?:#ajv|${Object.keys(dependencies).join('|')})(?:/|$)`);
  await bundleEntries(folder, entries, { external, output: { codeSplitting: { groups } } });
}

/** Bundles what browsers load as it is: one script. */
async function bundleForBrowsers(folder, input, dir) {
  const [script] = await bundleEntries(folder, input, {
    platform: 'browser',
    resolve: {},
    transform: { target: ['chrome120', 'firefox121', 'safari17'], jsx: 'react-jsx' },
    output: { dir, minify: true, sourcemap: false, codeSplitting: false },
  });
  return script;
}

/** Bundles the page of the console: a script, a style sheet, an icon. */
async function bundlePage(folder) {
  const dir = path.join(folder, 'dist/page');
  const script = await bundleForBrowsers(folder, { page: 'page/main.tsx' }, dir);
  for (const name of ['index.html', 'icon.svg', 'page.css']) {
    cpSync(path.join(folder, 'page', name), path.join(dir, name));
  }
  const licenses = licensesOf(folder, modulesOf([script]), 'The page of the console');
  writeFileSync(path.join(dir, 'licenses.txt'), licenses);
}

/** Bundles the app of the Cocos pack into one file: pages of apps reach no network. */
async function bundleApp(folder) {
  const dir = path.join(folder, 'dist/app');
  const { code } = await bundleForBrowsers(folder, { 'scene-picture': 'page/main.ts' }, dir);
  rmSync(path.join(dir, 'scene-picture.js'));
  const page = readFileSync(path.join(folder, 'page/scene-picture.html'), 'utf8');
  const script = '<script type="module" src="main.ts">';
  const whole = page.replace(script, () => `<script type="module">${code.trim()}`);
  writeFileSync(path.join(dir, 'scene-picture.html'), whole);
}

/** Bundles the command with all that it needs, so that an installation is one package. */
async function bundleCommand(folder) {
  removeScripts(folder);
  // The thread of the store in a folder stands beside what starts it.
  const input = { main: 'src/main.ts', worker: '../store-file/src/worker.ts' };
  // The one has a binary of each system, the other a licence that asks for more than a line. What many commands need is one
  // file: loading it takes less time than loading each of them what it needs of forty.
  const command = await bundleEntries(folder, input, {
    external: ['ioredis', 'libsql', /^#ajv\//],
    output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 10 }] } },
  });
  // What a warm call needs, which is next to nothing.
  await bundleCommonJs(folder, { warm: 'src/warm/client.ts' });
  const validators = await bundleValidators(folder);
  const modules = modulesOf([...command, ...validators]);
  writeFileSync(path.join(folder, 'dist/licenses.txt'), licensesOf(folder, modules));
}

/** What servers and clients load, and what servers do, is a file each: loading one more takes as long as 25 KB. */
const groupsOfKit = [
  { name: 'core', test: /src\/(?:(?:base|jsonrpc|protocol|schema)\/|transport\/[^/]+$)/ },
  { name: 'serving', test: /src\/(?:server|tools)\/index\.ts$/ },
];

/** Bundles every package of the repository. */
export async function bundle(root) {
  const packages = path.join(root, 'packages');
  await bundleLibrary(path.join(packages, 'mcp-kit'), groupsOfKit);
  for (const name of ['store-file', 'store-redis', 'host', 'console', 'cocos']) {
    await bundleLibrary(path.join(packages, name));
  }
  const [mcpctl, page, cocos] = ['mcpctl', 'console', 'cocos'].map((name) =>
    path.join(packages, name),
  );
  await bundlePage(page);
  await bundleApp(cocos);
  await bundleCommand(mcpctl);
  const copies = [
    [path.join(page, 'dist/page'), 'page'],
    [path.join(cocos, 'dist/app'), 'cocos-app'],
    [path.join(cocos, 'sample'), 'cocos-sample'],
    [path.join(cocos, 'skills'), 'cocos-skills'],
  ];
  for (const [from, name] of copies) {
    const copy = path.join(mcpctl, 'dist', name);
    rmSync(copy, { recursive: true, force: true });
    cpSync(from, copy, { recursive: true });
  }
}

if (import.meta.filename === process.argv[1]) await bundle(path.resolve(import.meta.dirname, '..'));
