// Watches what this process costs: CPU time of the main thread for one event, and memory in use.
import { getHeapStatistics } from 'node:v8';
import { startBlame } from './blame.mjs';
import { watchBlocks } from './blocks.mjs';

const peak = { blockMs: 0, memory: 0 };
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

function onLong(blockMs) {
  peak.blockMs = Math.max(peak.blockMs, blockMs);
  const told = blame?.(blockMs > 40);
  if (told) process.stderr.write(`blocked ${blockMs} ms:\n${told}\n`);
}

function look() {
  peak.memory = Math.max(peak.memory, memory());
  blame?.(false);
}

/** Begins to watch; loading modules is over by then. */
export function watch() {
  before = afterCollection();
  watchBlocks(onLong);
  setInterval(look, 10).unref();
}

/** The largest values so far, and by how much the memory in use has grown, after a collection. */
export function vitals() {
  look();
  const grown = afterCollection() - before;
  const { user, system } = process.cpuUsage();
  return { ...peak, grown, cpuMs: (user + system) / 1000 };
}
