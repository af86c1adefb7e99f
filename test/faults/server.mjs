// A server in a process of its own, which tells over the IPC channel how it is doing. Runs the build, not the sources.
import { createHook } from 'node:async_hooks';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { createServer, resources } from 'mcp-kit/server';
import { defineTool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';

const input = { type: 'object' };
const anyList = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'string' } } },
  required: ['items'],
};

const tools = toolSet([
  defineTool({
    name: 'echo',
    description: 'Gives the nonce back, sooner or later, perhaps after saying it first.',
    input,
    async run({ nonce, delayMs = 0, aloud = false }, context) {
      if (delayMs > 0) await sleep(delayMs);
      if (aloud) await context.log('info', { nonce });
      return nonce;
    },
  }),
  defineTool({
    name: 'flood',
    description: 'Says a lot before it answers; waits for its reader, or not.',
    input,
    async run({ count, size, patient }, context) {
      const pad = 'x'.repeat(size);
      for (let seq = 0; seq < count; seq++) {
        const told = context.log('info', { seq, pad });
        if (patient) await told;
        else if (seq % 100 === 0) await sleep(0);
      }
      return `said ${count}`;
    },
  }),
  defineTool({
    name: 'hang',
    description: 'Answers only when nobody wants it any more.',
    run: (_args, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('gone'))),
  }),
  defineTool({ name: 'count', description: 'Takes strings.', input: anyList, run: () => 'ok' }),
]);
const files = resources({
  resources: [{ uri: 'test://file', name: 'file', read: () => 'text' }],
});

const service = createServer({ name: 'faults', version: '1.0.0', features: [tools, files] });
const { watchTimers = false, ...options } = JSON.parse(process.argv[2] ?? '{}');
const timers = new Set();
if (watchTimers) {
  createHook({
    init: (id, type) => type === 'Timeout' && timers.add(id),
    destroy: (id) => timers.delete(id),
  }).enable();
}
const listening = await serveHttp(service, options);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const layers = new URL('../../packages/mcp-kit/dist/', import.meta.url);
const classes = {
  Session: 'transport/http/session.js',
  EventStream: 'transport/http/event-stream.js',
  PacedStream: 'transport/http/paced-stream.js',
  Reply: 'transport/http/reply.js',
  Connection: 'jsonrpc/connection.js',
  Exchange: 'jsonrpc/exchange.js',
  ServerPeer: 'server/peer.js',
};

/** How many objects of each kind a full garbage collection leaves. */
async function countObjects() {
  const counts = {};
  for (const [name, file] of Object.entries(classes)) {
    const loaded = await import(new URL(file, layers));
    counts[name] = v8.queryObjects(loaded[name], { format: 'count' });
  }
  return counts;
}

async function memory() {
  for (let at = 0; at < 3; at++) {
    await sleep(5);
    globalThis.gc?.();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, rss };
}

const questions = {
  memory,
  objects: countObjects,
  used() {
    const { heapUsed, external, rss } = process.memoryUsage();
    return { used: heapUsed + external, rss };
  },
  endpoint: () => ({
    sessions: listening.endpoint.sessionCount,
    streams: listening.endpoint.streamCount,
  }),
  resources: () => process.getActiveResourcesInfo(),
  timers: () => timers.size,
  /** The longest time nothing else could run, since it was last asked. */
  blocked() {
    const ms = delay.max / 1e6;
    delay.reset();
    return ms;
  },
  updated: () => tools.add(defineTool({ name: `t${Math.random()}`, description: 'x', run: () => 'x' })),
  async close() {
    const started = performance.now();
    await Promise.all([listening.close(), listening.close()]);
    return performance.now() - started;
  },
};

process.on('message', async ({ id, ask }) => {
  const answer = await questions[ask]();
  process.send({ id, answer: answer ?? null });
});
process.once('disconnect', () => process.exit());
process.send({ port: listening.port });
