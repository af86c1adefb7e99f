import { KitError, stderrLogger, type Logger } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import { invalidParams } from '#protocol';
import { warmValidator } from '#schema';
import { listMethod, type Changes, type Context, type Feature } from '#server';
import type { Call } from './call.ts';
import { plainContract, type Registry } from './contract.ts';
import type { Tool } from './define-tool.ts';
import { createEntry, type Entry } from './entry.ts';
import { envelopeContract } from './envelope.ts';

export interface ToolSetOptions {
  readonly pageSize?: number;
  /** `envelope`: every call answers `{ success, data, error, meta }` and can be traced. */
  readonly contract?: 'plain' | 'envelope';
  /** The version that envelopes name. */
  readonly version?: string;
  /** Where bugs of tools are reported. */
  readonly logger?: Logger;
}

/** Tools as a server feature; adding and removing tells the clients. */
export interface ToolSet extends Feature {
  add(tool: Tool): void;
  remove(name: string): boolean;
}

export function toolSet(tools: readonly Tool[], options: ToolSetOptions = {}): ToolSet {
  const { pageSize = 1000, version = '1.0.0', logger = stderrLogger() } = options;
  const registry = new Map<string, Entry>();
  const contract =
    options.contract === 'envelope' ? envelopeContract(registry, version) : plainContract;
  const list = listMethod({
    member: 'tools',
    items: () => [...registry.values()],
    show: (entry, era) => contract.listed(entry, era),
    pageSize,
  });
  let changes: Changes | undefined;
  const changed = (): void => {
    list.forget();
    changes?.listChanged('tools');
  };
  const set: ToolSet = {
    capabilities: { tools: { listChanged: true } },
    methods: {
      'tools/list': list.handle,
      'tools/call': (params, context) => contract.call(readCall(registry, params, context), logger),
    },
    legacyMethods: contract.legacyMethods,
    attach: (to) => {
      changes = to;
    },
    warm: warmValidator,
    mirroredHeaders: (name) => registry.get(name)?.headers,
    add(tool) {
      if (registry.has(tool.name)) {
        throw new KitError('invalid_argument', `tool ${tool.name} is defined twice`);
      }
      registry.set(tool.name, createEntry(tool));
      changed();
    },
    remove(name) {
      const removed = registry.delete(name);
      if (removed) changed();
      return removed;
    },
  };
  for (const tool of [...tools, ...contract.tools]) set.add(tool);
  return set;
}

function readCall(registry: Registry, params: Params, context: Context): Call {
  const { name } = params;
  const entry = typeof name === 'string' ? registry.get(name) : undefined;
  if (entry === undefined) throw invalidParams(`Unknown tool: ${String(name)}`);
  const args = params['arguments'] ?? {};
  if (!isRecord(args)) throw invalidParams('arguments must be an object');
  return { entry, args, context };
}
