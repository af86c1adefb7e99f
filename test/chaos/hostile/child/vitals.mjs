// Watches what this process costs: CPU time of the main thread between two turns of the event loop, and memory in use.
import { readFileSync } from 'node:fs';

const usage = `/proc/self/task/${process.pid}/schedstat`;
/** Nanoseconds that the main thread has been running. */
const running = () => Number(readFileSync(usage, 'latin1').split(' ', 1)[0]);

const peak = { blockMs: 0, memory: 0 };
let last = running();
let turns = 0;

function look() {
  const now = running();
  peak.blockMs = Math.max(peak.blockMs, (now - last) / 1e6);
  turns += 1;
  if (turns % 16 === 0) {
    const { heapUsed, external } = process.memoryUsage();
    peak.memory = Math.max(peak.memory, heapUsed + external);
  }
  // Looking costs time as well.
  last = running();
}

/** Begins to watch; loading modules is over by then. */
export function watch() {
  last = running();
  setInterval(look, 1).unref();
}

/** The largest values so far, and the memory in use after a collection. */
export function vitals() {
  look();
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  last = running();
  return { ...peak, settled: heapUsed + external };
}
