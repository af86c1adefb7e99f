// One workload over HTTP, put to every server that can serve it: CPU time per request at several levels of load.
import { runLevels } from './levels.mjs';
import { cpuSeconds, rssMiB, sumOf } from './proc.mjs';
import { ask, startHttpServer, startLoad, stop } from './processes.mjs';

/** A slice of load, with the CPU time and memory of the server's processes around it. */
export async function runSlice(load, pids, { command = 'run', ...options }) {
  const before = sumOf(pids, cpuSeconds);
  const result = await ask(load, command, options);
  if (result.requests === 0) throw new Error(`no answers: ${JSON.stringify(result.failures)}`);
  const cpu = ((sumOf(pids, cpuSeconds) - before) / result.requests) * 1e6;
  return { ...result, cpu, rss: sumOf(pids, rssMiB) };
}

const levelName = (level) => `${level} connection${level === 1 ? '' : 's'}`;

/**
 * Measures { key, title, flavours, command, what, tools, kib, levels, blocks }, where `flavours(candidate)` says what of a
 * candidate is to be measured. The first case is the floor that the others are compared with.
 */
export function runWorkload(workload, bench) {
  const cases = bench.candidates.flatMap((candidate) =>
    workload.flavours(candidate).map(({ note, ...flavour }) => ({
      candidate,
      flavour,
      label: note ? `${candidate.label}, ${note}` : candidate.label,
    })),
  );
  const open = (c) => openServer(c, workload, bench.options);
  return runLevels({ ...workload, cases, levelName, open }, bench);
}

async function openServer({ candidate, flavour }, workload, { zod }) {
  const { command, what = 'call', tools, kib, levels } = workload;
  const { child: server, url } = await startHttpServer(candidate.name, { ...flavour, tools, zod });
  const load = startLoad();
  const close = () => Promise.all([stop(load), stop(server)]);
  try {
    await ask(load, 'open', { ...flavour, url, connections: Math.max(...levels) });
    await ask(load, 'probe', { what, tools, kib });
  } catch (error) {
    await close();
    throw error;
  }
  const slice = (connections, seconds) =>
    runSlice(load, [server.pid], { command, what, kib, connections, seconds });
  return { slice, close };
}

/** The flavours of a candidate with this era and mode. */
export const flavoursOf = (candidate, era, mode) =>
  candidate.http?.flavours.filter((f) => f.era === era && f.mode === mode) ?? [];
