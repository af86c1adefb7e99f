// stdio server: a message of 16 MiB in one line, there and back.
import { sessionEra } from '../lib/messages.mjs';
import { startStdioServer } from '../lib/processes.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';
import { StdioPeer } from '../lib/stdio-peer.mjs';

const mib = 16;

// A peer that takes no such line is not a failure of the run, and is not asked again.
const refusing = new Map();

async function measure({ candidate }, times) {
  if (refusing.has(candidate)) return refusing.get(candidate);
  const peer = new StdioPeer(startStdioServer(candidate.name), sessionEra);
  try {
    await peer.initialize();
    const echoes = [];
    for (let i = 0; i < times; i++) echoes.push(await peer.echo(mib));
    const ms = least(echoes, 'ms');
    return { ms, peakRss: echoes.at(-1).peakRss, summary: `${ms.toFixed(0)} ms` };
  } catch (error) {
    if (!candidate.peer) throw error;
    const refused = { ms: NaN, peakRss: NaN, summary: `no echo: ${error.message}` };
    refusing.set(candidate, refused);
    return refused;
  } finally {
    await peer.stop();
  }
}

/** Runs the suite. */
export async function run({ candidates, options, log }) {
  const cases = candidates
    .filter((candidate) => candidate.stdio)
    .map((candidate) => ({ candidate, label: candidate.label }));
  const once = (c) => measure(c, options.quick ? 1 : 3);
  const { results, failed } = await interleave(cases, options.quick ? 1 : 2, once, log);
  const floor = least(results.get(cases[0]), 'ms');
  const values = {};
  const rows = [...results].map(([c, runs]) => {
    const ms = least(runs, 'ms');
    if (Number.isFinite(ms)) values[c.candidate.name] = ms / floor;
    return [
      c.label,
      refusing.has(c.candidate) ? 'no echo' : ms,
      ms / floor,
      median(runs.map((run) => run.peakRss)),
    ];
  });
  const table = {
    title: `stdio tools/call, a line of ${mib} MiB echoed`,
    header: ['candidate', 'ms best', '× floor', 'peak RSS MiB'],
    rows,
  };
  const raw = [...results].map(([c, runs]) => ({ workload: 'lines', candidate: c.label, runs }));
  const failures = failureLines(table.title, failed);
  return [{ tables: [table], measures: [{ key: 'lines/16', values }], failures, raw }];
}
