import { KitError, type MaybePromise } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import type { Tool } from '#protocol';
import { waitWithin } from './limit.ts';
import type { CallOptions } from './options.ts';

/** Decides which tools of a server may be seen and called. */
export interface ToolGuard {
  /** Those of a page of tools that may be seen. */
  list(tools: readonly Tool[]): MaybePromise<readonly Tool[]>;
  /** Throws when a tool may not be called. */
  call(tool: string, options: CallOptions): MaybePromise<void>;
  /** Told when the tools have changed, or may have, by those who hear of it. */
  forget?(): void;
}

interface Asked {
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: CallOptions;
}

/** Whether guards have a say. */
export function concernsTools(method: string): boolean {
  return method === 'tools/call' || method === 'tools/list';
}

/** Asks past guards, who are asked first about a call, and afterwards about a list. */
export async function askPast(
  guards: readonly ToolGuard[],
  asked: Asked,
  ask: (options: CallOptions) => Promise<unknown>,
): Promise<unknown> {
  const { method, options } = asked;
  const { signal, maxTotalMs = Infinity } = options;
  const began = performance.now();
  const limit = { subject: method, signal, timeoutMs: maxTotalMs };
  await waitWithin(limit, () => checkCall(guards, asked));
  const left =
    maxTotalMs === Infinity
      ? options
      : { ...options, maxTotalMs: maxTotalMs - (performance.now() - began) };
  const result = await ask(left);
  if (method !== 'tools/list' || !isRecord(result) || !Array.isArray(result['tools'])) {
    return result;
  }
  let tools: readonly Tool[] = result['tools'].filter(isTool);
  for (const guard of guards) tools = await guard.list(tools);
  return { ...result, tools };
}

/** Throws when what is about to be sent calls a tool that may not be called. */
export async function checkCall(
  guards: readonly ToolGuard[],
  { method, params, options }: Asked,
): Promise<void> {
  if (method !== 'tools/call') return;
  const name = params?.['name'];
  if (typeof name !== 'string') {
    throw new KitError('invalid_argument', 'tools/call: the name of the tool is not a text');
  }
  for (const guard of guards) await guard.call(name, options);
}

function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string';
}
