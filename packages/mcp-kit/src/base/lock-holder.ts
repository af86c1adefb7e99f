import { readFileSync, readlinkSync } from 'node:fs';
import { readStat } from './process-stat.ts';

/** A process, so that no other is taken for it: neither one of another machine nor a later one of the same number. */
export interface LockHolder {
  /** The machine since its last boot, and the namespace that the number is of. */
  readonly place: string;
  readonly pid: number;
  /** When it began; 0 where the system does not tell. */
  readonly start: number;
}

let own: LockHolder | undefined;

/** This process. */
export function ownHolder(): LockHolder {
  own ??= onLinux() ?? { place: hostName(), pid: process.pid, start: 0 };
  return own;
}

function hostName(): string {
  return process.getBuiltinModule('node:os').hostname();
}

function onLinux(): LockHolder | undefined {
  try {
    const stat = readStat('self');
    // A `/proc` of another namespace has other numbers.
    if (stat?.pid !== process.pid) return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
    return { place: `${boot}.${namespace}`, pid: stat.pid, start: stat.start };
  } catch {
    return undefined;
  }
}

/** Whether a process still runs, as far as this one can know. */
export function stateOf({ place, pid, start }: LockHolder): 'alive' | 'gone' | 'unknown' {
  if (place !== ownHolder().place) return 'unknown';
  const stat = start === 0 ? undefined : readStat(pid);
  if (stat !== undefined) return stat.start === start && stat.state !== 'Z' ? 'alive' : 'gone';
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'unknown';
  }
}
