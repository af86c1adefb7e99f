// Tells over the IPC channel how this process is doing.
import { createHook } from 'node:async_hooks';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { runningMs } from '../../support/main-thread.mjs';

const classes = [
  'Session',
  'EventStream',
  'PacedStream',
  'Reply',
  'Connection',
  'Exchange',
  'Conversation',
];

const timers = new Set();

/** Counts timers from now on; costs speed. */
export function watchTimers() {
  createHook({
    init: (id, type) => type === 'Timeout' && timers.add(id),
    destroy: (id) => timers.delete(id),
  }).enable();
}

/** How many objects of each class are reachable: what a heap snapshot, taken after garbage collection, has of them. */
async function countObjects(names) {
  const { snapshot, nodes, strings } = await json(v8.getHeapSnapshot());
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, nameAt] = [fields.indexOf('type'), fields.indexOf('name')];
  const objects = types[typeAt].indexOf('object');
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  for (let at = 0; at < nodes.length; at += fields.length) {
    const name = strings[nodes[at + nameAt]];
    if (nodes[at + typeAt] === objects && Object.hasOwn(counts, name)) counts[name]++;
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

let longestMs = 0;
let lastMs;

function look() {
  longestMs = Math.max(longestMs, runningMs() - lastMs);
  lastMs = runningMs();
}

/** The most CPU time during which nothing else could run, since it was last asked; the first time begins to watch. */
async function blocked() {
  if (lastMs === undefined) {
    lastMs = runningMs();
    setInterval(look, 1).unref();
  }
  await sleep(3);
  look();
  const ms = longestMs;
  longestMs = 0;
  return ms;
}

const general = {
  memory,
  resources: () => process.getActiveResourcesInfo(),
  timers: () => timers.size,
  blocked,
};

/** Answers these questions, and those that every process can answer; ends when nobody is left to ask. */
export function answer(own, names = classes) {
  // Opened when first used, which would look like a leak.
  void process.stderr;
  const questions = { ...general, objects: () => countObjects(names), ...own };
  process.on('message', async ({ id, ask }) => {
    process.send({ id, answer: (await questions[ask]()) ?? null });
  });
  process.once('disconnect', () => process.exit());
}
