// Command lines: from the start of the process to the printed tools of a stdio server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { loadCommands } from '../lib/commands.mjs';
import { sessionEra } from '../lib/messages.mjs';
import { startCommand, stdioCommand } from '../lib/processes.mjs';
import { leastRatio, valuesOf } from '../lib/report.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';
import { measureWarmCalls } from '../lib/warm-call.mjs';

/** Runs one command to its end: after how long it had printed what is expected, and after how long it had ended. */
function runToEnd(args, env, expected, timeoutMs = 60_000) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = startCommand(args, env);
    let text = '';
    let printed;
    const take = (piece) => {
      text += piece;
      if (text.includes(expected)) printed ??= performance.now() - started;
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', (piece) => (text += piece));
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      const ended = performance.now() - started;
      if (expected === '') printed = ended;
      if (printed !== undefined) resolve({ printed, ended });
      else reject(new Error(`ended with ${code} and printed no tools: ${text.slice(0, 300)}`));
    });
  });
}

async function measure({ before, steps, after, env, silent, path: program }, server) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-kit-bench-'));
  const variables = env?.(folder) ?? {};
  const carryOut = async (list) => {
    for (const args of list?.(server, folder, program) ?? []) await runToEnd(args, variables, '');
  };
  try {
    await carryOut(before);
    const timed = steps(server, folder, program);
    let [printed, ended] = [0, 0];
    for (const [index, args] of timed.entries()) {
      const isLast = index === timed.length - 1;
      const run = await runToEnd(args, variables, isLast && !silent ? '"echo"' : '');
      printed = ended + run.printed;
      ended += run.ended;
    }
    return { printed, ended, summary: `${printed.toFixed(0)} ms` };
  } finally {
    await carryOut(after);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the suite. */
export async function run({ options, log }) {
  const title = 'command line: start to the printed tools of a stdio server';
  const cases = await loadCommands(options);
  const server = stdioCommand('floor', { era: sessionEra });
  const once = (c) => measure(c, server);
  const { results, failed } = await interleave(cases, options.quick ? 1 : 12, once, log);
  const rows = [...results]
    .map(([c, runs]) => ({ c, name: c.name, runs }))
    .filter(({ runs }) => runs.length > 0);
  // The floor first, as the ratios want it; an empty program is only for orientation.
  rows.sort((a, b) => Number(b.name === 'floor') - Number(a.name === 'floor'));
  const printed = leastRatio(rows, 'printed');
  const ended = leastRatio(rows, 'ended');
  const table = {
    title,
    header: ['command', 'printed, ms best', '× floor', 'ms median', 'ended, ms best', '× floor'],
    rows: rows.map((row) => [
      row.c.label,
      least(row.runs, 'printed'),
      printed(row),
      median(row.runs.map((each) => each.printed)),
      least(row.runs, 'ended'),
      ended(row),
    ]),
  };
  const peers = cases.filter(({ peer }) => peer).map(({ name, label }) => ({ name, label }));
  const measures = [
    { key: 'cli/tools', values: valuesOf(rows, printed), peers },
    { key: 'cli/ended', values: valuesOf(rows, ended), peers },
  ];
  const raw = rows.map(({ c, runs }) => ({ workload: title, candidate: c.label, runs }));
  const warm = await measureWarmCalls({ options });
  measures.push({ key: 'cli/warm', values: { 'mcp-kit': warm.ratio } });
  const tables = [table, warm.table];
  return [{ tables, measures, failures: failureLines(title, failed), raw }];
}
