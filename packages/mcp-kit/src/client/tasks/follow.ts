import { createDeferred, KitError, startTimer, type Deferred } from '#base';
import { isRecord, RpcError } from '#jsonrpc';
import { isOver, readTask, type DetailedTask } from '#protocol';
import type { Caller } from '../caller.ts';
import { createLimit, type Limit } from '../limit.ts';
import type { CallOptions } from '../options.ts';
import type { Subscription } from '../results.ts';

/** A task that is waited for. */
export interface Followed {
  readonly caller: Caller;
  readonly task: DetailedTask;
  readonly options: CallOptions;
  /** Whoever gives up waiting does not want it any more. */
  readonly cancels: boolean;
}

/** How often a server is asked that does not say. */
const usualPollMs = 1000;
const leastPollMs = 10;

type Follow = (followed: Followed, limit: Limit) => Promise<unknown>;

/** Waits for what a task gives, in the words of 2026-07-28. */
export function followTask(followed: Followed): Promise<unknown> {
  return within(followed, async ({ caller, task, options }, limit) => {
    const answered = new Set<string>();
    const heard = hearing(caller, task.taskId);
    const report = reporter(options);
    try {
      let current = task;
      while (!isOver(current)) {
        report(current);
        const asked = await answer(caller, { task: current, answered, limit });
        const told = asked > 0 ? undefined : await limit.within(heard.next(current.pollIntervalMs));
        current = told ?? (await getTask(caller, task.taskId, limitsOf(options, limit)));
      }
      return resultOf(current);
    } finally {
      heard.end();
    }
  });
}

/** The same in the words of 2025-11-25: whoever waits for the result is asked what the server wants to know. */
export function followLegacyTask(followed: Followed): Promise<unknown> {
  return within(followed, async ({ caller, task, options }, limit) => {
    const { signal } = limit;
    const endless = { signal, timeoutMs: Infinity, maxTotalMs: limit.leftMs };
    const result = caller.ask('tasks/result', { taskId: task.taskId }, endless);
    const watching = new AbortController();
    if (options.onProgress !== undefined) {
      const told = { task, options, limit, ended: watching.signal };
      // Only the result says what went wrong.
      void reportAll(caller, told).catch(() => {});
    }
    return result.finally(() => watching.abort());
  });
}

/** A task as its server says that it is now. */
export async function getTask(
  caller: Caller,
  taskId: string,
  options: CallOptions,
): Promise<DetailedTask> {
  const task = readTask(await caller.request('tasks/get', { taskId }, options));
  if (task !== undefined) return task;
  throw new KitError('invalid_answer', 'tasks/get: the answer is no task');
}

async function within(followed: Followed, follow: Follow): Promise<unknown> {
  const { caller, task, options, cancels } = followed;
  const { ended, maxTotalMs: usualMs } = caller.conversation;
  const { signal, maxTotalMs: timeoutMs = usualMs } = options;
  const limit = createLimit({ subject: `task ${task.taskId}`, signal, ended, timeoutMs });
  try {
    return await limit.within(follow(followed, limit));
  } catch (error) {
    // Nobody waits for that, and it may be over already.
    const isLeft = cancels && !(error instanceof RpcError) && caller.conversation.isOpen;
    if (isLeft) caller.ask('tasks/cancel', { taskId: task.taskId }).catch(() => {});
    throw error;
  } finally {
    limit.lift();
  }
}

interface Open {
  readonly task: DetailedTask;
  readonly answered: Set<string>;
  readonly limit: Limit;
}

/** Answers what a task asks, each question once; gives how many were answered. */
async function answer(caller: Caller, { task, answered, limit }: Open): Promise<number> {
  const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
  if (open.length === 0) return 0;
  for (const [key] of open) answered.add(key);
  const { signal } = limit;
  const { taskId } = task;
  const { answering } = caller.conversation.inbound;
  const asked = { inputRequests: Object.fromEntries(open) };
  const { inputResponses } = await limit.within(answering.respond('tasks/update', asked, signal));
  await caller.ask('tasks/update', { taskId, inputResponses }, { signal });
  return open.length;
}

/** Hears of a task, where its server tells, and otherwise when it is time to ask. */
interface Hearing {
  /** The task as it was told, or nothing once it is to be asked for. */
  next(pollMs: number | undefined): Promise<DetailedTask | undefined>;
  end(): void;
}

function hearing(caller: Caller, taskId: string): Hearing {
  let news: Deferred<DetailedTask | undefined> = createDeferred();
  let latest: DetailedTask | undefined;
  let listening: Promise<Subscription | undefined> | undefined;
  const stop = new AbortController();
  const unwatch = caller.hearTask(taskId, (task) => {
    latest = task;
    news.resolve(task);
  });
  const listen = (): Promise<Subscription | undefined> =>
    // Whom nothing is told asks.
    caller.subscriptions
      .listen({ taskIds: [taskId] }, { signal: stop.signal })
      .catch(() => undefined);
  return {
    async next(pollMs = usualPollMs) {
      listening ??= listen();
      const timer = startTimer(() => news.resolve(undefined), Math.max(pollMs, leastPollMs));
      await news.promise;
      clearTimeout(timer);
      const told = latest;
      latest = undefined;
      news = createDeferred();
      return told;
    },
    end() {
      unwatch();
      stop.abort();
      // Nobody waits for its timer any more.
      news.resolve(undefined);
      void listening?.then((subscription) => subscription?.close());
    },
  };
}

interface Reported {
  readonly task: DetailedTask;
  readonly options: CallOptions;
  readonly limit: Limit;
  readonly ended: AbortSignal;
}

async function reportAll(caller: Caller, reported: Reported): Promise<void> {
  const { task, options, limit, ended } = reported;
  const report = reporter(options);
  while (!ended.aborted) {
    const current = await getTask(caller, task.taskId, limitsOf(options, limit));
    report(current);
    if (isOver(current)) return;
    const pollMs = Math.max(current.pollIntervalMs ?? usualPollMs, leastPollMs);
    await new Promise((resolve) => {
      const timer = startTimer(() => resolve(undefined), pollMs);
      const stop = (): void => {
        clearTimeout(timer);
        resolve(undefined);
      };
      ended.addEventListener('abort', stop, { once: true });
    });
  }
}

/** A sign of life is given so often, whether or not there is anything new to say. */
const signEveryMs = 10_000;

/** Tells how a task is as the progress of its call: what is new, and every now and then that it is still there. */
function reporter({ onProgress }: CallOptions): (task: DetailedTask) => void {
  let progress = 0;
  let last: string | undefined;
  let saidMs = performance.now();
  return ({ statusMessage: message }) => {
    const nowMs = performance.now();
    if (message === last && nowMs - saidMs < signEveryMs) return;
    last = message;
    saidMs = nowMs;
    progress += 1;
    onProgress?.(message === undefined ? { progress } : { progress, message });
  };
}

function limitsOf({ timeoutMs }: CallOptions, { signal, leftMs }: Limit): CallOptions {
  return { timeoutMs, signal, maxTotalMs: Math.max(1, leftMs) };
}

/** What a task has come to, as if its call had been waited for. */
export function resultOf({ status, result, error, statusMessage }: DetailedTask): unknown {
  if (status === 'completed' && isRecord(result)) return result;
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data);
  const why = statusMessage === undefined ? '' : `: ${statusMessage}`;
  if (status === 'cancelled') throw new KitError('aborted', `the task was cancelled${why}`);
  throw new KitError('invalid_answer', `a task that has ${status} without a result${why}`);
}
