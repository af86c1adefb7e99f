// node bench/cocos.mjs [options]: how long the tools of the Cocos pack take on large projects, over MCP, as a client sees it.
// A server in a process of its own, over HTTP; calls of all kinds take turns, each write is on the disk when it answers.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { main, root, say } from '../scripts/prepare.mjs';
import { measureProject } from './lib/cocos/measure.mjs';
import { makeLargeProject } from './lib/cocos/project.mjs';
import { allMet, pageOf } from './lib/cocos/report.mjs';

const usage = `usage: node bench/cocos.mjs [options]
  --nodes N,…  nodes of the scene; several sizes are measured one after the other (5000)
  --assets N   assets of the project (2000)
  --rounds N   how often each tool is called (30)
  --quick      few rounds: does everything run?
  --out FILE   where the report goes (bench/cocos-report.md)
  --json       prints every number as JSON instead of the report
  --keep DIR   make the projects there, and leave them
  --assert     a missed target is a failure`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '5000' },
      assets: { type: 'string', default: '2000' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      out: { type: 'string', default: path.join(root, 'bench/cocos-report.md') },
      json: { type: 'boolean', default: false },
      keep: { type: 'string' },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { rounds = values.quick ? '5' : '30' } = values;
  const numbers = {
    nodes: values.nodes.split(',').map(Number),
    assets: Number(values.assets),
    rounds: Number(rounds),
    opens: values.quick ? 1 : 3,
  };
  for (const number of [...numbers.nodes, numbers.assets, numbers.rounds]) {
    if (!Number.isSafeInteger(number) || number < 1) throw new Error(`what is wanted is\n${usage}`);
  }
  return { ...values, ...numbers };
}

/** The command that makes this report, as somebody would type it. */
const commandOf = ({ nodes, rounds, quick }) =>
  `node bench/cocos.mjs --nodes ${nodes.join(',')} ${quick ? '--quick' : `--rounds ${rounds}`}`;

/** Makes a project of one size and measures it. */
async function measureSize(nodes, { assets, rounds, opens, keep, scratch }) {
  const folder = path.resolve(keep ?? scratch, `project-${nodes}`);
  mkdirSync(folder, { recursive: true });
  say(`making a project of ${nodes} nodes and ${assets} assets`);
  const made = await makeLargeProject(folder, { nodes, assets });
  say(`measuring it, ${rounds} rounds`);
  try {
    return await measureProject(folder, { made, rounds, opens, scratch });
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await main(async () => {
  const options = readArguments();
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'cocos-bench-'));
  try {
    const sizes = [];
    for (const nodes of options.nodes)
      sizes.push(await measureSize(nodes, { ...options, scratch }));
    const measured = {
      command: commandOf(options),
      rounds: options.rounds,
      node: process.versions.node,
      load: os.loadavg()[0] / os.cpus().length,
      sizes,
    };
    const page = pageOf(measured);
    console.log(options.json ? JSON.stringify(measured, undefined, 2) : page);
    writeFileSync(options.out, page);
    say(`wrote ${path.relative(process.cwd(), options.out)}`);
    return options.assert && !allMet(sizes) ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
