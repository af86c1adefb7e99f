// HTTP server: results and bodies of 1 MiB, in both eras.
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra, statelessEra } from '../lib/messages.mjs';

const large = { kib: 1024, levels: [16], blocks: 1 };

const workloads = [
  {
    ...large,
    key: 'large',
    title: 'HTTP tools/call, result of 1 MiB',
    flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
    what: 'large',
  },
  {
    ...large,
    key: 'large-2026',
    title: 'HTTP tools/call, 2026-07-28, result of 1 MiB',
    flavours: (candidate) => flavoursOf(candidate, statelessEra, 'json'),
    what: 'large',
  },
  {
    ...large,
    key: 'body',
    title: 'HTTP tools/call, body of 1 MiB with many quotes',
    flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
    what: 'body',
  },
];

/** Runs the suite. */
export async function run(bench) {
  const reports = [];
  for (const workload of workloads) reports.push(await runWorkload(workload, bench));
  return reports;
}
