import type { Store } from '#store';

/** How calls of a set go on as tasks; nothing is required. */
export interface TaskOptions {
  /** Where tasks are kept. In the memory of this process when absent: then they end with it. */
  readonly store?: Store | undefined;
  /** How long a call of an `auto` tool may take before it goes on as a task; half a second. */
  readonly answerWithinMs?: number | undefined;
  /** How long after its beginning a task may be asked for; then it ends. A day. */
  readonly ttlMs?: number | undefined;
  /** How often clients are to ask; a second. */
  readonly pollIntervalMs?: number | undefined;
  /** Tasks that are not over at the same time; 10,000. */
  readonly maxTasks?: number | undefined;
  /** How long a process that says nothing is taken to be alive; 30 seconds. */
  readonly leaseMs?: number | undefined;
}
