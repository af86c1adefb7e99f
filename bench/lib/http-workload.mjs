// One workload over HTTP, put to every candidate that can serve it: CPU time per request at several levels of load.
import { cpuSeconds, rssMiB } from './proc.mjs';
import { ask, startHttpServer, startLoad, stop } from './processes.mjs';
import { faultLines, leastRatio, loadTable, valuesOf } from './report.mjs';
import { failureLines, interleave } from './rounds.mjs';
import { most } from './stats.mjs';

// many short slices: on a machine that others use too, some of them find it quiet
const full = { blocks: 2, rounds: 3, seconds: 0.5, warmup: 2, rewarm: 0.15 };
const quick = { blocks: 1, rounds: 1, seconds: 0.3, warmup: 0.5, rewarm: 0 };

/** A slice of load, with the server's CPU time and memory around it. */
export async function runSlice(load, pid, options) {
  const before = cpuSeconds(pid);
  const result = await ask(load, 'run', options);
  if (result.requests === 0) throw new Error(`no answers: ${JSON.stringify(result.failures)}`);
  const cpu = ((cpuSeconds(pid) - before) / result.requests) * 1e6;
  return { ...result, cpu, rss: rssMiB(pid) };
}

/**
 * Measures { key, title, flavours, what, tools, kib, levels, blocks }, where `flavours(candidate)` says what of a candidate is to
 * be measured. The first case is the floor that the others are compared with.
 */
export async function runWorkload(workload, { candidates, options, log }) {
  const plan = options.quick ? quick : full;
  const cases = candidates.flatMap((candidate) =>
    workload.flavours(candidate).map(({ note, ...flavour }) => ({
      candidate,
      flavour,
      label: note ? `${candidate.label}, ${note}` : candidate.label,
    })),
  );
  const levels = options.quick ? workload.levels.filter((n) => n > 1 && n < 256) : workload.levels;
  const runs = new Map(cases.map((c) => [c, {}]));
  const failed = new Map();
  const remember = (outcome) => outcome.failed.forEach((error, c) => failed.set(c, error));
  const healthy = () => cases.filter((c) => !failed.has(c));
  // a block starts every server afresh: how code gets compiled differs from process to process
  const blocks = Math.min(plan.blocks, workload.blocks ?? plan.blocks);
  for (let block = 1; block <= blocks; block++) {
    const live = new Map();
    try {
      const warm = (c) => startAndWarm(c, { workload, plan, levels, options, live });
      remember(await interleave(healthy(), 1, warm, log));
      for (const level of levels) {
        const measure = (c) => measureLevel(live.get(c), { workload, plan, level });
        const outcome = await interleave(healthy(), plan.rounds, measure, log);
        remember(outcome);
        outcome.results.forEach((list, c) => (runs.get(c)[level] ??= []).push(...list));
      }
    } finally {
      for (const { server, load } of live.values()) await Promise.all([stop(load), stop(server)]);
    }
  }
  return report(workload, levels, { runs, failed });
}

async function startAndWarm(c, { workload, plan, levels, options, live }) {
  const { what, tools = 2, kib } = workload;
  const { era, mode } = c.flavour;
  const params = { era, mode, tools, zod: options.zod };
  const { child: server, url } = await startHttpServer(c.candidate.name, params);
  const load = startLoad();
  live.set(c, { server, load });
  try {
    await ask(load, 'open', { ...c.flavour, url, connections: Math.max(...levels) });
    await ask(load, 'probe', { what, tools, kib });
    const slice = { what, kib, connections: 16, seconds: plan.warmup };
    const warmed = await runSlice(load, server.pid, slice);
    return { summary: `warm, ${Math.round(warmed.perSecond)}/s` };
  } catch (error) {
    live.delete(c);
    await Promise.all([stop(load), stop(server)]);
    throw error;
  }
}

async function measureLevel({ server, load }, { workload, plan, level }) {
  const slice = { what: workload.what, kib: workload.kib, connections: level };
  // idle while the others were measured: its code and data have left the caches
  if (plan.rewarm) await runSlice(load, server.pid, { ...slice, seconds: plan.rewarm });
  const result = await runSlice(load, server.pid, { ...slice, seconds: plan.seconds });
  const { cpu, perSecond } = result;
  return {
    ...result,
    summary: `${level} connections, ${cpu.toFixed(1)} µs, ${Math.round(perSecond)}/s`,
  };
}

function report({ key, title }, levels, { runs, failed }) {
  const measures = [];
  const failures = failureLines(title, failed);
  const tables = levels.map((level) => {
    const rows = [...runs]
      .map(([c, byLevel]) => ({ c, name: c.candidate.name, runs: byLevel[level] ?? [] }))
      .filter((row) => row.runs.length > 0);
    failures.push(...faultLines(`${title}, ${level} connections`, rows));
    const ratio = leastRatio(rows, 'cpu');
    measures.push(
      { key: `${key}/${level}/cpu`, values: valuesOf(rows, ratio) },
      { key: `${key}/${level}/rss`, values: valuesOf(rows, (row) => most(row.runs, 'rss')) },
    );
    return loadTable(`${title}, ${level} connection${level === 1 ? '' : 's'}`, rows);
  });
  const raw = [...runs].map(([c, byLevel]) => ({ workload: key, candidate: c.label, byLevel }));
  return { tables, measures, failures, raw };
}

/** The flavours of a candidate with this era and mode. */
export const flavoursOf = (candidate, era, mode) =>
  candidate.http?.flavours.filter((f) => f.era === era && f.mode === mode) ?? [];
