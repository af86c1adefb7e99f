// CPU time of the main thread: how long it kept others waiting, however busy the machine is.
import { openSync, readFileSync, readSync } from 'node:fs';

const digits = Buffer.alloc(100);
let usage;

/**
 * Milliseconds that the host of a virtual machine has kept its processors for others, so far: they count as running. Ten at a
 * time; 0 where the system does not tell.
 */
export function stolenMs() {
  if (process.platform !== 'linux') return 0;
  const [, , , , , , , , steal = 0] = readFileSync('/proc/stat', 'latin1')
    .split(/\s+/, 9)
    .map(Number);
  return steal * 10;
}

/** Milliseconds that the main thread has been running; that of the whole process where the system does not tell. */
export function runningMs() {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  usage ??= openSync(`/proc/self/task/${process.pid}/schedstat`);
  const length = readSync(usage, digits, 0, digits.length, 0);
  // Nanoseconds are the first number there.
  return Number.parseInt(digits.latin1Slice(0, length), 10) / 1e6;
}
