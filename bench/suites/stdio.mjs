// stdio server: a small tools/call, one at a time and 64 in flight, in both eras.
import { sessionEra, statelessEra } from '../lib/messages.mjs';
import { startStdioServer } from '../lib/processes.mjs';
import { faultLines, leastRatio, loadTable, valuesOf } from '../lib/report.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least } from '../lib/stats.mjs';
import { StdioPeer } from '../lib/stdio-peer.mjs';

// one call at a time costs more or less as the kernel happens to place the two processes: hence many short slices
const full = { rounds: 4, slices: 3, seconds: 0.3, warmup: 1.5 };
const quick = { rounds: 1, slices: 1, seconds: 0.3, warmup: 0.4 };
const windows = [1, 64];

async function measure({ candidate, era }, plan, options) {
  const peer = new StdioPeer(startStdioServer(candidate.name, { zod: options.zod }), era);
  try {
    await peer.initialize();
    await peer.probe();
    await peer.run({ inFlight: 16, seconds: plan.warmup });
    const result = Object.fromEntries(windows.map((window) => [window, []]));
    for (let i = 0; i < plan.slices; i++) {
      for (const inFlight of windows) {
        result[inFlight].push(await peer.run({ inFlight, seconds: plan.seconds }));
      }
    }
    const costs = windows.map((w) => `${w} in flight ${least(result[w], 'cpu').toFixed(1)} µs`);
    return { ...result, summary: costs.join(', ') };
  } finally {
    await peer.stop();
  }
}

async function runEra(era, { candidates, options, log }) {
  const plan = options.quick ? quick : full;
  const cases = candidates
    .filter((candidate) => candidate.stdio?.eras.includes(era))
    .map((candidate) => ({ candidate, era, label: candidate.label }));
  const once = (c) => measure(c, plan, options);
  const { results, failed } = await interleave(cases, plan.rounds, once, log);
  const measures = [];
  const failures = failureLines(`stdio, ${era}`, failed);
  const tables = windows.map((window) => {
    const rows = [...results]
      .filter(([, runs]) => runs.length > 0)
      .map(([c, runs]) => ({
        c,
        name: c.candidate.name,
        runs: runs.flatMap((run) => run[window]),
      }));
    failures.push(...faultLines(`stdio, ${era}, ${window} in flight`, rows));
    const values = valuesOf(rows, leastRatio(rows, 'cpu'));
    measures.push({ key: `stdio-${era.slice(0, 4)}/${window}`, values });
    return loadTable(`stdio tools/call, ${era}, ${window} in flight`, rows);
  });
  const raw = [...results].map(([c, runs]) => ({
    workload: 'stdio',
    era,
    candidate: c.label,
    runs,
  }));
  return { tables, measures, failures, raw };
}

/** Runs the suite. */
export const run = async (bench) => [
  await runEra(sessionEra, bench),
  await runEra(statelessEra, bench),
];
