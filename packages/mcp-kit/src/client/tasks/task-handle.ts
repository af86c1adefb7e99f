import { KitError } from '#base';
import type { DetailedTask, ToolResult } from '#protocol';
import type { Caller } from '../caller.ts';
import type { CallOptions } from '../options.ts';

/** A call that goes on at its server. Whoever knows its id can ask for it, also another process, later. */
export interface TaskHandle<T = unknown> {
  /** To be written down; nothing where the server has answered the call at once. */
  readonly id: string | undefined;
  /** How it is now. */
  get(options?: CallOptions): Promise<DetailedTask>;
  /**
   * What the call gives. It is asked for as often as the server wishes, and as soon as the server tells; what it asks in the middle is
   * answered as any question. Whoever gives up waiting leaves it as it is.
   */
  result(options?: CallOptions): Promise<ToolResult<T>>;
  /** Says that it is no longer wanted. It may come to its end all the same. */
  cancel(options?: CallOptions): Promise<void>;
}

/** What a handle needs of its session. */
interface TaskSession {
  readonly caller: Caller;
  /** Checks a result of the tool, where it is known which. */
  readonly checked: <T>(result: unknown) => ToolResult<T>;
}

/** A task by its id. */
export function taskHandle<T>(id: string, { caller, checked }: TaskSession): TaskHandle<T> {
  return {
    id,
    get: (options = {}) => caller.facts.edge.task(caller, id, options),
    async result(options = {}) {
      const { edge } = caller.facts;
      const task = await edge.task(caller, id, options);
      return checked<T>(await edge.follow({ caller, task, options, cancels: false }));
    },
    async cancel(options = {}) {
      await caller.request('tasks/cancel', { taskId: id }, options);
    },
  };
}

/** The same for a call that was answered at once. */
export function answeredHandle<T>(result: ToolResult<T>): TaskHandle<T> {
  return {
    id: undefined,
    get: () => Promise.reject(noTask()),
    result: () => Promise.resolve(result),
    cancel: () => Promise.resolve(),
  };
}

function noTask(): KitError {
  return new KitError('invalid_argument', 'the server has answered this call at once', {
    hint: 'It has no task. Ask for its result.',
  });
}
