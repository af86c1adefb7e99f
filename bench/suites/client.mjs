// Clients: calls of the echo tool against the floor's server, so that what is measured is the client; and connecting.
import { openClient, openTarget } from '../lib/client-workload.mjs';
import { runLevels } from '../lib/levels.mjs';
import { sessionEra, statelessEra } from '../lib/messages.mjs';
import { ask, startClient, stop } from '../lib/processes.mjs';
import { leastRatio, valuesOf } from '../lib/report.mjs';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';

const workloads = [
  { key: 'client-http', transport: 'http', era: sessionEra, mode: 'json', levels: [1, 16, 64] },
  { key: 'client-sse', transport: 'http', era: sessionEra, mode: 'sse', levels: [16] },
  {
    key: 'client-http-2026',
    transport: 'http',
    era: statelessEra,
    mode: 'json',
    levels: [1, 16, 64],
  },
  { key: 'client-stdio', transport: 'stdio', era: sessionEra, levels: [1, 64] },
  { key: 'client-stdio-2026', transport: 'stdio', era: statelessEra, levels: [1, 64] },
];

const forms = { json: ', JSON', sse: ', event stream' };

// As for servers: the floor of the modern era is that of the legacy era, and a second floor shows what the larger
// requests cost by themselves.
function casesOf({ client, ...candidate }, era) {
  const eras = candidate.name === 'floor' ? [...new Set([sessionEra, era])] : [era];
  return eras
    .filter((each) => client?.eras.includes(each))
    .map((each) => ({
      candidate,
      era: each,
      label:
        eras.length > 1 && each === era ? `${candidate.label}, ${era} requests` : candidate.label,
    }));
}

function runLoad({ key, transport, era, mode, levels }, bench) {
  return runLevels(
    {
      key,
      title: `client, ${transport} tools/call${forms[mode] ?? ''}, ${era}`,
      cases: bench.candidates.flatMap((candidate) => casesOf(candidate, era)),
      levels,
      levelName: (level) => `${level} in flight`,
      open: (c) => openClient({ candidate: c.candidate, transport, era: c.era, mode }),
    },
    bench,
  );
}

// Every client in each of its eras; one that can find out which era a server speaks, once more that way.
const connectCases = (candidates) =>
  candidates.flatMap(({ client, ...candidate }) =>
    (client?.eras ?? []).flatMap((era) => {
      const label = era === sessionEra ? candidate.label : `${candidate.label}, ${era}`;
      const told = { candidate, era, label };
      const found = { ...told, findEra: true, label: `${candidate.label}, era found out` };
      return client.findsEra && era === sessionEra ? [told, found] : [told];
    }),
  );

/** The server, too, is new each time, as after a start of the machine or of a container. */
async function measureConnect({ candidate, era, findEra }, transport) {
  const target = await openTarget({ transport, era });
  const child = startClient(candidate.name, { transport, era, findEra, ...target.params });
  try {
    const first = await ask(child, 'connect');
    const further = await ask(child, 'reconnect', { times: transport === 'http' ? 20 : 5 });
    const summary = `first ${first.toFixed(1)} ms, further ${further.toFixed(1)} ms`;
    return { first, further, summary };
  } finally {
    await stop(child);
    await target.close();
  }
}

/** Many: a start takes milliseconds, and whatever else the machine does shows. */
const rounds = 20;

async function runConnect(transport, { candidates, options, log }) {
  const cases = connectCases(candidates);
  const once = (c) => measureConnect(c, transport);
  const { results, failed } = await interleave(cases, options.quick ? 1 : rounds, once, log);
  return reportConnect(transport, { results, failed });
}

function reportConnect(transport, { results, failed }) {
  const title = `client, ${transport}: connecting`;
  const rows = [...results]
    .map(([c, runs]) => ({ c, name: c.candidate.name, runs }))
    .filter(({ runs }) => runs.length > 0);
  const first = leastRatio(rows, 'first');
  const further = leastRatio(rows, 'further');
  const table = {
    title,
    header: [
      'candidate',
      'first connect and call, with import, ms',
      '× floor',
      'median',
      'further connect, ms',
      '× floor',
    ],
    rows: rows.map((row) => [
      row.c.label,
      least(row.runs, 'first'),
      first(row),
      median(row.runs.map((run) => run.first)),
      least(row.runs, 'further'),
      further(row),
    ]),
  };
  const ofEra = (era) => rows.filter(({ c }) => c.era === era);
  const later = [...rows.slice(0, 1), ...ofEra(statelessEra)];
  const measures = [
    { key: `client-first/${transport}`, values: valuesOf(ofEra(sessionEra), first) },
    { key: `client-first-2026/${transport}`, values: valuesOf(later, first) },
    { key: `client-further/${transport}`, values: valuesOf(ofEra(sessionEra), further) },
    { key: `client-further-2026/${transport}`, values: valuesOf(later, further) },
  ];
  const raw = rows.map(({ c, runs }) => ({ workload: title, candidate: c.label, runs }));
  return { tables: [table], measures, failures: failureLines(title, failed), raw };
}

/** Runs the suite. */
export async function run(bench) {
  const reports = [];
  for (const workload of workloads) reports.push(await runLoad(workload, bench));
  for (const transport of ['http', 'stdio']) reports.push(await runConnect(transport, bench));
  return reports;
}
