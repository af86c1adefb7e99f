// Governed tools over HTTP: what they cost beside plain ones and beside plain tools of the official SDK, and tools/list
// of 200 of them.
import governed from '../candidates/ours-governed.mjs';
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra } from '../lib/messages.mjs';

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

/** What one candidate costs as a multiple of another: both are multiples of the floor. */
function ratio(report, one, other) {
  const cpu = report.measures.find(({ key }) => key.endsWith('/cpu'))?.values ?? {};
  return cpu[one] / cpu[other];
}

/** Runs the suite. */
export async function run(bench) {
  const peers = bench.candidates.filter(({ name }) => beside.includes(name));
  const candidates = [...peers, { name: 'ours-governed', peer: false, ...governed }];
  const calls = await runWorkload(call, { ...bench, candidates });
  const lists = await runWorkload(list, { ...bench, candidates });
  const measures = [
    { key: 'governed/plain', values: { ours: ratio(calls, 'ours-governed', 'ours') } },
    { key: 'governed/sdk-v2', values: { ours: ratio(calls, 'ours-governed', 'sdk-v2') } },
    { key: 'governed-list/floor', values: { ours: ratio(lists, 'ours-governed', 'floor') } },
  ].filter(({ values }) => Number.isFinite(values.ours));
  return [
    { ...calls, measures },
    { ...lists, measures: [] },
  ];
}
