import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './child.mjs';

const stampFile = 'packages/mcp-kit/dist/.build-stamp';
const entryFile = 'packages/mcpctl/dist/main.js';
const fixedInputs = [
  'package-lock.json',
  'scripts/bundle.mjs',
  'scripts/licenses.mjs',
  'tsconfig.base.json',
  'tsconfig.json',
];

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

const packageFolders = (root) =>
  readdirSync(path.join(root, 'packages')).map((name) => path.join(root, 'packages', name));

/** Describes every input of the build by size and time; equal texts mean that nothing changed. */
function describeInputs(root) {
  const inputs = fixedInputs.map((name) => path.join(root, name));
  for (const folder of packageFolders(root)) {
    inputs.push(path.join(folder, 'package.json'), path.join(folder, 'tsconfig.json'));
    inputs.push(
      ...filesUnder(path.join(folder, 'src')).filter((file) => !file.endsWith('.test.ts')),
      ...filesUnder(path.join(folder, 'sample')),
      ...filesUnder(path.join(folder, 'skills')),
      ...filesUnder(path.join(folder, 'page')),
    );
  }
  const lines = inputs.sort().map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat ? `${path.relative(root, file)} ${stat.size} ${stat.mtimeMs}` : '';
  });
  return lines.join('\n');
}

/** Removes types whose source is gone, which the compiler leaves behind. */
function removeOrphans(root) {
  for (const folder of packageFolders(root)) {
    const dist = path.join(folder, 'dist');
    for (const file of filesUnder(dist)) {
      const stem = /^(.*?)\.d\.ts(\.map)?$/.exec(path.relative(dist, file))?.[1];
      if (stem && !existsSync(path.join(folder, 'src', `${stem}.ts`)))
        rmSync(file, { force: true });
    }
  }
}

/** Tells, without starting the compiler, whether the outputs belong to the present sources. */
export function isBuilt(root) {
  if (!existsSync(path.join(root, entryFile))) return false;
  const stamp = path.join(root, stampFile);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === describeInputs(root);
}

/** Compiles what changed and bundles it; throws with the compiler's output when it does not compile. */
export async function build(root) {
  const inputs = describeInputs(root);
  removeOrphans(root);
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await run(process.execPath, [compiler, '-b'], {
    cwd: root,
    quiet: true,
  });
  if (code !== 0) throw new Error(`the sources do not compile:\n${output}`);
  // Not before: the bundler may just have been installed.
  const { bundle } = await import('./bundle.mjs');
  await bundle(root);
  writeFileSync(path.join(root, stampFile), inputs);
}
