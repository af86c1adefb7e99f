import { isPromise, KitError, stderrLogger, type Logger } from '#base';
import { isRecord, RpcError, type Params } from '#jsonrpc';
import { invalidParams, type Layer } from '#protocol';
import { warmValidator } from '#schema';
import { listMethod, type Changes, type Context, type Feature, type Handler } from '#server';
import { plainContract, type Call } from './call.ts';
import type { Contract, CreateContract } from './contract/contract.ts';
import type { Tool } from './tool.ts';
import { diagnostics } from './diagnostics.ts';
import { createEntry, type Entry } from './entry.ts';
import { envelopeContract } from './contract/envelope-contract.ts';
import type { Manifest } from './manifest/manifest.ts';
import { createTaskCalls, mayDefer, type Forms, type TaskCalls } from './tasks/task-calls.ts';
import type { TaskOptions } from './tasks/task-options.ts';
import type { Form } from './tasks/task-record.ts';

/** How a set of tools is listed and answers. */
export interface ToolSetOptions {
  readonly pageSize?: number | undefined;
  /**
   * `envelope`: every call answers `{ success, data, error, meta }` and can be traced.
   * `governed(…)` of `mcp-kit/tools/governed`: the same, and calls pass its layers; tools may have `plan` and `apply`.
   */
  readonly contract?: 'plain' | 'envelope' | CreateContract | undefined;
  /** How calls of tools that say `task` go on as tasks. */
  readonly tasks?: TaskOptions | undefined;
  /** The version that envelopes name. */
  readonly version?: string | undefined;
  /** Where bugs of tools are reported. */
  readonly logger?: Logger | undefined;
}

/** Tools as a server feature; adding and removing tells the clients. */
export interface ToolSet extends Feature {
  add(tool: Tool): void;
  remove(name: string): boolean;
  /** All there is to know about the tools, whoever may see them. */
  manifests(): readonly Manifest[];
}

/** Makes a feature of tools. */
export function toolSet(tools: readonly Tool[], options: ToolSetOptions = {}): ToolSet {
  const { logger = stderrLogger() } = options;
  const contract = createContract(options, logger);
  const { shows = () => true, view = () => '', manifest, traces } = contract;
  const registry = new Map<string, Entry>();
  const join = (tool: Tool): void => {
    if (registry.has(tool.name)) {
      throw new KitError('invalid_argument', `tool ${tool.name} is defined twice`);
    }
    const entry = createEntry(tool);
    contract.admit?.(entry);
    registry.set(tool.name, entry);
  };
  const sees = (entry: Entry, context: Context): boolean => shows(entry, view(context));
  const told = traces && diagnostics({ registry, traces, manifest, sees });
  for (const tool of tools.concat(told?.tools ?? [])) join(tool);
  contract.review?.(registry.values());
  const { current, legacy, tasks, forget } = createMethods({ registry, contract, options, logger });
  let changes: Changes | undefined;
  const changed = (): void => {
    forget();
    changes?.listChanged('tools');
  };
  return {
    ...tasks,
    capabilities: { tools: { listChanged: true }, ...tasks?.capabilities },
    methods: { ...current, ...tasks?.methods },
    observe: contract.refuse && refusing(contract.refuse),
    legacyMethods: { ...legacy, ...tasks?.legacyMethods, ...told?.methods },
    attach(to) {
      changes = to;
      tasks?.attach?.(to);
    },
    warm() {
      warmValidator();
      contract.warm?.();
    },
    mirroredHeaders: (name) => registry.get(name)?.headers,
    add(tool) {
      join(tool);
      contract.review?.(registry.values());
      changed();
    },
    remove(name) {
      const removed = registry.delete(name);
      if (removed) changed();
      return removed;
    },
    manifests: () => [...registry.values()].map(manifest),
  };
}

interface MethodOptions {
  readonly registry: ReadonlyMap<string, Entry>;
  readonly contract: Contract;
  readonly options: ToolSetOptions;
  readonly logger: Logger;
}

