// A client that loses its server again and again. Runs the build, not the sources.
import { openSession } from 'mcp-kit/client';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import { service } from './service.mjs';
import { answer, watchTimers } from './vitals.mjs';

const { era, times } = JSON.parse(process.argv[2] ?? '{}');
watchTimers();

// A server that is lost too often is not opened again: let it seem that time goes by.
const clock = performance.now.bind(performance);
let skipped = 0;
performance.now = () => clock() + skipped;

let server;
let lost = 0;
const target = {
  label: 'memory',
  key: 'memory',
  wire: 'stream',
  dial() {
    const [near, far] = memoryPair();
    serveChannel(service, far);
    server = far;
    return near;
  },
};
let session = await openSession(target, {
  era,
  onNotification() {},
  onLost() {
    lost += 1;
  },
});
await session.subscribe('test://file');

async function loseAndHeal() {
  const hanging = session.callTool('hang').catch((error) => error.code);
  await session.ping();
  await server.close();
  skipped += 60_000;
  const list = await session.listTools();
  return (await hanging) === 'closed' && list.tools.length > 0;
}

answer(
  {
    async heal() {
      let healed = 0;
      for (let at = 0; at < times; at += 1) if (await loseAndHeal()) healed += 1;
      return { healed, lost, handshakes: session.stats.handshakes };
    },
    async end() {
      await session.close();
      session = undefined;
      server = undefined;
      return null;
    },
  },
  ['Connection', 'Conversation', 'Caller', 'Session', 'Subscriptions', 'Exchange', 'MemoryEnd'],
);
process.send({ port: 0 });
