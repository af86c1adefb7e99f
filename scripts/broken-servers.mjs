// Tries the broken servers of test/fixtures/broken with mcpctl, mcporter and the official inspector, and writes what each says of
// them into docs/health.md: npm run broken-servers -- [--only REGEX]; with --only it only prints.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { startBroken } from '../test/fixtures/broken/list.mjs';
import { installCommandPeers, installPeers, peersFolder } from './peers.mjs';
import { main, prepare, root } from './prepare.mjs';

const page = path.join(root, 'docs/health.md');
const [begin, end] = ['<!-- broken servers -->', '<!-- end of broken servers -->'];
/** What each is told to wait for an answer, where it can be told; whatever takes longer than the second is ended. */
const [timeoutMs, endMs] = ['5000', 90_000];

const mcpctl = path.join(root, 'packages/mcpctl/dist/main.js');
const mcporter = path.join(peersFolder, 'commands/node_modules/mcporter/dist/cli.js');
const inspector = path.join(
  peersFolder,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

const oursWay = ({ url, command, args }) => (url ? ['--url', url] : ['--', command, ...args]);
const mcporterWay = ({ url, command, args }) =>
  url
    ? ['--http-url', url, '--allow-http']
    : ['--stdio', command, ...args.flatMap((arg) => ['--stdio-arg', arg])];
const inspectorWay = ({ url, command, args }) =>
  url ? [url, '--transport', 'http'] : [command, ...args];

/** Every way in which somebody finds out: its title, the words before the server, how that is given, and the words after. */
const ways = [
  {
    title: '`mcpctl call`',
    before: [mcpctl, 'call', 'work', '--timeout-ms', timeoutMs],
    way: oursWay,
  },
  {
    title: '`mcpctl doctor --call`',
    before: [mcpctl, 'doctor', '--call', 'work', '--timeout-ms', timeoutMs],
    way: oursWay,
  },
  {
    title: '`mcporter call`',
    before: [mcporter, 'call', '--name', 'broken', '--timeout', timeoutMs, '--no-oauth'],
    way: mcporterWay,
    after: ['work'],
  },
  {
    title: '`inspector --cli`',
    before: [inspector, '--cli'],
    way: inspectorWay,
    after: ['--method', 'tools/call', '--tool-name', 'work'],
  },
];

/** Runs a command line as a new user to its end; what it said, how it ended, and how long that took. */
async function run(line) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'broken-servers-'));
  const began = performance.now();
  const env = { PATH: process.env.PATH, HOME: home, BROWSER: 'none' };
  // A group of its own, so that whatever it has started ends with it.
  const child = spawn(process.execPath, line, { cwd: home, env, detached: true });
  child.stdin.end();
  let isEnded = false;
  const timer = setTimeout(() => {
    isEnded = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, endMs);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  clearTimeout(timer);
  const seconds = (performance.now() - began) / 1000;
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  return { said: stdout + stderr, isEnded, seconds };
}

/** Without what differs from run to run and from machine to machine. */
const settled = (said) =>
  said
    .replaceAll(root, '…')
    .replaceAll(process.execPath, 'node')
    .replaceAll(/\/tmp\/broken-servers-\w+/g, '~')
    .replaceAll(/(127\.0\.0\.1|localhost):(?!3\b)\d+/g, '$1:PORT')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001B\[[0-9;]*m/g, '');

function verdict({ cause, next }, { said, isEnded, seconds }) {
  const named = [cause.test(said) && 'cause', next.test(said) && 'next step'].filter(Boolean);
  const time = isEnded ? `ended after ${endMs / 1000} s` : `${seconds.toFixed(1)} s`;
  const otherwise = /\bdone\b/.test(said) ? 'works' : '–';
  return `${named.join(', ') || otherwise} (${time})`;
}

const shownLines = 6;
const shownCharacters = 160;

/** The beginning of what was said, as a block of its own. */
function quote(title, said) {
  const lines = settled(said)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*[:(]/.test(line))
    .map((line) => (line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line));
  const shown = lines.slice(0, shownLines);
  if (lines.length > shownLines) shown.push('…');
  return `${title}:\n\n\`\`\`text\n${shown.join('\n') || '(nothing)'}\n\`\`\``;
}

function sectionOf(server, runs) {
  // What the doctor says is long, and shown by the others' side in the table.
  const quotes = ways
    .map(({ title }, at) => [title, runs[at].said])
    .filter((_, at) => at !== 1)
    .map(([title, said]) => quote(title, said));
  return [`### ${server.name}`, ...quotes].join('\n\n');
}

await main(async () => {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  await prepare({ dev: true });
  await installPeers();
  await installCommandPeers();
  const { servers, close } = await startBroken();
  const wanted = servers.filter(({ name }) => new RegExp(values.only ?? '').test(name));
  const rows = [];
  const sections = [];
  const full = ways.map(() => 0);
  try {
    for (const server of wanted) {
      const runs = [];
      for (const { before, way, after = [] } of ways) {
        runs.push(await run([...before, ...way(server.server), ...after]));
      }
      const cells = runs.map((one) => verdict(server, one));
      for (const [at, cell] of cells.entries()) if (/cause, next/.test(cell)) full[at] += 1;
      rows.push(`| ${[server.name, ...cells].join(' | ')} |`);
      sections.push(sectionOf(server, runs));
      console.log(rows.at(-1));
    }
  } finally {
    await close();
  }
  const sums = full.map((count) => `**${count} of ${wanted.length}**`);
  const head = ['server', ...ways.map(({ title }) => title)];
  const table = [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows,
    `| ${['**both named**', ...sums].join(' | ')} |`,
  ].join('\n');
  console.log(table.split('\n').at(-1));
  if (values.only !== undefined) {
    console.log(sections.join('\n\n'));
    return;
  }
  const content = fs.readFileSync(page, 'utf8');
  const [before, after] = [content.indexOf(begin) + begin.length, content.indexOf(end)];
  const written = [table, '## What they said', ...sections].join('\n\n');
  fs.writeFileSync(page, `${content.slice(0, before)}\n\n${written}\n\n${content.slice(after)}`);
});
