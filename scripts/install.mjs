import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm } from './child.mjs';

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const hiddenLock = (folder) => path.join(folder, 'node_modules/.package-lock.json');
const marker = (folder) => path.join(folder, 'node_modules/.installing');

/** Tells whether every package the lock file asks for is there, in its version, and completely installed. */
export function isInstalled(folder, { dev }) {
  if (existsSync(marker(folder))) return false;
  const wanted = packagesOf(path.join(folder, 'package-lock.json'));
  const present = packagesOf(hiddenLock(folder));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (!place.includes('node_modules/') || entry.optional || entry.devOptional) return true;
    if (entry.dev && !dev) return true;
    const found = present[place];
    return (
      found !== undefined &&
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      existsSync(path.join(folder, place))
    );
  });
}

/** Installs exactly what the lock file says. An interrupted installation is noticed and done anew. */
export async function install(folder, { dev, ignoreScripts = false }) {
  // Adding to a sound installation leaves alone what a running server has loaded from it.
  const add = dev && isInstalled(folder, { dev: false });
  const scope = dev ? '--include=dev' : '--omit=dev';
  const args = [...(add ? ['install', '--no-save'] : ['ci']), scope, '--loglevel=error'];
  if (ignoreScripts) args.push('--ignore-scripts');
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  if (!add) rmSync(hiddenLock(folder), { force: true });
  writeFileSync(marker(folder), '');
  const { code, output } = await npm(args, { cwd: folder, quiet: true });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`);
  rmSync(marker(folder), { force: true });
}
