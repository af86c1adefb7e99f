// Lists the tools of public servers with mcpctl and with the official clients, and says whether they are equal and how long each
// took: npm run public-lists -- [--count N] [--rounds N] [--only REGEX] [--write]
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare, root } from '../../scripts/prepare.mjs';
import { commandOf, isolated } from './place.mjs';

const run = promisify(execFile);
const here = import.meta.dirname;
const page = path.join(root, 'docs/health.md');
const [begin, end] = ['<!-- public servers -->', '<!-- end of public servers -->'];

async function tryServer(name, server, rounds) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'public-lists-'));
  try {
    const place = await commandOf(name, server, folder);
    const asked = JSON.stringify({ place, rounds });
    const line = [...isolated, process.execPath, path.join(here, 'list-trial.mjs'), asked];
    const { stdout } = await run('unshare', line, { timeout: 900_000, maxBuffer: 1e9 });
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const best = (runs) => Math.min(...runs.map(({ ms }) => ms));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const [fixed, ratio] = [(ms) => `${Math.round(ms)} ms`, (number) => number.toFixed(2)];

/** The members of a tool in the protocol. Official clients drop others; mcpctl shows what came. */
const known = new Set(
  'name title description inputSchema outputSchema annotations icons execution _meta'.split(' '),
);
const membersOf = (tool, isWanted) => Object.entries(tool).filter(([name]) => isWanted(name));
const inProtocol = (tool) => Object.fromEntries(membersOf(tool, (name) => known.has(name)));
const beyond = (tools = []) => [
  ...new Set(
    tools.flatMap((tool) => membersOf(tool, (name) => !known.has(name)).map(([name]) => name)),
  ),
];

/** mcpctl lists by name, whatever the order of the server is. */
const byName = (tools = []) => tools.map(inProtocol).toSorted((a, b) => (a.name < b.name ? -1 : 1));
const isSame = (one, other) => isDeepStrictEqual(byName(one), byName(other));

/** Whether the same tools came every time: the ones that the official client of either generation lists. */
function compare({ mcpctl, first, second }) {
  const official = [...first, ...second].filter(({ tools }) => tools !== undefined);
  if (official.length === 0) return { whose: 'no official client lists it' };
  const [{ tools }] = official;
  const isSteady = official.every((one) => isSame(one.tools, tools));
  const isEqual = mcpctl.every((one) => isSame(one.tools, tools));
  const more = beyond(mcpctl[0].tools).filter((name) => !beyond(tools).includes(name));
  return { isSteady, isEqual, tools: tools.length, more };
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '50' },
      rounds: { type: 'string', default: '2' },
      only: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
    },
  });
  await prepare({ dev: true });
  await installPeers();
  const list = JSON.parse(readFileSync(path.join(here, 'servers.json'), 'utf8'));
  const wanted = new RegExp(values.only);
  // Those over HTTP are not started by who lists them.
  const programs = Object.entries(list).filter(([name, { path: at }]) => !at && wanted.test(name));
  const rows = [];
  const ratios = { first: [], second: [] };
  let unequal = 0;
  for (const [name, server] of programs) {
    if (rows.length >= Number(values.count)) break;
    const seen = await tryServer(name, server, Number(values.rounds));
    const { whose, isSteady, isEqual, tools, more = [] } = compare(seen);
    // A server that lists nothing here, or lists otherwise each time, shows nothing of who asks.
    if (whose !== undefined || !isSteady) {
      console.log(`${name}: left out: ${whose ?? 'it lists otherwise each time'}`);
      continue;
    }
    if (!isEqual) unequal += 1;
    for (const { failed } of seen.mcpctl) {
      if (failed !== undefined)
        console.log(`${name}: mcpctl: ${failed.trim() || 'ended too late'}`);
    }
    const [ours, first, second] = [best(seen.mcpctl), best(seen.first), best(seen.second)];
    ratios.first.push(ours / first);
    ratios.second.push(ours / second);
    const beside =
      more.length === 0 ? '' : `; beside it ${more.map((one) => `\`${one}\``).join(', ')}`;
    const verdict = isEqual ? `equal${beside}` : 'NOT EQUAL';
    const cells = [`${name} ${server.version}`, tools, verdict];
    rows.push(`| ${[...cells, fixed(ours), fixed(first), fixed(second)].join(' | ')} |`);
    console.log(rows.at(-1));
  }
  const sum = `${rows.length} servers, ${rows.length - unequal} of them listed equally. Time of \`mcpctl\` in the median: ${ratio(median(ratios.first))} × that of SDK v1, ${ratio(median(ratios.second))} × that of SDK v2.`;
  console.log(sum);
  if (values.write) {
    const head =
      '| server | tools | lists | `mcpctl` | SDK v1 | SDK v2 |\n|---|---|---|---|---|---|';
    const text = readFileSync(page, 'utf8');
    const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
    const table = [head, ...rows].join('\n');
    writeFileSync(page, `${text.slice(0, before)}\n\n${sum}\n\n${table}\n\n${text.slice(after)}`);
  }
  return unequal === 0 ? 0 : 1;
});
