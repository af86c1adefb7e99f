// A program that has children, and ends in some way. Runs the build, not the sources.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from 'mcp-kit/jsonrpc';
import { childTarget } from 'mcp-kit/transport/child-process';

const { task, children, times = 1 } = JSON.parse(process.argv[2]);

async function open(options) {
  const channel = await childTarget(options).dial();
  return new Connection(channel, () => ({
    request: () => undefined,
    notification: () => {},
    acceptsBatch: () => false,
    closed: () => {},
  }));
}

/** Opens all, each having answered once. */
async function openAll() {
  const connections = await Promise.all(children.map(open));
  const answers = await Promise.all(connections.map((connection) => connection.request('pid')));
  return { connections, answers };
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** What a program could leak. */
function vitals() {
  return {
    fds: readdirSync('/proc/self/fd').length,
    resources: process.getActiveResourcesInfo().filter((name) => !name.startsWith('TTY')),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

async function openAndCloseAll() {
  const { connections } = await openAll();
  await Promise.all(connections.map((connection) => connection.close()));
}

/** The least processor time, in milliseconds, that reading a line of this size has cost. */
async function costOfLine(connection, size) {
  await connection.request('prepare', { size });
  let least = Infinity;
  for (let at = 0; at < times; at++) {
    const before = process.cpuUsage();
    const text = await connection.request('prepared');
    const { user, system } = process.cpuUsage(before);
    if (text.length !== size) throw new Error(`${text.length} of ${size}`);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const tasks = {
  async lines() {
    const connection = await open(children[0]);
    const half = await costOfLine(connection, 32 * 1024 * 1024);
    const whole = await costOfLine(connection, 64 * 1024 * 1024);
    await connection.close();
    say({ half, whole });
  },
  /** Until it is killed. */
  async hold() {
    say(await openAll());
  },
  async exit() {
    say(await openAll());
    process.exit(0);
  },
  async throw() {
    say(await openAll());
    throw new Error('on purpose');
  },
  /** Nothing may keep it from ending. */
  async close() {
    await openAndCloseAll();
    say('closed');
  },
  async leaks() {
    await openAndCloseAll();
    await sleep(50);
    const before = vitals();
    for (let at = 0; at < times; at++) await openAndCloseAll();
    await sleep(50);
    say({ before, after: vitals() });
  },
  /** Many large calls to a child that has been stopped. */
  async stopped() {
    const { connections, answers } = await openAll();
    process.kill(answers[0].pid, 'SIGSTOP');
    const text = 'x'.repeat(1024 * 1024);
    globalThis.gc();
    const before = process.memoryUsage.rss();
    let peak = before;
    const calls = [];
    for (let at = 0; at < times; at++) {
      const call = connections[0].request('length', { text }).then(
        () => 'answered',
        (error) => error.code,
      );
      calls.push(call);
      await new Promise((resolve) => setImmediate(resolve));
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    await connections[0].close();
    say({ outcomes: await Promise.all(calls), grown: peak - before });
  },
};

await tasks[task]();
