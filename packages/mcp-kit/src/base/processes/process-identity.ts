import { readFileSync, readlinkSync } from 'node:fs';
import { readStat } from './process-stat.ts';

/** A process, so that no other is taken for it: neither one of another machine or container nor a later one of the same number. */
export interface ProcessIdentity {
  /** The machine, for people. */
  readonly host: string;
  /** The machine since its last boot and the namespace that the number is of, with a point between; the host where that is not told. */
  readonly place: string;
  readonly pid: number;
  /** When it began; 0 where the system does not tell. */
  readonly start: number;
}

let own: ProcessIdentity | undefined;

/** This process. */
export function ownProcess(): ProcessIdentity {
  own ??= identify();
  return own;
}

function identify(): ProcessIdentity {
  const host = process.getBuiltinModule('node:os').hostname();
  const stat = readStat('self');
  // A `/proc` of another namespace has other numbers.
  const place = stat?.pid === process.pid ? placeOnLinux() : undefined;
  const start = place === undefined ? 0 : (stat?.start ?? 0);
  return { host, place: place ?? host, pid: process.pid, start };
}

function placeOnLinux(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
    return `${boot}.${namespace}`;
  } catch {
    return undefined;
  }
}

/** The process that a value names; undefined for anything else. */
export function parseProcess(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { host, place, pid, start } = value as Record<string, unknown>;
  if (typeof place !== 'string' || !isCount(pid) || pid === 0 || !isCount(start)) return undefined;
  return { host: typeof host === 'string' ? host : '', place, pid, start };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * What can be seen of a process from here. `taken`: its number is that of a process, and the system does not tell of which.
 * `unseen`: it is of another machine or container.
 */
export type ProcessState = 'alive' | 'gone' | 'taken' | 'unseen';

/** Whether a process still runs, as far as this one can know. */
export function processState({ place, pid, start }: ProcessIdentity): ProcessState {
  if (place !== ownProcess().place) return 'unseen';
  const stat = start === 0 ? undefined : readStat(pid);
  // One that has ended stays in the list until its parent has heard of it.
  if (stat !== undefined) return stat.start === start && stat.state !== 'Z' ? 'alive' : 'gone';
  try {
    process.kill(pid, 0);
    return 'taken';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'taken';
  }
}
