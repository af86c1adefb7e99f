import { isRecord, type ErrorObject } from '#jsonrpc';
import type { ClientCapabilities, Meta } from './types.ts';

/** The extension for calls that go on as tasks, among the capabilities of a client and of a server. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** What a modern client declares that understands tasks. */
export const takesTasks: ClientCapabilities = { extensions: { [tasksExtension]: {} } };

/** What a server of 2025-11-25 offers whose tools can be called as tasks. */
export const legacyTaskCapability = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
} as const;

/** Under this key of `_meta` a message of 2025-11-25 names the task it belongs to. */
export const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/** How a task stands. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A call that goes on after it was answered. */
export interface Task {
  /** Whoever has it has the task, where callers are not told apart. */
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** How long after it was created it may be asked for; `null` for ever. */
  readonly ttlMs: number | null;
  /** How often it is to be asked for. */
  readonly pollIntervalMs?: number | undefined;
}

/** A task with all that is known of it. */
export interface DetailedTask extends Task {
  /** What is to be answered before it goes on. */
  readonly inputRequests?: Readonly<Record<string, object>> | undefined;
  /** What the call gave, where it has completed. */
  readonly result?: (object & { readonly _meta?: Meta; readonly isError?: boolean }) | undefined;
  /** The error of the protocol that it has failed with. */
  readonly error?: ErrorObject | undefined;
}

/** Whether nothing more will come of a task. */
export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** A task without what it has come to. */
export function taskOf(task: DetailedTask): Task {
  const { inputRequests: _asked, result: _result, error: _error, ...head } = task;
  return head;
}

/** A task in the words of 2025-11-25, where a tool that says that it has failed is a task that has. */
export function toLegacyTask(task: DetailedTask): object {
  const { ttlMs, pollIntervalMs, ...head } = taskOf(task);
  const status = task.result?.isError === true ? 'failed' : task.status;
  return { ...head, status, ttl: ttlMs, pollInterval: pollIntervalMs };
}

/** A task as a server says that it is; nothing for what is none. */
export function readTask(value: unknown): DetailedTask | undefined {
  if (!isRecord(value) || typeof value['taskId'] !== 'string') return undefined;
  if (typeof value['status'] !== 'string') return undefined;
  const { ttl, pollInterval } = value;
  // The two eras have other names for the same times.
  const { ttlMs = ttl ?? null, pollIntervalMs = pollInterval } = value;
  return { ...value, ttlMs, pollIntervalMs } as unknown as DetailedTask;
}
