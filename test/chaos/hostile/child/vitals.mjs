// Watches what this process costs: CPU time of the main thread between two turns of the event loop, and memory in use.
import { getHeapStatistics } from 'node:v8';
import { runningMs, stolenMs } from '../../../support/main-thread.mjs';
import { startBlame } from './blame.mjs';

const peak = { blockMs: 0, memory: 0 };
let last = runningMs();
let turns = 0;
let stolen = stolenMs();
/** Turns that are shorter are never looked at again. */
const longMs = 20;
/** How often it is looked how much was stolen: what was before counts for no turn after it. */
const stolenEvery = 50;
let before = 0;

function memory() {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

function afterCollection() {
  globalThis.gc();
  globalThis.gc();
  return memory();
}

/** HOSTILE_BLAME=1 says what blocked, on standard error. It costs time itself, so what it sees is no verdict. */
const blame = process.env['HOSTILE_BLAME'] ? startBlame() : undefined;

function look() {
  let blockMs = runningMs() - last;
  if (blockMs > longMs || turns % stolenEvery === 0) {
    const stolenNow = stolenMs();
    blockMs -= stolenNow - stolen;
    stolen = stolenNow;
  }
  peak.blockMs = Math.max(peak.blockMs, blockMs);
  const told = blame?.(blockMs > 40);
  if (told) process.stderr.write(`blocked ${blockMs} ms:\n${told}\n`);
  turns += 1;
  if (turns % 8 === 0) peak.memory = Math.max(peak.memory, memory());
  // Looking costs time as well.
  last = runningMs();
}

/** Begins to watch; loading modules is over by then. */
export function watch() {
  before = afterCollection();
  last = runningMs();
  setInterval(look, 1).unref();
}

/** The largest values so far, and by how much the memory in use has grown, after a collection. */
export function vitals() {
  look();
  const grown = afterCollection() - before;
  last = runningMs();
  const { user, system } = process.cpuUsage();
  return { ...peak, grown, cpuMs: (user + system) / 1000 };
}
