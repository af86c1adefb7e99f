// The process in which one client works: node client-host.mjs <candidate> <json>. It connects and calls when asked to,
// and imports nothing of the client's package before that.
import { performance } from 'node:perf_hooks';
import { smallMessage } from './messages.mjs';
import { cpuSeconds, rssMiB } from './proc.mjs';
import { quantile } from './stats.mjs';

const [, , name, json] = process.argv;
const { transport, ...params } = JSON.parse(json);
const { default: adapter } = await import(`../clients/${name}.mjs`);
const open = () => adapter[transport](params);
const args = { message: smallMessage, repeat: 1, tags: ['a', 'b'] };
let client;

function check({ content }) {
  if (content[0].text !== smallMessage) throw new Error(`another text: ${content[0].text}`);
}

const commands = {
  /** The first connection and call of this process: with the import of all that they need. */
  async connect() {
    const started = performance.now();
    client = await open();
    check(await client.call('echo', args));
    return performance.now() - started;
  },

  /** Further connections, one after the other: how long the quickest takes until it can be used. */
  async reconnect({ times }) {
    const taken = [];
    for (let i = 0; i < times; i++) {
      const started = performance.now();
      const other = await open();
      taken.push(performance.now() - started);
      await other.close();
    }
    return Math.min(...taken);
  },

  /** `inFlight` calls under way for `seconds`; the CPU time is that of the calls, without the sorting of the latencies. */
  async run({ inFlight, seconds }) {
    const latencies = [];
    const failures = {};
    const cpuBefore = cpuSeconds(process.pid);
    const started = performance.now();
    const deadline = started + seconds * 1000;
    const lane = async () => {
      for (let sent = performance.now(); sent < deadline;) {
        try {
          check(await client.call('echo', args));
        } catch (error) {
          failures[error.message] = (failures[error.message] ?? 0) + 1;
          return;
        }
        const answered = performance.now();
        latencies.push(answered - sent);
        sent = answered;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    const elapsed = (performance.now() - started) / 1000;
    const cpu = cpuSeconds(process.pid) - cpuBefore;
    const calls = latencies.length;
    if (calls === 0) throw new Error(`no answers: ${JSON.stringify(failures)}`);
    return {
      cpu: (cpu / calls) * 1e6,
      perSecond: calls / elapsed,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      rss: rssMiB(process.pid),
      failures,
    };
  },

  async exit() {
    await client?.close();
    setTimeout(() => process.exit(0), 10); // a regular exit, so that --cpu-prof writes its file
  },
};

process.once('disconnect', () => process.exit());
process.on('message', async ({ id, command, ...options }) => {
  try {
    process.send({ id, value: await commands[command](options) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
