import { createDeferred } from '#base';
import { isRecord, RpcError, rpcErrors } from '#jsonrpc';
import {
  conversationOf,
  isOver,
  relatedTaskKey,
  takesTasks,
  toLegacyTask,
  type DetailedTask,
  type InputRequest,
} from '#protocol';
import { Context, type Handler } from '#server';
import type { Tasks } from './tasks.ts';

type Methods = Readonly<Record<string, Handler>>;

/** What modern clients ask of their tasks. */
export function taskMethods(tasks: () => Promise<Tasks>): Methods {
  const known =
    (work: (all: Tasks, ...asked: Parameters<Handler>) => Promise<object | void>): Handler =>
    async (params, context) => {
      context.requireClient(takesTasks);
      return (await work(await tasks(), params, context)) ?? {};
    };
  return {
    'tasks/get': known((all, { taskId }, context) => all.get(taskId, context)),
    'tasks/update': known((all, { taskId, inputResponses }, context) =>
      all.update(taskId, inputResponses, context),
    ),
    'tasks/cancel': known(async (all, { taskId }, context) => {
      await all.cancel(taskId, context);
    }),
  };
}

/** The same for clients of 2025-11-25, which have other words for it. */
export function legacyTaskMethods(tasks: () => Promise<Tasks>, own: OwnTasks): Methods {
  return {
    'tasks/get': async ({ taskId }, context) =>
      toLegacyTask(await (await tasks()).get(taskId, context)),
    'tasks/cancel': async ({ taskId }, context) =>
      toLegacyTask(await (await tasks()).end(taskId, context)),
    'tasks/result': async ({ taskId }, context) => resultOf(await tasks(), taskId, context),
    'tasks/list': async (_params, context) => {
      const all = await tasks();
      const found = own
        .of(context)
        .map((taskId) => all.get(taskId, context).catch(() => undefined));
      const listed = (await Promise.all(found)).filter((task) => task !== undefined);
      return { tasks: listed.map(toLegacyTask) };
    },
  };
}

/** Tasks by the session that they were begun in: nobody is told of those of others. */
export interface OwnTasks {
  add(context: Context, started: unknown): void;
  of(context: Context): readonly string[];
}

export function createOwnTasks(): OwnTasks {
  const bySession = new WeakMap<object, string[]>();
  const of = (context: Context): string[] => {
    const conversation = conversationOf(Context.exchangeOf(context));
    return (conversation && bySession.get(conversation)) ?? [];
  };
  return {
    of,
    add(context, started) {
      const conversation = conversationOf(Context.exchangeOf(context));
      const task = isRecord(started) ? started['task'] : undefined;
      if (conversation === undefined || !isRecord(task)) return;
      bySession.set(conversation, [...of(context), String(task['taskId'])].slice(-maxListed));
    },
  };
}

const maxListed = 1000;

/** Waits for what a task comes to; what it asks meanwhile is asked of the client that waits. */
async function resultOf(tasks: Tasks, taskId: unknown, context: Context): Promise<object> {
  let task = await tasks.get(taskId, context);
  const { signal } = context;
  let news = createDeferred<void>();
  const unwatch = await tasks.watch(task.taskId, context, (now) => {
    task = now;
    news.resolve();
  });
  const leave = (): void => news.resolve();
  signal.addEventListener('abort', leave, { once: true });
  try {
    while (!isOver(task)) {
      signal.throwIfAborted();
      const { taskId: id, inputRequests = {} } = task;
      const asked = Object.entries(inputRequests);
      if (asked.length > 0) {
        const requests = Object.fromEntries(
          asked.map(([key, request]) => [key, related(request as InputRequest, id)]),
        );
        await tasks.update(id, await context.ask(requests), context);
        task = await tasks.get(id, context);
        continue;
      }
      await news.promise;
      news = createDeferred();
    }
    return concluded(task);
  } finally {
    signal.removeEventListener('abort', leave);
    unwatch?.();
  }
}

/** A question that names the task it is asked for. */
function related({ method, params }: InputRequest, taskId: string): InputRequest {
  const meta = isRecord(params['_meta']) ? params['_meta'] : undefined;
  const _meta = { ...meta, [relatedTaskKey]: { taskId } };
  return { method, params: { ...params, _meta }, needs: {} };
}

function concluded({ taskId, status, result, error }: DetailedTask): object {
  if (result !== undefined) {
    return { ...result, _meta: { ...result._meta, [relatedTaskKey]: { taskId } } };
  }
  if (error !== undefined) throw new RpcError(error.code, error.message, error.data);
  throw new RpcError(rpcErrors.invalidRequest, `The task is ${status}`);
}
