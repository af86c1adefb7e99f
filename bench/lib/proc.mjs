// What Linux knows of a process: memory and CPU time.
import { readFileSync, readdirSync } from 'node:fs';

const ticksPerSecond = 100; // USER_HZ

const statusMiB = (pid, field) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)[1]) / 1024;
};

/** Resident memory now, in MiB. */
export const rssMiB = (pid) => statusMiB(pid, 'VmRSS');

/** The greatest resident memory so far, in MiB. */
export const peakRssMiB = (pid) => statusMiB(pid, 'VmHWM');

/** A process and all it has started, and they in turn. */
export function familyOf(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

/** The sum of a measure over processes. */
export const sumOf = (pids, measure) => pids.reduce((sum, pid) => sum + measure(pid), 0);

/** User and system CPU time so far in seconds, of all threads and so with the garbage collector's. */
export function cpuSeconds(pid) {
  // schedstat counts nanoseconds per thread, stat only ticks of 10 ms
  try {
    let ns = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const schedstat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      ns += Number(schedstat.split(' ', 1)[0]);
    }
    if (ns > 0) return ns / 1e9;
  } catch {
    // this kernel has no schedstat
  }
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
