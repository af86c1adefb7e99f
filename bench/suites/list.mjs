// HTTP server: tools/list of 40 tools.
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra } from '../lib/messages.mjs';

const workload = {
  key: 'list',
  title: 'HTTP tools/list, 40 tools',
  flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
  what: 'list',
  tools: 40,
  levels: [16],
};

/** Runs the suite. */
export const run = async (bench) => [await runWorkload(workload, bench)];
