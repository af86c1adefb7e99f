// Builds the extension for Cocos Creator: a folder to put into `extensions` of a project, and the same as a zip file.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleCommonJs, bundleEntries, bundleValidators, modulesOf } from './bundle.mjs';
import { licensesOf } from './licenses.mjs';
import { zip } from './zip.mjs';

/** Old versions of Node know their modules only by their short names. */
const shortNames = {
  name: 'short-names',
  resolveId: {
    filter: { id: /^node:/ },
    handler: (name) => ({ id: name.slice('node:'.length), external: true }),
  },
};

/** What runs in processes of the editor: CommonJS, for the Node of Creator 3.8. */
const inEditor = { transform: { target: 'node14' }, plugins: [shortNames], external: ['cc'] };

/** The files of the extension, as `{ name, contents }`. */
async function filesOf(folder) {
  const unmapped = { sourcemap: false };
  const write = false;
  const editor = await Promise.all(
    ['main', 'scene', 'panel'].map((name) =>
      bundleCommonJs(
        folder,
        { [name]: `src/${name}.ts` },
        {
          ...inEditor,
          write,
          output: { ...unmapped, entryFileNames: '[name].js' },
        },
      ),
    ),
  );
  const entries = { server: 'src/server.ts', child: 'src/child.ts' };
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' };
  const server = await bundleEntries(folder, entries, {
    external: [/^#ajv\//],
    write,
    output: { ...unmapped, ...names },
  });
  const validators = await bundleValidators(folder, {
    write,
    output: { entryFileNames: 'ajv/[name].cjs' },
  });
  const bundled = [...server, ...validators];
  return [
    { name: 'package.json', contents: readFileSync(path.join(folder, 'manifest.json')) },
    {
      name: 'licenses.txt',
      contents: Buffer.from(licensesOf(folder, modulesOf(bundled), 'The extension')),
    },
    ...[...editor.flat(), ...bundled].map(({ fileName, code }) => ({
      name: fileName,
      contents: Buffer.from(code),
    })),
  ];
}

/** The files of a folder of the pack, as files of the extension. */
function filesIn(folder, name) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({
      name: path.posix.join(name, ...path.relative(folder, file).split(path.sep)),
      contents: readFileSync(file),
    }));
}

/** Builds the extension into a folder; gives what is to be installed, and the zip file of it. */
export async function bundleExtension(
  root,
  output = path.join(root, 'packages/cocos/extension/dist'),
) {
  const folder = path.join(root, 'packages/cocos/extension');
  const { name } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  const pack = path.join(root, 'packages/cocos');
  const files = [
    ...(await filesOf(folder)),
    ...filesIn(path.join(pack, 'skills'), 'skills'),
    ...filesIn(path.join(pack, 'dist/app'), 'app'),
  ];
  const target = path.join(output, name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const file of files) {
    mkdirSync(path.dirname(path.join(target, file.name)), { recursive: true });
    writeFileSync(path.join(target, file.name), file.contents);
  }
  const archive = `${target}.zip`;
  const sorted = files.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  writeFileSync(archive, zip(sorted.map((file) => ({ ...file, name: `${name}/${file.name}` }))));
  return { folder: target, archive };
}

if (import.meta.filename === process.argv[1]) {
  const [, , output] = process.argv;
  const { folder, archive } = await bundleExtension(
    path.resolve(import.meta.dirname, '..'),
    output,
  );
  process.stdout.write(`${folder}\n${archive}\n`);
}
