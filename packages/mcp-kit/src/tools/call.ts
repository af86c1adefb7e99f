import {
  chain,
  describeError,
  isPromise,
  KitError,
  type KitErrorCode,
  type Logger,
  type MaybePromise,
} from '#base';
import { RpcError } from '#jsonrpc';
import type { Checked, Issue } from '#schema';
import { InputNeeded, type Context } from '#server';
import type { Entry } from './entry.ts';
import { fail, ToolFailure, type Failure, type FailureCode } from './failure.ts';
import { toResult, toTextResult, type Outcome } from './contract/result.ts';

/** One call of one tool. */
export interface Call {
  readonly entry: Entry;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: Context;
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
  const checked = entry.input.check(args);
  const proceed = (arguments_: Checked): MaybePromise<Outcome> => {
    if (!arguments_.ok) return invalidArguments(arguments_.issues);
    // What the input schema let through is what `run` takes.
    const value = entry.tool.run(arguments_.value as never, context);
    return isPromise(value)
      ? value.then((settled) => checkOutput(entry, settled))
      : checkOutput(entry, value);
  };
  return isPromise(checked) ? checked.then(proceed) : proceed(checked);
}

/** What a tool returned, as the outcome of the call; a value that does not match its schema is a bug. */
export function checkOutput({ output }: Entry, value: unknown): MaybePromise<Outcome> {
  if (output === undefined) return { ok: true, value, shown: toResult(value) };
  return chain(output.check(value), (checked) => {
    const fitting = checkValue(checked);
    return { ok: true, value: fitting, shown: toTextResult(fitting) };
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
