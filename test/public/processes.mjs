// The processes of this namespace of process ids: all of them belong to one trial.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Gives the processes that run, by id, with their command lines; those that ended and wait for their parent are none. */
export function processes() {
  const found = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const state = stat[stat.lastIndexOf(')') + 2];
      if (state === 'Z' || state === 'X') continue;
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // It watches over the children of a process as long as that lives.
      if (!line.endsWith('mcp-kit-watchdog')) found.set(Number(name), line);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Waits until no process is left but those that were there before; gives the others after `patienceMs`, and ends them. */
export async function leftOver(before, patienceMs) {
  const end = performance.now() + patienceMs;
  for (;;) {
    const more = [...processes()].filter(([pid]) => !before.has(pid));
    if (more.length === 0) return [];
    if (performance.now() > end) {
      for (const [pid] of more) kill(pid);
      return more.map(([, line]) => line);
    }
    await sleep(50);
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
