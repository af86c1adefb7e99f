// Governed tools over HTTP: what they cost beside plain ones and beside plain tools of the official SDK, and tools/list
// of 200 of them.
import governed from '../candidates/ours-governed.mjs';
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra } from '../lib/messages.mjs';
import { least } from '../lib/stats.mjs';

const writing = `${governed.label}, writing`;
const beside = ['floor', 'ours', 'sdk-v2'];

const flavours = (candidate) =>
  flavoursOf(candidate, sessionEra, 'json').map((flavour) =>
    flavour.writing ? { ...flavour, note: 'writing' } : flavour,
  );

const call = {
  key: 'governed',
  title: 'HTTP tools/call, governed',
  flavours,
  what: 'call',
  levels: [16],
  // A few microseconds are to be seen here.
  rounds: 8,
};

const list = {
  key: 'governed-list',
  title: 'HTTP tools/list, 200 tools, governed',
  // The floor has as much to send.
  flavours: (candidate) =>
    flavours(candidate)
      .slice(0, 1)
      .map((flavour) =>
        candidate.name === 'floor' ? { ...flavour, listsAs: 'ours-governed' } : flavour,
      ),
  what: 'list',
  tools: 200,
  levels: [16],
};

/** What one row costs as a multiple of another; labels may go on with a version. */
function ratio(report, one, other) {
  const cost = (label) => {
    const row = report.raw.find(({ candidate }) => candidate === label);
    const found = row ?? report.raw.find(({ candidate }) => candidate.startsWith(label));
    return found === undefined ? NaN : least(Object.values(found.byLevel).flat(), 'cpu');
  };
  return cost(one) / cost(other);
}

/** Runs the suite. */
export async function run(bench) {
  const peers = bench.candidates.filter(({ name }) => beside.includes(name));
  const candidates = [...peers, { name: 'ours-governed', peer: false, ...governed }];
  const calls = await runWorkload(call, { ...bench, candidates });
  const lists = await runWorkload(list, { ...bench, candidates });
  const measures = [
    { key: 'governed/plain', values: { ours: ratio(calls, governed.label, 'ours') } },
    { key: 'governed/plain/writing', values: { ours: ratio(calls, writing, 'ours') } },
    { key: 'governed/sdk-v2', values: { ours: ratio(calls, governed.label, 'SDK v2') } },
    { key: 'governed-list/floor', values: { ours: ratio(lists, governed.label, 'floor') } },
  ].filter(({ values }) => Number.isFinite(values.ours));
  return [
    { ...calls, measures },
    { ...lists, measures: [] },
  ];
}
