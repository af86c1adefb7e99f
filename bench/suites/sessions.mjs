// HTTP server: sessions that are opened and deleted at once, three requests each.
import { flavoursOf, runWorkload } from '../lib/http-workload.mjs';
import { sessionEra } from '../lib/messages.mjs';

const workload = {
  key: 'sessions',
  title: 'HTTP initialize, initialized and DELETE',
  flavours: (candidate) => flavoursOf(candidate, sessionEra, 'json'),
  command: 'churn',
  levels: [16],
};

/** Runs the suite. */
export const run = async (bench) => [await runWorkload(workload, bench)];
