// A program that manages servers, and ends in some way. Runs the build, not the sources.
import { readdirSync } from 'node:fs';
import { createManager, watchConfig } from '@mcp-kit/host';

const { task, entries, ready, times = 1 } = JSON.parse(process.argv[2]);
const manager = createManager({
  entries,
  trust: 'trusted',
  receipts: false,
  toolCache: false,
  era: 'legacy',
});
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** What a program could leak. */
function vitals() {
  return {
    fds: readdirSync('/proc/self/fd').length,
    resources: process.getActiveResourcesInfo().filter((name) => !name.startsWith('TTY')).length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

async function open() {
  void manager.connectAll();
  await Promise.all(ready.map((name) => manager.server(name).ping()));
}

const tasks = {
  /** Until it is killed. */
  async hold() {
    await open();
    say('ready');
    setInterval(() => {}, 60_000);
  },
  /** Nothing may keep it from ending. */
  async close() {
    watchConfig({ root: '.' }, { changed() {} });
    await open();
    await manager.close();
    say('closed');
  },
  async cycles() {
    const cycle = async () => {
      await open();
      await Promise.all(entries.map(({ name }) => manager.disconnect(name)));
    };
    await cycle();
    const before = vitals();
    for (let at = 0; at < times; at += 1) await cycle();
    say({ before, after: vitals() });
    await manager.close();
  },
};

await tasks[task]();
