import type { Logger, MaybePromise } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import { legacyTaskCapability, tasksExtension } from '#protocol';
import { Context, type Feature } from '#server';
import type { Call } from '../call.ts';
import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../entry.ts';
import { traitsOf } from '../manifest/manifest.ts';
import { createOwnTasks, legacyTaskMethods, taskMethods } from './task-methods.ts';
import type { TaskOptions } from './task-options.ts';
import type { Form } from './task-record.ts';
import { inputsOf } from './task-inputs.ts';
import type { Tasks } from './tasks.ts';

/** The set whose calls may go on as tasks. */
interface CallSet {
  readonly options: TaskOptions;
  readonly contract: Contract;
  readonly forms: Forms;
  readonly registry: ReadonlyMap<string, Entry>;
  readonly logger: Logger;
}

/** How tools are listed and calls answered, by whose words. */
export type Forms = Readonly<Record<Form, Pick<Contract, 'listed' | 'call'>>>;

/** What a set has to do with tasks. */
export interface TaskCalls extends Pick<
  Feature,
  | 'attach'
  | 'capabilities'
  | 'legacyCapabilities'
  | 'methods'
  | 'legacyMethods'
  | 'watchTask'
  | 'close'
> {
  /** Answers a call of a tool that says of tasks what it is to be. */
  call(call: Call, form: Form): MaybePromise<unknown>;
}

/** Has calls of a set go on as tasks. What that takes is loaded with the first of them. */
export function createTaskCalls(set: CallSet): TaskCalls {
  const { options, contract, forms, logger } = set;
  const own = createOwnTasks();
  let loading: Promise<Tasks> | undefined;
  let isClosed = false;
  const again = (params: Params, form: Form) => {
    const entry = set.registry.get(String(params['name']));
    const args = params['arguments'];
    if (entry === undefined || !mayDefer(entry) || !isRecord(args)) return undefined;
    return (context: Context) => forms[form].call({ entry, args, context }, logger);
  };
  const lastingArguments = (call: Call, taskId: string): Call['args'] | undefined => {
    const { store } = options;
    if (store === undefined) return undefined;
    if (traitsOf(call.entry.tool).idempotent) return call.args;
    return contract.lasting?.(call, taskId, store);
  };
  const load = async (): Promise<Tasks> => {
    const { Tasks: AllTasks } = await import('./tasks.ts');
    const tasks = new AllTasks(options, { again, logger });
    if (isClosed) tasks.close();
    return tasks;
  };
  const tasks = (): Promise<Tasks> => (loading ??= load());
  return {
    capabilities: { extensions: { [tasksExtension]: {} } },
    legacyCapabilities: { tasks: legacyTaskCapability },
    methods: taskMethods(tasks),
    legacyMethods: legacyTaskMethods(tasks, own),
    watchTask: async (taskId, context, changed) => (await tasks()).watch(taskId, context, changed),
    attach() {
      // An earlier process may have left something behind.
      if (options.store !== undefined) void tasks();
    },
    close() {
      isClosed = true;
      void loading?.then((all) => all.close());
    },
    call(call, form) {
      const { entry, args, context } = call;
      const exchange = Context.exchangeOf(context);
      const must = entry.tool.task === 'always';
      const terms = mayDefer(entry) ? inputsOf(exchange).tasks(exchange, must) : undefined;
      if (terms === undefined) return forms[form].call(call, logger);
      const named = (taskId: string) => {
        const lasting = lastingArguments(call, taskId);
        const given = lasting ?? args;
        const { name, _meta } = exchange.message.params ?? {};
        return {
          params: { name, arguments: given, _meta },
          isRepeatable: lasting !== undefined,
          run: (within: Context) =>
            forms[form].call({ entry, args: given, context: within }, logger),
        };
      };
      return tasks()
        .then((all) => all.answer({ exchange, terms, must, form, named }))
        .then((result) => {
          own.add(context, result);
          return result;
        });
    },
  };
}

/** Whether calls of a tool may go on as tasks. */
export function mayDefer({ tool: { task = 'never' } }: Entry): boolean {
  return task !== 'never';
}
