// What idle sessions and idle event streams hold: memory after garbage collection.
import { sessionEra, statelessEra } from '../lib/messages.mjs';
import { cpuSeconds } from '../lib/proc.mjs';
import { ask, startHttpServer, startLoad, stop } from '../lib/processes.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, most } from '../lib/stats.mjs';

const full = { warm: 500, sessions: 5000, streams: 2000 };
const quick = { warm: 200, sessions: 300, streams: 100 };

const held = ({ heapUsed, external }) => heapUsed + external;
const kib = (after, before, count) => (after - before) / count / 1024;

async function measure({ candidate, flavour }, plan) {
  const { child: server, url } = await startHttpServer(candidate.name, flavour, ['--expose-gc']);
  const load = startLoad();
  try {
    await ask(load, 'open', { ...flavour, url, connections: 64 });
    const result = {};
    if (flavour.era === sessionEra) {
      await ask(load, 'sessions', { count: plan.warm });
      const before = await ask(server, 'memory');
      const cpu = cpuSeconds(server.pid);
      const { seconds } = await ask(load, 'sessions', { count: plan.sessions });
      result.createCpu = ((cpuSeconds(server.pid) - cpu) / plan.sessions) * 1e6;
      result.perSecond = plan.sessions / seconds;
      const after = await ask(server, 'memory');
      result.session = kib(held(after), held(before), plan.sessions);
    } else {
      await ask(load, 'run', { what: 'call', connections: 8, seconds: 0.5 });
    }
    const before = await ask(server, 'memory');
    await ask(load, 'streams', { count: plan.streams });
    const after = await ask(server, 'memory');
    result.stream = kib(held(after), held(before), plan.streams);
    result.streamRss = kib(after.rss, before.rss, plan.streams);
    const session =
      result.session === undefined ? '' : `${result.session.toFixed(2)} KiB a session, `;
    return { ...result, summary: `${session}${result.stream.toFixed(2)} KiB a stream` };
  } finally {
    await Promise.all([stop(load), stop(server)]);
  }
}

async function runEra(era, { candidates, options, log }) {
  const plan = options.quick ? quick : full;
  const cases = candidates.flatMap((candidate) => {
    const flavour = candidate.http?.flavours.find((f) => f.era === era);
    return flavour ? [{ candidate, flavour, label: candidate.label }] : [];
  });
  const once = (c) => measure(c, plan);
  const { results, failed } = await interleave(cases, 1, once, log);
  const done = [...results].filter(([, runs]) => runs.length > 0);
  const measures = ['session', 'stream'].map((field) => ({
    key: `memory-${era.slice(0, 4)}/${field}`,
    values: Object.fromEntries(done.map(([c, runs]) => [c.candidate.name, least(runs, field)])),
  }));
  const streamColumns = ['KiB heap/stream', 'KiB RSS/stream'];
  const streamCells = (runs) => [least(runs, 'stream'), least(runs, 'streamRss')];
  const table =
    era === statelessEra
      ? {
          title: `memory, ${era}: ${plan.streams} idle event streams`,
          header: ['candidate', ...streamColumns],
          rows: done.map(([c, runs]) => [c.label, ...streamCells(runs)]),
        }
      : {
          title: `memory, ${era}: ${plan.sessions} idle sessions, ${plan.streams} idle event streams`,
          header: [
            'candidate',
            'KiB heap/session',
            'sessions/s',
            'CPU µs/session',
            ...streamColumns,
          ],
          rows: done.map(([c, runs]) => [
            c.label,
            least(runs, 'session'),
            most(runs, 'perSecond'),
            least(runs, 'createCpu'),
            ...streamCells(runs),
          ]),
        };
  const raw = done.map(([c, runs]) => ({ workload: table.title, candidate: c.label, runs }));
  return { tables: [table], measures, failures: failureLines(table.title, failed), raw };
}

/** Runs the suite. */
export const run = async (bench) => [
  await runEra(sessionEra, bench),
  await runEra(statelessEra, bench),
];
