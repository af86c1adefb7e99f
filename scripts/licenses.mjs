// What must be said of code by others that a package contains.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Licences whose text is all that they ask for. */
const permitted = new Set(['BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

/** The folders of the packages that files belong to, each once. */
function packagesOf(folder, files) {
  const within = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const places = within.filter(Boolean).map((place) => path.resolve(folder, place));
  return [...new Set(places)].sort();
}

/** The licences of all packages that `files` belong to, as one text; one that asks for more than that is an error. */
export function licensesOf(folder, files, what = 'mcpctl') {
  const texts = packagesOf(folder, files).map((place) => {
    const manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
    const { name, version, license } = manifest;
    const file = readdirSync(place).find((entry) => /^licen[cs]e/i.test(entry));
    if (!permitted.has(license) || file === undefined) {
      throw new Error(`${name} ${version} may not be bundled: its licence is ${license}`);
    }
    const text = readFileSync(path.join(place, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return [`${what} contains code of these packages:\n`, ...texts].join(rule);
}
