import { createBackoff, crypto, KitError, withoutUndefined, type KitErrorCode } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import type { CallToolResult, Tool as ListedTool } from '#protocol';

/** A call that may have to be made more than once. */
export interface RetriedCall {
  /** As `tools/list` shows it: it says what is safe. */
  readonly tool: ListedTool;
  readonly args: Params;
  readonly call: (args: Params) => Promise<CallToolResult>;
  /** How often at most; four times. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait before the next attempt. */
  readonly delayMs?: ((attempt: number) => number) | undefined;
}

export interface Retried {
  readonly result: CallToolResult;
  readonly attempts: number;
  /** Under which all attempts were one call; absent where the tool takes none. */
  readonly idempotencyKey?: string | undefined;
}

/** Nothing was sent: any call may be made again. */
const unsent: ReadonlySet<KitErrorCode> = new Set<KitErrorCode>(['unreachable', 'overloaded']);
/** It may have run: only what is safe to run twice may be made again. */
const uncertain: ReadonlySet<KitErrorCode> = new Set<KitErrorCode>([
  'answer_lost',
  'closed',
  'session_lost',
  'timeout',
]);

/** Whether a call may run twice without doing more than once what it does. */
export function isSafeToRepeat(
  { annotations = {}, _meta = {} }: ListedTool,
  args: Params,
): boolean {
  return (
    typeof args['idempotencyKey'] === 'string' ||
    args['dryRun'] === true ||
    annotations.readOnlyHint === true ||
    annotations.idempotentHint === true ||
    _meta['safety'] === 'readonly' ||
    _meta['idempotent'] === true
  );
}

/** Calls a tool until there is an answer worth having, under one key where the tool takes one; repeats only what is safe. */
export async function callWithRetries(retried: RetriedCall): Promise<Retried> {
  const { tool, call, attempts = 4, signal } = retried;
  const args = withKey(tool, retried.args);
  const backoff = createBackoff({ firstMs: 200, maxMs: 5000 });
  const { delayMs = () => backoff.next() } = retried;
  const safe = isSafeToRepeat(tool, args);
  const key = args['idempotencyKey'];
  for (let attempt = 1; ; attempt += 1) {
    const ended = await call(args).then(
      (result) => ({ result, again: safe && isRetryable(result) }),
      (error: unknown) => ({ error, again: mayRepeat(error, safe) }),
    );
    if (!ended.again || attempt >= attempts) {
      if ('error' in ended) throw ended.error;
      const { result } = ended;
      return {
        result,
        attempts: attempt,
        idempotencyKey: typeof key === 'string' ? key : undefined,
      };
    }
    await pause(delayMs(attempt), signal);
  }
}

function withKey({ inputSchema }: ListedTool, args: Params): Params {
  const { properties } = inputSchema;
  const takesKey = isRecord(properties) && 'idempotencyKey' in properties;
  if (!takesKey || args['idempotencyKey'] !== undefined || args['dryRun'] === true) return args;
  return { ...args, idempotencyKey: crypto().randomUUID() };
}

function isRetryable({ isError, structuredContent }: CallToolResult): boolean {
  if (isError !== true || !isRecord(structuredContent)) return false;
  const { error, meta } = structuredContent;
  // What is answered alike under this key would be answered so again.
  if (isRecord(meta) && meta['replayed'] === true) return false;
  return isRecord(error) && error['retryable'] === true;
}

function mayRepeat(error: unknown, safe: boolean): boolean {
  if (!(error instanceof KitError)) return false;
  return unsent.has(error.code) || (safe && uncertain.has(error.code));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Loaded here: most who load this module never wait.
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises');
  return sleep(ms, undefined, withoutUndefined({ signal }));
}
