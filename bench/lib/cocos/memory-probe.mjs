// Loaded into a server that is measured: tells its parent, when asked, what is in its memory once garbage has been collected.
import { setTimeout as sleep } from 'node:timers/promises';

const mib = (bytes) => bytes / 2 ** 20;

process.on('message', async () => {
  // What waits for a finalizer or for other threads is free after some collections only.
  for (let count = 0; count < 3; count++) {
    globalThis.gc();
    await sleep(50);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ live: mib(heapUsed + external), rss: mib(rss) });
});

// The server ends as it would without us.
process.channel.unref();
