// Cases under load, interleaved: CPU time per request at several levels of load.
import { faultLines, leastRatio, loadTable, valuesOf } from './report.mjs';
import { failureLines, interleave } from './rounds.mjs';
import { least, most } from './stats.mjs';

// many short slices: on a machine that others use too, some of them find it quiet
const full = { blocks: 2, rounds: 3, seconds: 0.5, warmup: 2, rewarm: 0.15 };
const quick = { blocks: 1, rounds: 1, seconds: 0.3, warmup: 0.5, rewarm: 0 };

/**
 * Measures every case of { key, title, cases, peers, levels, levelName, blocks, rounds, open }. `open(c)` starts what a case
 * needs and returns { slice(level, seconds), close() }. The first case is the floor that the others are compared with.
 */
export async function runLevels(work, { options, log }) {
  const plan = options.quick ? quick : full;
  const levels = options.quick ? work.levels.filter((n) => n > 1 && n < 256) : work.levels;
  const runs = new Map(work.cases.map((c) => [c, {}]));
  const failed = new Map();
  const remember = (outcome) => outcome.failed.forEach((error, c) => failed.set(c, error));
  const healthy = () => work.cases.filter((c) => !failed.has(c));
  const rounds = options.quick ? plan.rounds : (work.rounds ?? plan.rounds);
  // a block starts every process afresh: how code gets compiled differs from process to process
  const blocks = Math.min(plan.blocks, work.blocks ?? plan.blocks);
  for (let block = 1; block <= blocks; block++) {
    const live = new Map();
    try {
      const warm = (c) => openAndWarm(c, { work, plan, live });
      remember(await interleave(healthy(), 1, warm, log));
      for (const level of levels) {
        const measure = (c) => measureLevel(live.get(c), { work, plan, level });
        const outcome = await interleave(healthy(), rounds, measure, log);
        remember(outcome);
        outcome.results.forEach((list, c) => (runs.get(c)[level] ??= []).push(...list));
      }
    } finally {
      for (const opened of live.values()) await opened.close();
    }
  }
  return report(work, levels, { runs, failed });
}

async function openAndWarm(c, { work, plan, live }) {
  const opened = await work.open(c);
  try {
    const { perSecond } = await opened.slice(16, plan.warmup);
    live.set(c, opened);
    return { summary: `warm, ${Math.round(perSecond)}/s` };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function measureLevel(opened, { work, plan, level }) {
  // idle while the others were measured: its code and data have left the caches
  if (plan.rewarm) await opened.slice(level, plan.rewarm);
  const result = await opened.slice(level, plan.seconds);
  const { cpu, perSecond } = result;
  const cost = `${cpu.toFixed(1)} µs, ${Math.round(perSecond)}/s`;
  return { ...result, summary: `${work.levelName(level)}, ${cost}` };
}

function report({ key, title, levelName, peers }, levels, { runs, failed }) {
  const measures = [];
  const failures = failureLines(title, failed);
  const tables = levels.map((level) => {
    const rows = [...runs]
      .map(([c, byLevel]) => ({ c, name: c.candidate.name, runs: byLevel[level] ?? [] }))
      .filter((row) => row.runs.length > 0);
    const heading = `${title}, ${levelName(level)}`;
    failures.push(...faultLines(heading, rows));
    const ratio = leastRatio(rows, 'cpu');
    measures.push(
      { key: `${key}/${level}/cpu`, values: valuesOf(rows, ratio), peers },
      { key: `${key}/${level}/rss`, values: valuesOf(rows, (row) => most(row.runs, 'rss')), peers },
      {
        key: `${key}/${level}/p50`,
        values: valuesOf(rows, (row) => least(row.runs, 'p50')),
        peers,
      },
    );
    return loadTable(heading, rows);
  });
  const raw = [...runs].map(([c, byLevel]) => ({ workload: key, candidate: c.label, byLevel }));
  return { tables, measures, failures, raw };
}
