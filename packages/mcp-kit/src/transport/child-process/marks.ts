import { readdirSync, readFileSync } from 'node:fs';
import { crypto } from '#base';

/**
 * The variable by which a process is known to be of a child, wherever it has moved to: a process that leaves the group of
 * its parent keeps its environment. Its value are the marks of the child and of the children that it is below, the
 * outermost first. Only where the system shows the environments of processes.
 */
export const markName = 'MCP_KIT_CHILD_OF';
const variable = `\0${markName}=`;
const seesEnvironments = process.platform === 'linux';

/** A child: its group, by the number of its leader, and the mark of all that it starts. */
export interface OwnChild {
  readonly pid: number;
  readonly mark: string;
}

/** A mark for a new child; no other has it. */
export function createMark(): string {
  return crypto().randomBytes(8).toString('hex');
}

/** The variable for a child with a mark. */
export function markVariable(mark: string): Readonly<Record<string, string>> {
  if (!seesEnvironments) return {};
  const outer = process.env[markName];
  return { [markName]: outer === undefined ? mark : `${outer}:${mark}` };
}

/** How often to look again for what was started by those that were being ended. */
const maxRounds = 50;
/** How many environments are read before others get a turn. */
const atOnce = 64;

/** Kills all processes that have one of the marks, at once. */
export function endMarked(marks: ReadonlySet<string>): void {
  for (let round = 0; round < maxRounds; round += 1) {
    if (
      !pids()
        .map((pid) => killIfMarked(pid, marks))
        .includes(true)
    )
      return;
  }
}

let due: { readonly marks: Set<string>; readonly done: Promise<void> } | undefined;

/** Kills all processes that have a mark. Children that are closed together are looked for together. */
export function endMarkedSoon(mark: string): Promise<void> {
  if (!seesEnvironments) return Promise.resolve();
  if (due === undefined) {
    const marks = new Set<string>();
    due = { marks, done: nextTurn().then(() => endInTurns(marks)) };
  }
  due.marks.add(mark);
  return due.done;
}

async function endInTurns(marks: ReadonlySet<string>): Promise<void> {
  due = undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    let found = false;
    const all = pids();
    for (let at = 0; at < all.length; at += 1) {
      if (killIfMarked(all[at] ?? '', marks)) found = true;
      if (at % atOnce === atOnce - 1) await nextTurn();
    }
    if (!found) return;
  }
}

function pids(): readonly string[] {
  if (!seesEnvironments) return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Between the look and the signal nothing happens here, so the number is still that of the process. */
function killIfMarked(pid: string, marks: ReadonlySet<string>): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const start = environment.indexOf(variable);
    if (start < 0) return false;
    const [value = ''] = environment.slice(start + variable.length).split('\0', 1);
    if (!value.split(':').some((mark) => marks.has(mark))) return false;
    process.kill(Number(pid), 'SIGKILL');
    return true;
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
