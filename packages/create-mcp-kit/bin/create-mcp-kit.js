#!/usr/bin/env node
// Makes a new project from the template beside it: a server with one tool, its test, an mcp.json and a skill.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Usage: npm create mcp-kit [FOLDER] [-- OPTION…]

Makes a server in TypeScript with one tool, a test, an mcp.json and a skill. FOLDER: my-mcp-server, if left out.

Options:
  --no-install      Do not run npm install.
  --packages DIR    Use the packed packages in this folder (mcp-kit-VERSION.tgz, mcpctl-VERSION.tgz).
  -h, --help        Show this help.`;

const template = fileURLToPath(new URL('../template/', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * A mistake of whoever typed it, with what to do instead.
 * @returns {never}
 */
function fail(message, hint) {
  process.stderr.write(`create-mcp-kit: ${message}\n${hint}\n`);
  process.exit(2);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'no-install': { type: 'boolean' },
        packages: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return { ...values, folder: positionals[0] ?? 'my-mcp-server', stray: positionals[1] };
  } catch (error) {
    return fail(error.message, usage);
  }
}

/** The name of the server and its package: that of the folder, as npm takes it. */
function nameOf(folder) {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (name !== '') return name;
  return fail(
    `${folder} gives no name for the server`,
    'Use letters and digits in the name of the folder.',
  );
}

/** What the project depends on: the release of this version, or packages that were packed. */
function dependencies(packages) {
  const names = ['mcp-kit', 'mcpctl'];
  if (packages === undefined) return Object.fromEntries(names.map((name) => [name, version]));
  return Object.fromEntries(
    names.map((name) => {
      const file = path.resolve(packages, `${name}-${version}.tgz`);
      if (!existsSync(file))
        fail(`there is no ${file}`, 'Pack it: npm pack ./packages/mcp-kit ./packages/mcpctl');
      return [name, `file:${file}`];
    }),
  );
}

/** Writes the files of the template, with the name in its place. */
function write(folder, words) {
  const fill = (text) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, word) => words[word]);
  const files = readdirSync(template, { recursive: true, withFileTypes: true });
  for (const entry of files.filter((one) => one.isFile())) {
    const source = path.join(entry.parentPath ?? entry.path, entry.name);
    const relative = path.relative(template, source);
    // npm packs neither a .gitignore nor a package.json below the top as they are.
    const target = path.join(
      folder,
      relative
        .replaceAll('\\', '/')
        .replace(/^gitignore$/, '.gitignore')
        .replace(/^package\.template\.json$/, 'package.json')
        .replace(/^skill\//, `skills/${words.name}/`),
    );
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, fill(readFileSync(source, 'utf8')));
  }
}

function install(folder) {
  // The npm that started this, where one did.
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  const args = [...first, 'install', '--no-audit', '--no-fund'];
  const { status } = spawnSync(command, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0)
    fail('npm install failed', `The files are there. Try again: cd ${folder} && npm install`);
}

const given = readArguments();
if (given.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
if (given.stray !== undefined) fail(`unexpected argument "${given.stray}"`, usage);
const folder = path.resolve(given.folder);
if (existsSync(folder) && readdirSync(folder).length > 0) {
  fail(`${folder} is not empty`, 'Name a new folder: npm create mcp-kit my-server');
}
const name = nameOf(folder);
const { 'mcp-kit': kit, mcpctl } = dependencies(given.packages);
write(folder, { name, kit, mcpctl });
if (!given['no-install']) install(folder);
const place = path.relative(process.cwd(), folder) || '.';
process.stdout.write(`${name} is in ${place}. Next:

  cd ${place}${given['no-install'] ? '\n  npm install' : ''}
  npm test
  npx mcpctl call ${name}.get_number_sum a=2 b=3
  npx mcpctl connect --list
`);
