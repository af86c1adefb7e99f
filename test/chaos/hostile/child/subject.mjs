// What is under attack, in a process of its own: node subject.mjs '{"role":…}'. Runs the build, not the sources.
import path from 'node:path';
import { createBridge } from 'mcp-kit/bridge';
import { openSession } from 'mcp-kit/client';
import { createManager, loadConfig } from '@mcp-kit/host';
import { operateHttp } from '@mcp-kit/host/operate';
import { listenSocket, memoryPair, serveChannel, socketTarget } from 'mcp-kit/transport';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { faults } from './faults.mjs';
import { service } from './service.mjs';
import { handlers, impatient, use } from './use.mjs';
import { vitals, watch } from './vitals.mjs';

const { role, ...options } = JSON.parse(process.argv[2]);

function target({ url, socket, child }) {
  if (url) return httpTarget(url);
  if (socket) return socketTarget(socket);
  const relay = path.join(import.meta.dirname, 'relay.mjs');
  return childTarget({ command: process.execPath, args: [relay, child] });
}

/** Everything that counts is switched on, with limits that are never reached. */
const settings = {
  limits: {
    address: '1000000/s',
    session: '1000000/s',
    principal: '1000000/s',
    tool: '1000000/s',
    tools: { echo: '1000000/s' },
  },
  logs: { level: 'silent' },
  // What sessions are entitled to is no leak: they end soon.
  sessions: { ttlMs: 1000, sweepMs: 200 },
};

async function serve(served) {
  await listenSocket(served, options.listen);
  const operated = await operateHttp(served, settings);
  return { port: operated.listening.port, metrics: () => operated.metrics() };
}

const roles = {
  server: () => serve(service),
  /** Hostile clients before a server that means well, or the other way round. */
  bridge: () =>
    serve(createBridge(target(options.upstream), { timeoutMs: 400, connectTimeoutMs: 400 })),
  /** Opens sessions with a hostile server. */
  client: () =>
    again(async () => {
      const session = await openSession(target(options.upstream), {
        ...impatient,
        connectTimeoutMs: 400,
        inputs: handlers,
        onNotification() {},
      });
      await use(session);
      await session.close();
    }),
  async manager() {
    const { entries } = await loadConfig({ root: options.folder });
    return again(async () => {
      const manager = createManager({
        entries,
        trust: 'trusted',
        receipts: false,
        toolCache: false,
      });
      await Promise.allSettled([
        manager.tools({ waitMs: 300 }),
        ...entries.map(({ name }) => manager.server(name).callTool('echo', {}, impatient)),
      ]);
      await manager.close();
    });
  },
  /** A server that does what none may do, so that the judge can be judged. */
  faulty: () => serve(faults[options.fault]()),
};

/** So many at the same time, so that nobody waits while one is waiting. */
const atOnce = 4;

/** Does this until told to stop; a failure is as good as any other end. */
function again(work) {
  const stop = new AbortController();
  process.on('message', (message) => message === 'stop' && stop.abort());
  let rounds = 0;
  const loop = async () => {
    for (; !stop.signal.aborted; rounds += 1) await work().catch(() => {});
  };
  void Promise.all(Array.from({ length: atOnce }, loop)).then(() => process.send({ rounds }));
  return {};
}

/** Has everything loaded that is loaded when it is first needed: that happens once, and is no attack's doing. */
async function warmUp() {
  for (const era of ['legacy', 'modern']) {
    const dial = () => {
      const [near, far] = memoryPair();
      serveChannel(service, far);
      return near;
    };
    const inner = { label: 'inner', key: era, wire: 'stream', dial };
    const session = await openSession(inner, { era, inputs: handlers });
    for (let at = 0; at < 200; at += 1) await use(session);
    await session.close();
  }
}

await warmUp();
const { port, metrics = () => '' } = await roles[role]();
process.on('message', (message) => {
  if (message === 'vitals') process.send({ vitals: { ...vitals(), metrics: metrics().length } });
});
process.once('disconnect', () => process.exit());
watch();
process.send({ started: { port } });
