import type { Keys } from '#base';
import { isRecord, type Message, type Params } from '#jsonrpc';
import { createSealer, invalidParams } from '#protocol';

/** The names of tasks as the callers of a bridge know them: of use to the caller it was given to, and to nobody else. */
export interface TaskNames {
  /** Parameters with the name that the server knows; refused where that was given to somebody else. */
  request(caller: string | undefined, params: Params | undefined): Params | undefined;
  /** A result with the name that its caller knows. */
  result(caller: string | undefined, result: unknown, asked: Message): unknown;
  /** What a caller wants to hear of, by the names that the server knows; with the way back. */
  filter(caller: string | undefined, filter: Params): NamedFilter;
}

/** A filter in the words of the server, and what the caller calls the tasks in it. */
export interface NamedFilter {
  readonly filter: Params;
  readonly shown: ReadonlyMap<string, string>;
}

const none: ReadonlyMap<string, string> = new Map();
/** The server decides how long a task is kept; this is only when one is surely gone. */
const ttlMs = 366 * 24 * 60 * 60_000;

/** Where callers are not told apart, everything passes as it is. */
export function createTaskNames(keys: Keys | undefined): TaskNames {
  const sealer = createSealer({ keys, ttlMs });
  const open = (name: unknown, caller: string): string | undefined => {
    const opened = typeof name === 'string' ? sealer.open(name, ['task', caller]) : undefined;
    return typeof opened === 'string' ? opened : undefined;
  };
  return {
    request(caller, params) {
      const name = params?.['taskId'];
      if (caller === undefined || name === undefined) return params;
      const taskId = open(name, caller);
      if (taskId === undefined) throw unknownTask();
      return { ...params, taskId };
    },
    result(caller, result, { params }) {
      if (caller === undefined || !isRecord(result)) return result;
      const { taskId } = result;
      if (typeof taskId !== 'string') return result;
      return { ...result, taskId: params?.['taskId'] ?? sealer.seal(taskId, ['task', caller]) };
    },
    filter(caller, filter) {
      const wanted = filter['taskIds'];
      if (caller === undefined || !Array.isArray(wanted)) return { filter, shown: none };
      const shown = new Map<string, string>();
      for (const name of wanted) {
        const taskId = open(name, caller);
        if (taskId !== undefined) shown.set(taskId, name);
      }
      return { filter: { ...filter, taskIds: [...shown.keys()] }, shown };
    },
  };
}

/** Parameters of a notification, or what was taken up of a filter, by the names that the caller knows. */
export function named(
  params: Params | undefined,
  { shown }: Pick<NamedFilter, 'shown'>,
): Params | undefined {
  const { taskId, taskIds } = params ?? {};
  if (shown.size === 0) return params;
  const name = (one: unknown): unknown => shown.get(String(one)) ?? one;
  if (Array.isArray(taskIds)) return { ...params, taskIds: taskIds.map(name) };
  return taskId === undefined ? params : { ...params, taskId: name(taskId) };
}

/** The same as for a task that is not there. */
function unknownTask() {
  return invalidParams('Unknown task: there is none, it has expired, or it is not yours');
}
