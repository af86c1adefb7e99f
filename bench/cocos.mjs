// node bench/cocos.mjs [options]: how long the tools of the Cocos pack take on a large project, over MCP, as a client sees it.
// A server in a process of its own, over HTTP; calls of all kinds take turns, each write is on the disk when it answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { main, root, say } from '../scripts/prepare.mjs';
import { measuredCalls, targets } from './lib/cocos-calls.mjs';
import { largeScene, makeLargeProject } from './lib/cocos-project.mjs';
import { cpuSeconds } from './lib/proc.mjs';
import { quantile } from './lib/stats.mjs';
import { table } from './lib/table.mjs';

const usage = `usage: node bench/cocos.mjs [options]
  --rounds N   how often each tool is called (30)
  --nodes N    nodes of the scene (5000)
  --assets N   assets of the project (2000)
  --out FILE   where the report goes (bench/cocos-report.md)
  --keep DIR   make the project there, and leave it
  --assert     a missed target is a failure`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '30' },
      nodes: { type: 'string', default: '5000' },
      assets: { type: 'string', default: '2000' },
      out: { type: 'string', default: path.join(root, 'bench/cocos-report.md') },
      keep: { type: 'string' },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const numbers = { rounds: 0, nodes: 0, assets: 0 };
  for (const name of Object.keys(numbers)) numbers[name] = Number(values[name]);
  return { ...values, ...numbers };
}

const program = path.join(root, 'packages/mcpctl/dist/main.js');

/** Serves a project, with images from a folder beside it, to `work`, which gets a session and the process. */
async function serving(folder, images, work) {
  const where = ['--project', folder, '--image-folder', images];
  const args = [program, 'cocos', 'serve', ...where, '--port', '0', '--json'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const { url } = JSON.parse(line);
    const session = await openSession(httpTarget(url), { era: 'legacy' });
    const result = await work(session, server.pid);
    await session.close();
    return result;
  } finally {
    server.kill();
    await ended;
  }
}

/** Calls every tool in every round; the times of each in milliseconds, the first apart. */
function measure(folder, { rounds, scratch }) {
  return serving(folder, scratch, async (session, pid) => {
    const call = async (tool, given) => {
      const cpu = cpuSeconds(pid);
      const started = performance.now();
      const { structuredContent } = await session.callTool(tool, given, { timeoutMs: 60_000 });
      const ms = performance.now() - started;
      if (!structuredContent?.success) {
        throw new Error(`${tool} failed: ${JSON.stringify(structuredContent?.error)}`);
      }
      return { ms, cpuMs: (cpuSeconds(pid) - cpu) * 1000 };
    };
    const opened = await call('execute_scene_open', { scenePath: largeScene });
    const results = measuredCalls(scratch).map((each) => ({ ...each, first: 0, calls: [] }));
    for (let round = 0; round <= rounds; round++) {
      for (const each of results) {
        const taken = await call(each.tool, each.argumentsIn(round));
        if (round === 0) each.first = taken.ms;
        else each.calls.push(taken);
      }
    }
    return { opened: opened.ms, results };
  });
}

/** The numbers of each tool, and whether they are good enough. */
const summarise = (results) =>
  results.map(({ tool, kind, first, calls }) => {
    const times = calls.map(({ ms }) => ms);
    const cpu = quantile(
      calls.map(({ cpuMs }) => cpuMs),
      0.5,
    );
    const p95 = quantile(times, 0.95);
    const target = targets[kind];
    return { tool, kind, first, p50: quantile(times, 0.5), p95, cpu, target, isMet: p95 <= target };
  });

function report(summary, { made, opened, rounds }) {
  const rows = summary.map(({ tool, kind, first, p50, p95, cpu, target, isMet }) => [
    `\`${tool}\``,
    kind,
    first,
    p50,
    p95,
    cpu,
    `≤ ${target}`,
    isMet ? 'yes' : 'NO',
  ]);
  const head = ['tool', 'kind', 'first', 'p50', 'p95', 'CPU', 'target', 'met'];
  const missed = summary.filter(({ isMet }) => !isMet).length;
  const [cpu] = os.cpus();
  return `# Speed of the Cocos tools

Written by \`node bench/cocos.mjs\`: milliseconds from the request of a client to the answer, over HTTP. One scene of ${made.nodes} nodes,
${made.assets} assets. Every write is on the disk, verified, when it answers. Each tool was called ${rounds} times after the first.
CPU is what the server used of all its threads, at the median; times grow with other work on the machine, this does not.

${table(head, rows)}

Opening the scene, the first call of all: ${Math.round(opened)} ms. Targets met: ${summary.length - missed} of ${summary.length}.

Node ${process.versions.node}, ${os.cpus().length} × ${cpu?.model ?? 'CPU'}, load ${os.loadavg()[0].toFixed(1)} at the end.
`;
}

await main(async () => {
  const options = readArguments();
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'cocos-bench-'));
  try {
    const folder = path.resolve(options.keep ?? path.join(scratch, 'project'));
    mkdirSync(folder, { recursive: true });
    say('making the project');
    const made = await makeLargeProject(folder, options);
    say('measuring');
    const { opened, results } = await measure(folder, { rounds: options.rounds, scratch });
    const summary = summarise(results);
    const text = report(summary, { made, opened, rounds: options.rounds });
    console.log(text);
    writeFileSync(options.out, text);
    say(`wrote ${path.relative(process.cwd(), options.out)}`);
    return options.assert && summary.some(({ isMet }) => !isMet) ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
