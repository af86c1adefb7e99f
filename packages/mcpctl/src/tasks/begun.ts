import { isRecord } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import { stateList } from '../state/state-list.ts';

/** A task that was begun here and not waited for. */
export interface BegunTask {
  readonly server: string;
  readonly tool: string;
  readonly id: string;
  readonly begunAt: string;
}

/** More nobody looks through; the oldest are forgotten, not ended. */
const maxTasks = 1000;

const tasks = stateList('tasks', isBegunTask, 'Move it away: tasks are still known by their ids.');

/** The tasks that were begun by this user, the newest last. */
export function begunTasks(): Promise<readonly BegunTask[]> {
  return tasks.read(process.env);
}

/** Remembers a task. */
export function rememberTask(task: BegunTask): Promise<void> {
  return tasks.change(process.env, async (list) => [...list, task].slice(-maxTasks));
}

/** Forgets tasks that are no longer there, or were fetched. */
export async function forgetTasks(ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return;
  await tasks.change(process.env, async (list) => list.filter(({ id }) => !ids.has(id)));
}

/** The task that is meant: one begun here by the beginning of its id, or any by its whole id. */
export async function taskNamed(server: string, name: string): Promise<string> {
  const own = (await begunTasks()).filter((task) => task.server === server);
  const found = own.filter(({ id }) => id === name || id.startsWith(name));
  const exact = found.find(({ id }) => id === name) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact.id;
  if (found.length === 0) return name;
  throw usageError(
    `${found.length} tasks of ${server} begin with ${name}`,
    `See: mcpctl tasks list ${server}`,
  );
}

function isBegunTask(value: unknown): value is BegunTask {
  return (
    isRecord(value) &&
    ['server', 'tool', 'id', 'begunAt'].every((member) => typeof value[member] === 'string')
  );
}
