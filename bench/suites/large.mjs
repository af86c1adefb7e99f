// HTTP server: results of 1 MiB.
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra } from '../lib/messages.mjs';

const workload = {
  key: 'large',
  title: 'HTTP tools/call, result of 1 MiB',
  flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
  what: 'large',
  kib: 1024,
  levels: [16],
  blocks: 1,
};

/** Runs the suite. */
export const run = async (bench) => [await runWorkload(workload, bench)];
