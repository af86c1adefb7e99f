// HTTP server: a small tools/call over keep-alive connections, each with a session of its own.
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra, statelessEra } from '../lib/messages.mjs';

// The floor of the modern era is that of the legacy era, as in the targets; what its larger requests cost by
// themselves is shown as a second floor. A peer without JSON answers is measured with what it has.
function statelessFlavours(candidate) {
  const own = flavoursOf(candidate, statelessEra, 'json');
  if (candidate.name === 'floor') {
    const sameRequests = own.map((flavour) => ({ ...flavour, note: '2026-07-28 requests' }));
    return [...flavoursOf(candidate, sessionEra, 'json'), ...sameRequests];
  }
  if (own.length > 0) return own;
  const streamed = flavoursOf(candidate, statelessEra, 'sse');
  return streamed.map((flavour) => ({ ...flavour, note: 'event stream' }));
}

const workloads = [
  {
    key: 'http-json',
    title: 'HTTP tools/call, JSON, 2025-11-25',
    flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
    what: 'call',
    levels: [1, 16, 64, 256],
  },
  {
    key: 'http-sse',
    title: 'HTTP tools/call, event stream, 2025-11-25',
    flavours: (candidate) => flavoursOf(candidate, sessionEra, 'sse'),
    what: 'call',
    levels: [16],
  },
  {
    key: 'http-2026',
    title: 'HTTP tools/call, JSON, 2026-07-28',
    flavours: statelessFlavours,
    what: 'call',
    levels: [1, 16, 64, 256],
  },
];

/** Runs the suite. */
export async function run(bench) {
  const reports = [];
  for (const workload of workloads) reports.push(await runWorkload(workload, bench));
  return reports;
}
