import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells about a process. */
export interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot; together with the pid this names a process for good. */
  readonly start: number;
}

/** Reads what the kernel says about a process, or nothing when there is none, or no `/proc`. */
export function readStat(pid: number | 'self'): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may contain anything, brackets and spaces too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group, session] = fields;
    return {
      pid: Number.parseInt(text, 10),
      state,
      group: Number(group),
      session: Number(session),
      start: Number(fields[19]),
    };
  } catch {
    return undefined;
  }
}

/** All processes that this one can see. */
export function readAllStats(): readonly ProcessStat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readStat(Number(pid)) ?? []);
}
