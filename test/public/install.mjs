// Public servers are kept in the temporary folder of the system, one folder for each version.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { npm } from '../../scripts/child.mjs';

const cache = path.join(os.tmpdir(), 'mcp-kit-public-servers');

/** Installs a package unless it is there, without running its scripts; gives the path of its program. */
export async function installed(name, { version, bin }) {
  const folder = path.join(cache, `${name}@${version}`.replaceAll('/', '+'));
  const done = path.join(folder, 'installed');
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const args = ['install', ...quiet, `${name}@${version}`];
    const { code, output } = await npm(args, { cwd: folder, quiet: true });
    if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`);
    writeFileSync(done, '');
  }
  const place = path.join(folder, 'node_modules', name);
  const { bin: bins } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  const file = typeof bins === 'string' ? bins : (bins[bin] ?? Object.values(bins)[0]);
  return path.join(place, file);
}
