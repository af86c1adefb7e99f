// node bench/profile.mjs http|stdio|client [options]: where the time of a server or a client goes under steady load.
import { mkdtempSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCandidates } from './lib/candidates.mjs';
import { openClient } from './lib/client-workload.mjs';
import { summarise } from './lib/cpu-profile.mjs';
import { runSlice } from './lib/http-workload.mjs';
import { sessionEra } from './lib/messages.mjs';
import {
  ask,
  ended,
  startHttpServer,
  startLoad,
  startStdioServer,
  stop,
} from './lib/processes.mjs';
import { StdioPeer } from './lib/stdio-peer.mjs';
import { table } from './lib/table.mjs';

const usage = `usage: node bench/profile.mjs http|stdio|client [options]
  --candidate NAME      ours
  --era DATE            2025-11-25 or 2026-07-28
  --mode json|sse       how the HTTP server answers
  --what call|list|large|body|sessions  of a server
  --transport http|stdio  of a client
  --load N              connections, or calls in flight (16)
  --seconds N           8
  --top N               functions shown (30)
  --zod                 ours defines its tools with zod`;

// Each returns the load's outcome once the process under test has written its profile and ended.
const roles = {
  async http({ candidate, era, mode, what, load: connections, seconds, tools, zod }, nodeArgs) {
    const flavour = candidate.http.flavours.find((f) => f.era === era && f.mode === mode);
    if (flavour === undefined) throw new Error(`${candidate.name} does not serve ${era} ${mode}`);
    const params = { era, mode, tools, zod };
    const { child, url } = await startHttpServer(candidate.name, params, nodeArgs);
    const load = startLoad();
    await ask(load, 'open', { ...flavour, url, connections });
    const work = what === 'sessions' ? { command: 'churn' } : { what, kib: 1024 };
    await ask(load, 'probe', { what: 'call', tools, ...work });
    const result = await runSlice(load, [child.pid], { ...work, connections, seconds });
    await ask(child, 'exit');
    await Promise.all([ended(child, 20_000), stop(load)]);
    return result;
  },
  async stdio({ candidate, era, what, load, seconds, tools, zod }, nodeArgs) {
    const peer = new StdioPeer(startStdioServer(candidate.name, { tools, zod }, nodeArgs), era);
    await peer.initialize();
    const result = await peer.run({ what, inFlight: load, seconds });
    await ask(peer.child, 'exit');
    await ended(peer.child, 20_000);
    return result;
  },
  async client({ candidate, era, mode, transport, load, seconds }, nodeArgs) {
    const client = await openClient({ candidate, transport, era, mode }, nodeArgs);
    const result = await client.slice(load, seconds);
    await ask(client.child, 'exit');
    await ended(client.child, 20_000);
    await client.close();
    return result;
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    candidate: { type: 'string', default: 'ours' },
    era: { type: 'string', default: sessionEra },
    mode: { type: 'string', default: 'json' },
    what: { type: 'string', default: 'call' },
    transport: { type: 'string', default: 'http' },
    load: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '8' },
    top: { type: 'string', default: '30' },
    zod: { type: 'boolean' },
  },
});
const role = roles[positionals[0]];
if (role === undefined) {
  console.error(usage);
  process.exit(2);
}

const candidates = await loadCandidates({ only: values.candidate, zod: values.zod });
const candidate = candidates.find(({ name }) => name === values.candidate);
const directory = mkdtempSync(path.join(os.tmpdir(), 'bench-profile-'));
const result = await role(
  {
    ...values,
    candidate,
    load: Number(values.load),
    seconds: Number(values.seconds),
    tools: values.what === 'list' ? 40 : 2,
  },
  ['--cpu-prof', `--cpu-prof-dir=${directory}`, '--cpu-prof-interval', '200'],
);
const file = path.join(directory, readdirSync(directory)[0]);
const { groups, functions } = summarise(file);
const percent = ({ name, share }) => [name, `${(share * 100).toFixed(1)} %`];
const shown = groups.filter(({ share }) => share >= 0.002);
console.log(`## ${candidate.label}: ${positionals[0]}, ${values.what}, ${values.era}\n`);
console.log(`${Math.round(result.perSecond)} requests/s under the profiler; ${file}\n`);
console.log(`${table(['group', 'self time'], shown.map(percent))}\n`);
console.log(table(['function', 'self time'], functions.slice(0, Number(values.top)).map(percent)));
