import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isObject } from '#cocos/document';
import { codeOf } from './durable.ts';

/** Which process something is of, so that no other is taken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Where its number means something: the start of the system, and the namespace of processes. Empty where that is not told. */
  readonly space: string;
  /** When it began, so that a later process of the same number is not taken for it. Empty where that is not told. */
  readonly began: string;
}

let space: string | undefined;

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), space: ownSpace(), began: beginOf(process.pid) };
}

/** The identity that a value is; undefined for anything else. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { pid, host, space: place, began } = value;
  const isWhole =
    typeof pid === 'number' &&
    Number.isSafeInteger(pid) &&
    pid > 0 &&
    typeof host === 'string' &&
    typeof place === 'string' &&
    typeof began === 'string';
  return isWhole ? { pid, host, space: place, began } : undefined;
}

/** Whether a process runs; undefined where that cannot be seen from here: on another machine, or in another container. */
export function isRunning({
  pid,
  host,
  space: place,
  began,
}: ProcessIdentity): boolean | undefined {
  const isHere = place === ownSpace() && (place !== '' || host === hostname());
  return isHere ? isAlive(pid) && beginOf(pid) === began : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function ownSpace(): string {
  space ??= ofSystem(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  });
  return space;
}

function beginOf(pid: number): string {
  return ofSystem(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    // One that has ended stays in the list until its parent has heard of it.
    return fields?.[0] === 'Z' ? 'ended' : (fields?.[19] ?? '');
  });
}

/** What Linux tells; empty elsewhere. */
function ofSystem(read: () => string): string {
  if (process.platform !== 'linux') return '';
  try {
    return read();
  } catch {
    return '';
  }
}
