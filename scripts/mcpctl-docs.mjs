// Writes the reference of docs/mcpctl.md from the definitions of the commands, and the hosts of docs/setup.md; with --check it
// only compares.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, root, say } from './prepare.mjs';

const page = path.join(root, 'docs/mcpctl.md');
const guide = path.join(root, 'docs/setup.md');
const begin = '<!-- What follows is written by scripts/mcpctl-docs.mjs. -->';

/** The definitions as the program has them, from the sources. */
async function loadDefinitions() {
  const { bundleEntries } = await import('./bundle.mjs');
  fs.mkdirSync(path.join(root, 'temp'), { recursive: true });
  // Inside the repository, so that the dependencies are found.
  const folder = fs.mkdtempSync(path.join(root, 'temp/mcpctl-docs-'));
  try {
    const names = ['registry', 'help', 'exit-code', 'global-options'];
    const sources = names.map((name) => [name, `src/${name}.ts`]);
    const input = Object.fromEntries([...sources, ['host', '@mcp-kit/host/internal']]);
    const output = { dir: folder, entryFileNames: '[name].mjs' };
    await bundleEntries(path.join(root, 'packages/mcpctl'), input, { output });
    const files = Object.keys(input).map((name) => path.join(folder, `${name}.mjs`));
    const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
    const definitions = Object.assign({}, ...modules);
    const entries = Object.entries(definitions.commands).filter(([, { hidden }]) => !hidden);
    const commands = await Promise.all(
      entries.map(async ([name, entry]) => ({ name, entry, command: await entry.load() })),
    );
    return { ...definitions, commands };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---|').join('')}`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  '',
];

function optionRows(options, spelling) {
  return Object.entries(options).map(([name, option]) => [
    `\`${spelling(name, option)}\``,
    option.help,
  ]);
}

function describeCommand({ name, entry, command }, { usageOf, spelling }) {
  const { positionals, options, examples, notes = [] } = command;
  const { aliases = [], summary } = entry;
  const args = positionals.map(({ name: label, help }) => [`\`${label}\``, help]);
  const lines = [`### mcpctl ${name}`, '', summary];
  if (aliases.length > 0) lines.push(`Also called ${aliases.map((a) => `\`${a}\``).join(', ')}.`);
  lines.push('', '```text', usageOf(name, command), '```', '');
  if (args.length > 0) lines.push(...table(['argument', 'what'], args));
  const rows = optionRows(options, spelling);
  if (rows.length > 0) lines.push(...table(['option', 'what'], rows));
  if (examples.length > 0) {
    const shown = examples.flatMap(({ command: line, about }) => [`# ${about}`, line]);
    lines.push('```text', ...shown, '```', '');
  }
  return [...lines, ...notes.flatMap((note) => [note, ''])];
}

function writeReference(definitions) {
  const { commands, exitMeanings, globalGroups, targetOptions, spelling } = definitions;
  return [
    begin,
    '',
    '## Commands',
    '',
    ...table(
      ['command', 'what'],
      commands.map(({ name, entry }) => {
        const anchor = `mcpctl ${name}`.replaceAll(' ', '-');
        return [`[${name}](#${anchor})`, entry.summary];
      }),
    ),
    ...commands.flatMap((one) => describeCommand(one, definitions)),
    '## Global options',
    '',
    'They work before and after every command, except `serve` and `completion`, which have their own.',
    '',
    ...Object.entries(globalGroups).flatMap(([title, options]) => [
      `### ${title}`,
      '',
      ...table(['option', 'what'], optionRows(options, spelling)),
    ]),
    '### A server that is in no file',
    '',
    ...table(
      ['option', 'what'],
      [
        ...optionRows(targetOptions, spelling),
        ['`-- PROGRAM [ARGUMENT…]`', 'Use the server that this command starts.'],
      ],
    ),
    '## Exit codes',
    '',
    ...table(['code', 'meaning'], Object.entries(exitMeanings)),
  ].join('\n');
}

/** The table of hosts, with their files on Linux. */
function writeHosts({ connectable, dialectTitle }) {
  const surroundings = { root: '/project', home: '/home', platform: 'linux', env: {} };
  const file = (host, level) => {
    const found = host.where(surroundings).find(({ scope }) => scope === level)?.files[0];
    if (found === undefined) return '';
    return `\`${found.replace('/project/', '').replace('/home/', '~/')}\``;
  };
  const rows = connectable.map((host) => [
    `\`${host.id}\``,
    host.title,
    host.dialect === host.id ? '' : `as ${dialectTitle(host.dialect)}`,
    file(host, 'project'),
    file(host, 'user'),
  ]);
  return table(['host', 'program', 'written', 'in a project', 'of the user, on Linux'], rows).join(
    '\n',
  );
}

/** Writes a page, or says that it would be another one. */
function update(file, text) {
  const name = path.relative(root, file);
  if (text === fs.readFileSync(file, 'utf8')) return;
  if (process.argv.includes('--check')) {
    throw new Error(`${name} is out of date: run node scripts/mcpctl-docs.mjs`);
  }
  fs.writeFileSync(file, text);
  say(`updated ${name}`);
}

await main(async () => {
  const definitions = await loadDefinitions();
  const old = fs.readFileSync(page, 'utf8');
  const at = old.indexOf(begin);
  if (at === -1) throw new Error(`docs/mcpctl.md has lost its line "${begin}"`);
  update(page, `${old.slice(0, at)}${writeReference(definitions).trimEnd()}\n`);
  const [before, , after] = fs
    .readFileSync(guide, 'utf8')
    .split(/(<!-- hosts -->\n)[^]*?(?=\n## )/);
  update(guide, `${before}<!-- hosts -->\n\n${writeHosts(definitions)}${after}`);
});
