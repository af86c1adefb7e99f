import { isPromise, KitError, type MaybePromise } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import type { Tool } from '#protocol';
import type { AskOptions } from './edge.ts';
import { waitWithin } from './limit.ts';
import type { CallOptions } from './options.ts';

/** What is sent to a server: a request, or a notification, which has no result. */
interface Sending {
  readonly kind: 'request' | 'notification';
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: AskOptions;
}

/** Sends to a server, and gives what it answers. */
export type Send = (sending: Sending) => Promise<unknown>;

/** The only way to stand between a session and its server. */
export type SendLayer = (next: Send) => Send;

/** Decides which tools of a server may be seen and called. */
export interface ToolGuard {
  /** Those of a page of tools that may be seen. */
  list(tools: readonly Tool[]): MaybePromise<readonly Tool[]>;
  /** Throws when a tool may not be called. */
  call(tool: string, options: CallOptions): MaybePromise<void>;
  /** Told when the tools have changed, or may have, by those who hear of it. */
  forget?(): void;
}

/** Asks a guard about each call before it is sent, and about each list before it is given. */
export function guardTools(guard: ToolGuard): SendLayer {
  return (next) => (sending) => {
    if (sending.method === 'tools/call') return guardCall(guard, sending, next);
    if (sending.method === 'tools/list') return guardList(guard, sending, next);
    return next(sending);
  };
}

/** What the guard takes counts as part of the call. */
async function guardCall(guard: ToolGuard, sending: Sending, next: Send): Promise<unknown> {
  const { method, params, options } = sending;
  const name = params?.['name'];
  if (typeof name !== 'string') {
    throw new KitError('invalid_argument', 'tools/call: the name of the tool is not a text');
  }
  const { signal, maxTotalMs = Infinity } = options;
  const began = performance.now();
  const asked = guard.call(name, options);
  // Most know at once, and waiting for nothing costs more than a small call.
  if (!isPromise(asked)) return next(sending);
  const limit = { subject: `${method} ${name}`, signal, timeoutMs: maxTotalMs };
  await waitWithin(limit, () => asked);
  if (maxTotalMs === Infinity) return next(sending);
  const leftMs = Math.max(1, maxTotalMs - (performance.now() - began));
  return next({ ...sending, options: { ...options, maxTotalMs: leftMs } });
}

async function guardList(guard: ToolGuard, sending: Sending, next: Send): Promise<unknown> {
  const result = await next(sending);
  if (!isRecord(result) || !Array.isArray(result['tools'])) return result;
  return { ...result, tools: await guard.list(result['tools'].filter(isTool)) };
}

/** Without a name a tool cannot be called; whatever else is missing, it can. */
export function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string';
}
