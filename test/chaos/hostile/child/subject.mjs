// What is under attack, in a process of its own: node subject.mjs '{"role":…}'. Runs the build, not the sources.
import { createBridge } from 'mcp-kit/bridge';
import { openSession } from 'mcp-kit/client';
import { createManager, loadConfig } from 'mcp-kit/manager';
import { listenSocket, memoryPair, serveChannel, socketTarget } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { service } from './service.mjs';
import { vitals, watch } from './vitals.mjs';

const { role, ...options } = JSON.parse(process.argv[2]);
const target = ({ url, socket }) => (url ? httpTarget(url) : socketTarget(socket));

async function serve(served) {
  await listenSocket(served, options.listen);
  const { port } = await serveHttp(served);
  return { port };
}

/** Anything a program does with a session; whatever the server answers, only errors may come of it. */
async function use(session) {
  const calls = [
    () => session.listTools(),
    () => session.callTool('echo', { message: 'x' }),
    () => session.callTool('add', { a: 'x'.repeat(50) }),
    () => session.callTool('ask'),
    () => session.callTool('count', { items: ['a', 'b'] }),
    () => session.listResources(),
    () => session.readResource('test://file'),
    () => session.listPrompts(),
    () => session.getPrompt('greet', {}),
    () => session.ping(),
    () => session.subscribe('test://file'),
    () => session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: 'b' }),
    async () => {
      let seen = 0;
      for await (const _ of session.tools()) if (++seen > 50) break;
    },
  ];
  await Promise.allSettled(calls.map((call) => call()));
}

const impatient = { timeoutMs: 150, maxTotalMs: 400 };

const handlers = {
  elicit: () => ({ action: 'decline' }),
  sample: () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'no' } }),
  roots: [],
};

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
};

/** Does this until told to stop; a failure is as good as any other end. */
function again(work) {
  const stop = new AbortController();
  process.on('message', (message) => message === 'stop' && stop.abort());
  void (async () => {
    let rounds = 0;
    for (; !stop.signal.aborted; rounds += 1) await work().catch(() => {});
    process.send({ rounds });
  })();
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
const started = await roles[role]();
process.on('message', (message) => {
  if (message === 'vitals') process.send({ vitals: vitals() });
});
process.once('disconnect', () => process.exit());
watch();
process.send({ started });
