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

/** How a set of tools is listed and answers. */
export interface ToolSetOptions {
  readonly pageSize?: number | undefined;
  /**
   * `envelope`: every call answers `{ success, data, error, meta }` and can be traced.
   * `governed(…)` of `mcp-kit/tools/governed`: the same, and calls pass its layers; tools may have `plan` and `apply`.
   */
  readonly contract?: 'plain' | 'envelope' | CreateContract | undefined;
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
  const { pageSize = 1000, logger = stderrLogger() } = options;
  const registry = new Map<string, Entry>();
  const contract = createContract(options, logger);
  const { view = () => '', shows = () => true, manifest, traces } = contract;
  const sees = (entry: Entry, context: Context): boolean => shows(entry, view(context));
  const lists: ReturnType<typeof listMethod>[] = [];
  let changes: Changes | undefined;
  const changed = (): void => {
    for (const list of lists) list.forget();
    changes?.listChanged('tools');
  };
  const find = (name: unknown, context: Context): Entry | undefined => {
    const entry = typeof name === 'string' ? registry.get(name) : undefined;
    return entry !== undefined && sees(entry, context) ? entry : undefined;
  };
  const whyNot = ({ name }: Params): string => {
    const entry = typeof name === 'string' ? registry.get(name) : undefined;
    const reason = entry && contract.hides?.(entry);
    return reason === undefined ? '' : `; ${reason}`;
  };
  const methodsOf = (seen: Pick<Contract, 'listed' | 'call'>): Record<string, Handler> => {
    const items = (to: string): readonly Entry[] =>
      [...registry.values()].filter((entry) => shows(entry, to));
    const show = (entry: Entry): object => seen.listed(entry);
    const list = listMethod({ member: 'tools', items, view, show, pageSize });
    lists.push(list);
    return {
      'tools/list': list.handle,
      'tools/call': (params, context) =>
        seen.call(
          readCall(find(params['name'], context) ?? whyNot(params), params, context),
          logger,
        ),
    };
  };
  const join = (tool: Tool): void => {
    if (registry.has(tool.name)) {
      throw new KitError('invalid_argument', `tool ${tool.name} is defined twice`);
    }
    const entry = createEntry(tool);
    contract.admit?.(entry);
    registry.set(tool.name, entry);
  };
  const told = traces && diagnostics({ registry, traces, manifest, sees });
  for (const tool of tools.concat(told?.tools ?? [])) join(tool);
  contract.review?.(registry.values());
  const legacy = contract.legacy && methodsOf(contract.legacy);
  return {
    capabilities: { tools: { listChanged: true } },
    methods: methodsOf(contract),
    observe: contract.refuse && refusing(contract.refuse),
    legacyMethods: { ...legacy, ...told?.methods },
    attach: (to) => {
      changes = to;
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
