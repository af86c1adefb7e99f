// Server start-up: from the start of the process to the first answered initialize.
import { performance } from 'node:perf_hooks';
import { HttpConnection, openSession } from '../lib/http-connection.mjs';
import { sessionEra } from '../lib/messages.mjs';
import { cpuSeconds, rssMiB } from '../lib/proc.mjs';
import { startHttpServer, startStdioServer, stop } from '../lib/processes.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';
import { StdioPeer } from '../lib/stdio-peer.mjs';

const sessionFlavour = (candidate) => candidate.http?.flavours.find((f) => f.era === sessionEra);

function outcome(started, pid) {
  const ms = performance.now() - started;
  return { ms, cpu: cpuSeconds(pid) * 1000, rss: rssMiB(pid), summary: `${ms.toFixed(0)} ms` };
}

const starts = {
  async stdio(candidate, params) {
    const started = performance.now();
    const peer = new StdioPeer(startStdioServer(candidate.name, params), sessionEra);
    try {
      await peer.initialize();
      return outcome(started, peer.child.pid);
    } finally {
      await peer.stop();
    }
  },
  async http(candidate, params) {
    const flavour = sessionFlavour(candidate);
    const started = performance.now();
    const { child, url } = await startHttpServer(candidate.name, { ...flavour, ...params });
    const target = new URL(url);
    const connection = new HttpConnection(target);
    try {
      await connection.dial();
      await openSession(connection, target, flavour);
      return outcome(started, child.pid);
    } finally {
      connection.close();
      await stop(child);
    }
  },
};

async function runTransport(transport, { candidates, options, log }) {
  const able = { stdio: (candidate) => candidate.stdio, http: sessionFlavour }[transport];
  const cases = candidates.filter(able).map((candidate) => ({ candidate, label: candidate.label }));
  const measure = ({ candidate }) => starts[transport](candidate, { zod: options.zod });
  const { results, failed } = await interleave(cases, options.quick ? 1 : 12, measure, log);
  const floor = results.get(cases[0]);
  const values = {};
  const rows = [...results].map(([c, runs]) => {
    const ratio = least(runs, 'ms') / least(floor, 'ms');
    if (runs.length > 0) values[c.candidate.name] = ratio;
    return [
      c.label,
      least(runs, 'ms'),
      ratio,
      median(runs.map((run) => run.ms)),
      least(runs, 'cpu'),
      least(runs, 'cpu') / least(floor, 'cpu'),
      median(runs.map((run) => run.rss)),
    ];
  });
  const table = {
    title: `start-up, ${transport}: process start to answered initialize`,
    header: ['candidate', 'ms best', '× floor', 'ms median', 'CPU ms', '× floor', 'RSS MiB'],
    rows,
  };
  const raw = [...results].map(([c, runs]) => ({
    workload: table.title,
    candidate: c.label,
    runs,
  }));
  const measures = [{ key: `startup/${transport}`, values }];
  return { tables: [table], measures, failures: failureLines(table.title, failed), raw };
}

/** Runs the suite. */
export const run = async (bench) => [
  await runTransport('stdio', bench),
  await runTransport('http', bench),
];
