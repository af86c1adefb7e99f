// Tries the Cocos tools on real projects, on copies of them: npm run public-projects -- [options] [NAME=]PLACE …
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { squarePng } from '../../bench/lib/cocos/project.mjs';
import { main, prepare, say } from '../../scripts/prepare.mjs';
import { pageOf } from './cocos-page.mjs';
import { tryProject } from './cocos-trial.mjs';

const usage = `usage: npm run public-projects -- [options] [NAME=]PLACE …
A place is the folder of a project, or a bare git repository that contains some. Nothing in it is changed.
  --edits N    random edits of each project (200)
  --seed N     which edits (1)
  --out FILE   writes a page about it
  --json       prints every number, finding and bug as JSON`;

const git = (directory, ...args) =>
  execFileSync('git', [`--git-dir=${directory}`, ...args], {
    maxBuffer: 2 ** 30,
    encoding: 'utf8',
  });

const isGit = (place) =>
  existsSync(path.join(place, 'HEAD')) && existsSync(path.join(place, 'objects'));

/** Whether a package.json is that of a project of Creator 3. */
function isProject(text) {
  try {
    return String(JSON.parse(text).creator?.version).startsWith('3.');
  } catch {
    return false;
  }
}

/** The projects in a git repository: their folders, '.' for the root. */
function projectsIn(place) {
  const files = git(place, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0');
  return files
    .filter((file) => path.posix.basename(file) === 'package.json' && !/node_modules/.test(file))
    .filter((file) => isProject(git(place, 'show', `HEAD:${file}`)))
    .map((file) => path.posix.dirname(file));
}

/** Copies a project out of a git repository: what it is made of, not the programs and films beside it. */
function copyOf(place, tree, folder) {
  const foldersIn = (name) =>
    git(place, 'ls-tree', '-d', '--name-only', `${tree}${name}`).split('\n').filter(Boolean);
  const parts = foldersIn('').filter((name) => ['assets', 'settings'].includes(name));
  if (foldersIn('').includes('extensions')) {
    parts.push(...foldersIn('extensions').map((name) => `extensions/${name}`));
  }
  const archive = `${folder}.tar`;
  for (const part of parts) {
    git(place, 'archive', `--prefix=${part}/`, '-o', archive, `${tree}${part}`);
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    rmSync(archive);
  }
  writeFileSync(path.join(folder, 'package.json'), git(place, 'show', `${tree}package.json`));
}

/** What a place has to try: a name for each project, its commit, and how to make a copy of it. */
function trialsIn(given) {
  const [, name, typed] = /^(?:([^=]*)=)?(.*)$/.exec(given);
  const place = path.resolve(typed);
  const called = name ?? path.basename(place);
  if (!isGit(place)) {
    const copy = (folder) => cpSync(place, folder, { recursive: true });
    return [{ name: called, commit: undefined, copy }];
  }
  const commit = git(place, 'rev-parse', 'HEAD').trim();
  return projectsIn(place).map((inner) => ({
    name: inner === '.' ? called : `${called}/${inner}`,
    commit,
    copy: (folder) => copyOf(place, inner === '.' ? 'HEAD:' : `HEAD:${inner}/`, folder),
  }));
}

/** What is known of public projects: why each kind of finding is true of them. */
const known = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'cocos-projects.json'), 'utf8'),
);

/** What must not be: everything that would make the tools unfit for this project. */
function faultsOf({ name, bugs, changed, undo, newErrors, findings }) {
  const unexplained = Object.keys(findings).filter((code) => !known[name]?.[code]);
  return [
    ...bugs.map(({ tool, args, why }) => `bug: ${tool} ${JSON.stringify(args)}: ${why}`),
    ...changed.map((file) => `not as before: ${file}`),
    ...(undo.stopped === undefined ? [] : [`undo stopped: ${undo.stopped}`]),
    ...newErrors.map((finding) => `an edit made an error: ${JSON.stringify(finding)}`),
    ...(known[name] ? unexplained.map((code) => `nobody has explained: ${code}`) : []),
  ];
}

async function tryOne({ name, commit, copy }, { edits, seed }) {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'public-project-'));
  try {
    const folder = path.join(scratch, 'project');
    const image = path.join(scratch, 'images/square.png');
    for (const made of [folder, path.dirname(image)]) mkdirSync(made, { recursive: true });
    writeFileSync(image, squarePng(16, [200, 100, 50]));
    say(`${name}: copying`);
    copy(folder);
    const tell = (text) => say(`${name}: ${text}`);
    const tried = await tryProject(folder, { edits, seed, image, say: tell });
    return { name, commit, ...tried };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      edits: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  await prepare({ dev: false });
  const options = { edits: Number(values.edits), seed: Number(values.seed) };
  const results = [];
  let faults = 0;
  for (const trial of positionals.flatMap(trialsIn)) {
    const result = await tryOne(trial, options);
    results.push(result);
    for (const fault of faultsOf(result)) {
      faults += 1;
      say(`${trial.name}: ${fault}`);
    }
  }
  const page = pageOf(results, { ...options, known, node: process.versions.node });
  if (values.out) writeFileSync(values.out, page);
  console.log(values.json ? JSON.stringify(results, undefined, 2) : page);
  return faults === 0 ? 0 : 1;
});
