import {
  callerOf,
  createSealer,
  isRecord,
  missingClientCapability,
  supports,
  clientOf,
  takesTasks,
  type Exchange,
  type Keys,
} from 'mcp-kit/internal';

/** A task of a server. */
interface HeldTask {
  readonly server: string;
  readonly taskId: string;
}

/** The names of tasks as clients of a gateway know them: each says of which server, and is good for whom it was given to. */
export interface TaskNames {
  name(task: HeldTask, exchange: Exchange): string;
  /** The task that a client names; nothing where the name is none, or somebody else's. */
  task(name: unknown, exchange: Exchange): HeldTask | undefined;
}

/** A server decides how long a task is kept; this is only when one is surely gone. */
const ttlMs = 366 * 24 * 60 * 60_000;

export function createTaskNames(keys: Keys | undefined): TaskNames {
  const sealer = createSealer({ keys, ttlMs });
  const owner = (exchange: Exchange): readonly unknown[] => ['task', callerOf(exchange) ?? null];
  return {
    name: ({ server, taskId }, exchange) => sealer.seal([server, taskId], owner(exchange)),
    task(name, exchange) {
      const held = typeof name === 'string' ? sealer.open(name, owner(exchange)) : undefined;
      // The seal proves that this is what was sealed.
      if (!Array.isArray(held)) return undefined;
      const [server, taskId] = held as readonly string[];
      return server === undefined || taskId === undefined ? undefined : { server, taskId };
    },
  };
}

/** A result that tells of a task, by the name that the client knows. */
export function withTaskName(result: unknown, name: (taskId: string) => string): unknown {
  const taskId = isRecord(result) ? result['taskId'] : undefined;
  return typeof taskId === 'string' ? { ...Object(result), taskId: name(taskId) } : result;
}

/** Only who understands tasks is told of them. */
export function requireTasks(exchange: Exchange): void {
  if (!supports(clientOf(exchange).capabilities, takesTasks)) {
    throw missingClientCapability(takesTasks);
  }
}
