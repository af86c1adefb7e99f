import {
  chain,
  describeError,
  isPromise,
  KitError,
  type KitErrorCode,
  type Logger,
  type MaybePromise,
} from '#base';
import { isRecord, RpcError } from '#jsonrpc';
import {
  legacyOutputSchema,
  legacyStructured,
  type CallToolResult,
  type ContentBlock,
  type JsonSchema,
} from '#protocol';
import type { Checked, Issue } from '#schema';
import { InputNeeded, type Context } from '#server';
import { refusePlans, type Contract, type Outcome } from './contract/contract.ts';
import { listed, type Entry } from './entry.ts';
import { fail, ToolFailure, type Failure, type FailureCode } from './failure.ts';
import { manifestOf } from './manifest/manifest.ts';

/** One call of one tool. */
export interface Call {
  readonly entry: Entry;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/** Tools and results as their authors wrote them. */
export const plainContract: Contract = {
  admit: refusePlans,
  listed,
  call: answering((value) => value),
  legacy: {
    listed: (entry) => ({
      ...listed(entry),
      outputSchema: entry.output && legacyOutputSchema(entry.output.json),
    }),
    call: answering(legacyStructured),
  },
  manifest: (entry) => manifestOf(entry, entry.output?.json ?? {}),
};

/** Makes a result of what a call comes to; `show` says what becomes of a value that a schema describes. */
function answering(show: (value: unknown, schema: JsonSchema) => unknown): Contract['call'] {
  return (call, logger) =>
    chain(runCall(call, logger), (outcome): CallToolResult => {
      if (!outcome.ok) return toFailedResult(outcome.failure);
      const { output } = call.entry;
      const { value, shown } = outcome;
      return output === undefined
        ? shown
        : { ...shown, structuredContent: show(value, output.json) };
    });
}

/** The one path of a plain call: check the arguments, run, check the value. Stays synchronous where the tool is. */
export function runCall(call: Call, logger: Logger): MaybePromise<Outcome> {
  const failed = (error: unknown): Outcome => toFailure(error, call, logger);
  try {
    const outcome = run(call);
    return isPromise(outcome) ? outcome.then(undefined, failed) : outcome;
  } catch (error) {
    return failed(error);
  }
}

function run({ entry, args, context }: Call): MaybePromise<Outcome> {
  return chain(entry.input.check(args), (checked): MaybePromise<Outcome> => {
    if (!checked.ok) return invalidArguments(checked.issues);
    // What the input schema let through is what `run` takes.
    const value = entry.tool.run(checked.value as never, context);
    return chain(value, (settled) => checkOutput(entry, settled));
  });
}

/** What a tool returned, as the outcome of the call; a value that does not match its schema is a bug. */
export function checkOutput(entry: Entry, value: unknown): MaybePromise<Outcome> {
  const { output } = entry;
  if (output === undefined) return { ok: true, value, shown: toResult(value) };
  const returned = value instanceof WithContent ? value : { value, content: undefined };
  return chain(output.check(returned.value), (checked) => {
    const fitting = checkValue(checked);
    const content = returned.content ?? shownValue(entry, fitting);
    return { ok: true, value: fitting, shown: { content } };
  });
}

/** The value that fits, or the bug that it does not. */
export function checkValue(checked: Checked): unknown {
  if (!checked.ok) {
    const [issue] = checked.issues;
    throw new Error(`the value does not match the output schema: ${issue?.message}`);
  }
  return checked.value ?? null;
}

/** The failure that wrong arguments are. */
export function invalidArguments(issues: readonly Issue[]): Outcome {
  const message = issues.map((issue) => issue.message).join('; ');
  return { ok: false, failure: fail('E_INVALID_ARGUMENT', message, { details: issues }).failure };
}

/** What a question to the client can run into, none of which is a bug of the tool. */
const failureOf: Partial<Record<KitErrorCode, FailureCode>> = {
  capability_missing: 'E_PRECONDITION_FAILED',
  invalid_answer: 'E_PRECONDITION_FAILED',
  timeout: 'E_TIMEOUT',
};

/** The failure that something thrown stands for; nothing for a bug, and for what is meant for the protocol. */
export function knownFailure(error: unknown): Failure | undefined {
  if (error instanceof ToolFailure) return error.failure;
  const code = error instanceof KitError ? failureOf[error.code] : undefined;
  return error instanceof KitError && code !== undefined
    ? fail(code, error.message).failure
    : undefined;
}

/** Anything that is neither a failure nor meant for the protocol is a bug: logged whole, shown only as a number. */
export function toFailure(
  error: unknown,
  call: Pick<Call, 'entry' | 'context'>,
  logger: Logger,
): Outcome {
  const failure = knownFailure(error);
  if (failure !== undefined) return { ok: false, failure };
  if (error instanceof RpcError || error instanceof InputNeeded) throw error;
  const { entry, context } = call;
  const { traceId } = context;
  // A call that nobody waits for may end in any way.
  if (!context.signal.aborted) {
    logger.error(`tool ${entry.tool.name} failed`, { traceId, error: describeError(error) });
  }
  return { ok: false, failure: fail('E_INTERNAL', `Internal error, trace ${traceId}`).failure };
}

/** Text as content. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** What a tool without output schema returned, as a result. */
function toResult(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (value === undefined) return { content: [] };
  if (isCallToolResult(value)) return value;
  return { content: [textBlock(JSON.stringify(value) ?? 'null')] };
}

/** A value that a schema describes, together with what is read of it. */
class WithContent {
  readonly value: unknown;
  readonly content: readonly ContentBlock[];

  constructor(value: unknown, content: readonly ContentBlock[]) {
    this.value = value;
    this.content = content;
  }
}

/** What `run` returns where more is to be read than the value says: a picture, or a file. */
export function withContent<Value>(value: Value, content: readonly ContentBlock[]): Value {
  // Taken apart again before anybody sees it.
  return new WithContent(value, content) as Value;
}

/** What is read of a value that its schema describes. */
export function shownValue({ tool }: Entry, value: unknown): readonly ContentBlock[] {
  // What the output schema let through is what `show` takes.
  const shown = tool.show?.(value as never) ?? JSON.stringify(value) ?? 'null';
  return typeof shown === 'string' ? [textBlock(shown)] : shown;
}

/** A failure as a result. */
export function toFailedResult({ code, message, suggestion }: Failure): CallToolResult {
  const said = /[.!?:]$/.test(message) ? message : `${message}.`;
  const text = suggestion === undefined ? `${code}: ${message}` : `${code}: ${said} ${suggestion}`;
  return { content: [textBlock(text)], isError: true };
}

/** Whether a tool returned a whole result. */
export function isCallToolResult(value: unknown): value is CallToolResult {
  return isRecord(value) && Array.isArray(value['content']);
}
