// node bench/run.mjs [suite…] [options]: measures the candidates side by side and prints Markdown tables.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { main } from '../scripts/prepare.mjs';
import { loadCandidates } from './lib/candidates.mjs';
import { format, table } from './lib/table.mjs';
import { judge } from './targets.mjs';

const suites = [
  'http',
  'list',
  'governed',
  'large',
  'sessions',
  'stdio',
  'lines',
  'startup',
  'import',
  'memory',
  'client',
  'cli',
  'manager',
  'bridge',
  'gateway',
];
const usage = `usage: node bench/run.mjs [suite…] [options]
suites: ${suites.join(', ')} (all)
  --quick      one short round: does everything run?
  --only a,b   only these candidates, and the floor
  --zod        ours defines its tools with zod too, not with JSON Schema
  --assert     a missed target, or a peer ahead, is a failure
  --json FILE  also writes every number`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      zod: { type: 'boolean' },
      assert: { type: 'boolean' },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const unknown = positionals.filter((name) => !suites.includes(name));
  if (unknown.length > 0) throw new Error(`no suite ${unknown}\n${usage}`);
  const wanted = suites.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { options: values, wanted };
}

function printSummary(verdicts, { quick }) {
  const yesNo = (value) => (value === undefined ? '–' : value ? 'yes' : 'NO');
  const shown = ({ ours, floor, unit }) => {
    if (ours === undefined) return '–';
    const beside = unit === '×' || floor === undefined ? '' : ` (floor ${format(floor)})`;
    return `${format(ours)} ${unit}${beside}`;
  };
  const rows = verdicts.map((v) => [
    v.what,
    v.most === undefined ? '–' : `≤ ${v.most} ${v.unit}`,
    shown(v),
    yesNo(v.met),
    v.bestPeer ? `${format(v.bestPeer.value)} (${v.bestPeer.label})` : '–',
    v.place === 'behind' ? 'BEHIND' : v.place,
  ]);
  const header = ['target', 'at most', 'measured', 'met', 'best peer', 'ours is'];
  console.log(
    `## Summary\n\n× is CPU time (time for start-up and lines) as a multiple of the floor's.\n`,
  );
  console.log(`${table(header, rows)}\n`);
  if (quick)
    console.log('Too short to judge by: in a --quick run the servers are still warming up.\n');
}

async function bench() {
  const { options, wanted } = readArguments();
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const started = Date.now();
  const candidates = await loadCandidates(options);
  const log = (line) => process.stderr.write(`${line}\n`);
  const reports = [];
  for (const name of wanted) {
    log(`${name}, after ${Math.round((Date.now() - started) / 1000)} s`);
    const suite = await import(`./suites/${name}.mjs`);
    for (const report of await suite.run({ candidates, options, log })) {
      reports.push(report);
      for (const { title, header, rows } of report.tables) {
        console.log(`### ${title}\n\n${table(header, rows)}\n`);
      }
    }
  }
  const of = (field) => reports.flatMap((report) => report[field]);
  const verdicts = judge(of('measures'), candidates);
  const failures = of('failures');
  printSummary(verdicts, options);
  for (const failure of failures) console.log(`- FAILED ${failure}`);
  const seconds = Math.round((Date.now() - started) / 1000);
  const load = os.loadavg()[0].toFixed(1);
  console.log(
    `Node ${process.version}, ${os.availableParallelism()} cores, load ${load}, ${seconds} s`,
  );
  if (options.json) {
    const environment = { node: process.version, at: new Date(started).toISOString(), seconds };
    const all = { environment, options, verdicts, failures, raw: of('raw') };
    writeFileSync(options.json, `${JSON.stringify(all, null, 1)}\n`);
  }
  const missed = verdicts.some(({ met, place }) => met === false || place === 'behind');
  return failures.length > 0 || (options.assert && missed) ? 1 : 0;
}

await main(bench);
