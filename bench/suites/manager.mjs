// Many servers at once: how long until all are open, beside the slowest of them alone.
import { performance } from 'node:perf_hooks';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { shellServer } from '../lib/shell-server.mjs';
import { least, median } from '../lib/stats.mjs';

const count = 50;
const slowestMs = 1000;

/** How long each of `pauses` servers takes to be open, all opened at the same time. */
async function openAll({ pausesMs }) {
  const { adHocEntry, createManager } = await import('@mcp-kit/host');
  const entries = pausesMs.map((ms, index) => adHocEntry(shellServer(ms), `server-${index}`));
  const options = { receipts: false, toolCache: false, reconnect: false, trust: 'trusted' };
  const manager = createManager({ entries, ...options });
  try {
    const started = performance.now();
    const statuses = await manager.connectAll();
    const ms = performance.now() - started;
    const failed = statuses.find(({ state }) => state !== 'ready');
    if (failed !== undefined) throw new Error(`${failed.name} is ${failed.state}`);
    return { ms, summary: `${ms.toFixed(0)} ms` };
  } finally {
    await manager.close();
  }
}

/** Runs the suite. */
export async function run({ candidates, options, log }) {
  if (!candidates.some(({ name }) => name === 'ours')) return [];
  const title = `manager: ${count} servers opened at once`;
  const pausesMs = Array.from({ length: count }, (_, i) => (slowestMs * (i + 1)) / count);
  const cases = [
    { label: 'the slowest alone', pausesMs: pausesMs.slice(-1) },
    { label: `all ${count}`, pausesMs },
  ];
  const { results, failed } = await interleave(cases, options.quick ? 1 : 5, openAll, log);
  const [alone, all] = [...results.values()];
  const rows = [...results].map(([{ label }, runs]) => [
    label,
    least(runs, 'ms'),
    least(runs, 'ms') / least(alone, 'ms'),
    median(runs.map(({ ms }) => ms)),
  ]);
  const table = { title, header: ['servers', 'ms best', '× the slowest', 'ms median'], rows };
  const values = all.length > 0 ? { ours: least(all, 'ms') / least(alone, 'ms') } : {};
  const measures = [{ key: 'manager/parallel', values }];
  const raw = [...results].map(([c, runs]) => ({ workload: title, candidate: c.label, runs }));
  return [{ tables: [table], measures, failures: failureLines(title, failed), raw }];
}