type Methods = Readonly<Record<string, Handler>>;

interface SetMethods {
  readonly current: Methods;
  /** What legacy clients are answered otherwise. */
  readonly legacy: Methods | undefined;
  /** What calls that go on as tasks need; nothing where none does. */
  readonly tasks: TaskCalls | undefined;
  /** The list has changed. */
  forget(): void;
}

/** The methods by which the tools of a set are listed and called. */
function createMethods({ registry, contract, options, logger }: MethodOptions): SetMethods {
  const { pageSize = 1000, tasks: taskOptions } = options;
  const { view = () => '', shows = () => true } = contract;
  const forms: Forms = { current: contract, legacy: contract.legacy ?? contract };
  const mayBeTasks = taskOptions !== undefined || [...registry.values()].some(mayDefer);
  const tasks = mayBeTasks
    ? createTaskCalls({ options: taskOptions ?? {}, contract, forms, registry, logger })
    : undefined;
  const lists: ReturnType<typeof listMethod>[] = [];
  const find = (name: unknown, context: Context): Entry | string => {
    const entry = typeof name === 'string' ? registry.get(name) : undefined;
    if (entry !== undefined && shows(entry, view(context))) return entry;
    const reason = entry && contract.hides?.(entry);
    return reason === undefined ? '' : `; ${reason}`;
  };
  const methodsOf = (form: Form, show: (entry: Entry) => object): Methods => {
    const items = (to: string): readonly Entry[] =>
      [...registry.values()].filter((entry) => shows(entry, to));
    const list = listMethod({ member: 'tools', items, view, show, pageSize });
    lists.push(list);
    const { [form]: seen } = forms;
    return {
      'tools/list': list.handle,
      'tools/call': (params, context) => {
        const call = readCall(find(params['name'], context), params, context);
        return tasks === undefined || call.entry.tool.task === undefined
          ? seen.call(call, logger)
          : tasks.call(call, form);
      },
    };
  };
  const isOther = contract.legacy !== undefined || mayBeTasks;
  return {
    current: methodsOf('current', (entry) => contract.listed(entry)),
    legacy: isOther ? methodsOf('legacy', listedForLegacy(forms.legacy)) : undefined,
    tasks,
    forget() {
      for (const list of lists) list.forget();
    },
  };
}

/** Tools as the legacy era lists them: whoever wants one of these as a task may ask for it. */
function listedForLegacy({ listed }: Pick<Contract, 'listed'>): (entry: Entry) => object {
  return (entry) =>
    mayDefer(entry) ? { ...listed(entry), execution: { taskSupport: 'optional' } } : listed(entry);
}

function createContract(options: ToolSetOptions, logger: Logger): Contract {
  const { version = '1.0.0', contract = 'plain' } = options;
  switch (contract) {
    case 'plain':
      return plainContract;
    case 'envelope':
      return envelopeContract(version);
    default:
      return contract({ version, logger });
  }
}

/** Has calls accounted for that end with an error of the protocol, whoever refused them. */
function refusing(refuse: NonNullable<Contract['refuse']>): Layer {
  return (next) => (exchange) => {
    if (exchange.message.method !== 'tools/call') return next(exchange);
    const failed = (error: unknown): never => {
      throw error instanceof RpcError ? refuse(error, exchange) : error;
    };
    try {
      const outcome = next(exchange);
      return isPromise(outcome) ? outcome.catch(failed) : outcome;
    } catch (error) {
      return failed(error);
    }
  };
}

/** One call of a tool. */
function readCall(entry: Entry | string, params: Params, context: Context): Call {
  const { name } = params;
  if (typeof name !== 'string') throw invalidParams('name must be a string: the tool to call');
  if (typeof entry === 'string') throw invalidParams(`Unknown tool: ${name}${entry}`);
  const args = params['arguments'] ?? {};
  if (!isRecord(args)) throw invalidParams('arguments must be an object');
  return { entry, args, context };
}
