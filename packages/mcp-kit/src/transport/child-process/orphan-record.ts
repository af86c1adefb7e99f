import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownProcess, readAllStats, readStat, processState, type ProcessStat } from '#base';
import { endMarked, type OwnChild } from './marks.ts';

/**
 * For the case that this process and its watchdog are killed together: who comes next finds what they left.
 * One empty file per child; its name says it all, so there is nothing to parse and nothing half written.
 */
interface Place {
  readonly folder: string;
  /** Pids mean something only until the next boot, and only in one namespace. */
  readonly boot: string;
  readonly namespace: string;
  readonly host: number;
  readonly hostStart: number;
}

let known: Place | 'none' | undefined;

/** Notes that a child of this process runs; gives back how to forget it. Where that is impossible, nothing happens. */
export function recordChild({ pid, mark }: OwnChild): () => void {
  const place = findPlace();
  const start = readStat(pid)?.start;
  if (place === 'none' || start === undefined) return () => {};
  const { folder, boot, namespace, host, hostStart } = place;
  const file = path.join(folder, [boot, namespace, host, hostStart, pid, start, mark].join('.'));
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    return () => {};
  }
  return () => forget(file);
}

/** Kills the children of processes that ended without doing so, and all that these started, and forgets them. */
export function sweepOrphans(): void {
  const place = findPlace();
  if (place === 'none') return;
  const left = readdirSync(place.folder).filter((name) => isLeft(name, place));
  let all: readonly ProcessStat[] | undefined;
  const marks = new Set<string>();
  for (const name of left) {
    const { boot, child, childStart, mark } = fieldsOf(name);
    if (boot !== place.boot) continue;
    const leader = readStat(child);
    const members = leader === undefined ? (all ??= readAllStats()) : [leader];
    if (members.some((stat) => belongs(stat, child, childStart))) killGroup(child);
    marks.add(mark);
  }
  if (marks.size > 0) endMarked(marks);
  for (const name of left) forget(path.join(place.folder, name));
}

/** Whether a record is of a process that has ended. */
function isLeft(name: string, place: Place): boolean {
  const { boot, namespace, host, hostStart, fields } = fieldsOf(name);
  if (fields !== 7) return false;
  if (boot !== place.boot || namespace !== place.namespace) return boot !== place.boot;
  return processState({ ...ownProcess(), pid: host, start: hostStart }) !== 'alive';
}

function fieldsOf(name: string) {
  const fields = name.split('.');
  const [boot = '', namespace = '', ...numbers] = fields;
  const [host = 0, hostStart = 0, child = 0, childStart = 0] = numbers.map(Number);
  const [mark = ''] = fields.slice(-1);
  return { fields: fields.length, boot, namespace, host, hostStart, child, childStart, mark };
}

/**
 * Whether a process is of the group that was recorded: its leader, or when that has ended, any that is younger.
 * The kernel gives no number away that is still the number of a group, so those are of no other.
 */
function belongs(stat: ProcessStat, group: number, start: number): boolean {
  if (stat.group !== group || stat.session !== group) return false;
  return stat.pid === group ? stat.start === start : stat.start >= start;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone meanwhile, or never ours.
  }
}

function forget(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Somebody else's sweep will try again.
  }
}

function findPlace(): Place | 'none' {
  known ??= process.platform === 'linux' ? openPlace() : 'none';
  return known;
}

/** A folder that only this user can have filled: a record is an order to kill. */
function openPlace(): Place | 'none' {
  try {
    const uid = process.getuid?.();
    const { place, pid, start } = ownProcess();
    if (uid === undefined || start === 0) return 'none';
    const folder = path.join(tmpdir(), `mcp-kit-${uid}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) return 'none';
    const [boot = '', namespace = ''] = place.split('.');
    // So much of it tells one boot from the next.
    return { folder, boot: boot.slice(0, 8), namespace, host: pid, hostStart: start };
  } catch {
    return 'none';
  }
}
