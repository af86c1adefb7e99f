// Adds to a package-lock.json the optional packages of other platforms that `npm install` left out
// because their exact version could not be fetched: `npm ci` refuses a lock file with such gaps.
// Run it after changing dependencies: node scripts/complete-lock.mjs [folder]
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'sunos', 'win32'];
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];

/** Reads the platform that a binary package is for out of its name. */
function platform(name) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  const libc = /-(musl|gnu)/.exec(name)?.[1] === 'musl' ? 'musl' : 'glibc';
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(os === 'linux' && /-(musl|gnu)/.test(name) && { libc: [libc] }),
    ...(os && { os: [os] }),
  };
}

/** Lists where a package at `from` finds its dependencies, nearest folder first. */
function lookupPath(from, name) {
  const parts = from.split('/node_modules/');
  const folders = parts.map((_, index) =>
    parts.slice(0, parts.length - index).join('/node_modules/'),
  );
  return [
    ...folders.filter(Boolean).map((folder) => `${folder}/node_modules/${name}`),
    `node_modules/${name}`,
  ];
}

function complete(lock) {
  const missing = [];
  for (const [from, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = lookupPath(from, name);
      const found = places.find((place) => lock.packages[place]);
      if (found && (!/^\d/.test(version) || lock.packages[found].version === version)) continue;
      const target = platform(name);
      if (!/^\d/.test(version) || Object.keys(target).length === 0) {
        throw new Error(
          `${name}@${version} is missing from the lock file and has no platform in its name`,
        );
      }
      lock.packages[found ? places[0] : places.at(-1)] = {
        version,
        ...(entry.dev && { dev: true }),
        optional: true,
        ...target,
      };
      missing.push(`${name}@${version}`);
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries(sorted);
  return missing;
}

const file = path.resolve(process.argv[2] ?? '.', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = complete(lock);
if (missing.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${path.relative('.', file)}: ${missing.length} optional packages added`);
