import { isRecord, KitError } from 'mcp-kit/internal';
import type { Params } from 'mcp-kit/jsonrpc';
import type { CallToolResult, Tool } from 'mcp-kit/protocol';
import type { Globals } from '../../globals.ts';
import { describeFailure, warn } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';

/** How long somebody is tried. */
export interface RetryOptions {
  /** How often at most after the first time. */
  readonly retries: number;
  readonly globals: Globals;
  readonly stop: AbortSignal;
}

/** A call that may be made more than once. */
export interface RepeatedCall extends RetryOptions {
  readonly tool: Tool;
  readonly args: Params;
  /** Whether the server is a process of ours, with which all ends that it has in memory. */
  readonly isOurProcess: boolean;
}

const looking: Tool = {
  name: 'tools/list',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

/** Looks something up until the server is there to answer. */
export async function lookUpRepeatedly<T>(
  lookUp: () => Promise<T>,
  retrying: RetryOptions,
): Promise<T | undefined> {
  let found: T | undefined;
  const look = async (): Promise<CallToolResult> => {
    found = await lookUp();
    return { content: [] };
  };
  await callRepeatedly(look, { ...retrying, tool: looking, args: {}, isOurProcess: false });
  return found;
}

/** Calls a tool again where that is safe and may help, and says on standard error what is done. */
export async function callRepeatedly(
  callOnce: (args: Params) => Promise<CallToolResult>,
  repeated: RepeatedCall,
): Promise<CallToolResult> {
  const { tool, args, retries, isOurProcess, globals, stop } = repeated;
  const { callWithRetries, isSafeToRepeat } = await import('mcp-kit/tools/inspect');
  const isSafeWithoutKey = isSafeToRepeat(tool, { ...args, idempotencyKey: undefined });
  const say = (text: string): void => warn(globals, plainField(text));
  let calls = 0;
  let reason = '';
  const call = async (sent: Params): Promise<CallToolResult> => {
    calls += 1;
    const { idempotencyKey: key } = sent;
    if (calls > 1) say(`trying again (${calls - 1} of ${retries}): ${reason}`);
    else if (typeof key === 'string') say(`all tries are one call: idempotencyKey=${key}`);
    else if (!isSafeWithoutKey) {
      say(
        `warning: ${tool.name} takes no idempotencyKey, and does not say that it may be repeated: once it may have run, it is not called again`,
      );
    }
    try {
      const result = await callOnce(sent);
      reason = failureOf(result);
      return result;
    } catch (error) {
      reason = describeFailure(error).message;
      const isForgotten = isOurProcess && !isSafeWithoutKey && typeof key === 'string';
      throw isForgotten && hasEnded(error) ? forgotten(error, key) : error;
    }
  };
  const { result } = await callWithRetries({
    tool,
    args,
    call,
    attempts: retries + 1,
    signal: stop,
  });
  return result;
}

function failureOf({ isError, structuredContent }: CallToolResult): string {
  if (isError !== true || !isRecord(structuredContent)) return '';
  const { error } = structuredContent;
  return isRecord(error) ? `${String(error['code'])}: ${String(error['message'])}` : '';
}

function hasEnded(error: unknown): error is KitError {
  return error instanceof KitError && error.code === 'closed';
}

/** The next process may know nothing of the key, and do it a second time. */
function forgotten(cause: KitError, key: string): KitError {
  const message = `${cause.message}; it may have forgotten the key, so it is not called again`;
  return new KitError('process_failed', message, {
    cause,
    hint: `Look whether it was done. If the server keeps its keys elsewhere, repeat the call with idempotencyKey=${key}`,
  });
}
