import {
  describeError,
  isPromise,
  KitError,
  type KitErrorCode,
  type Logger,
  type MaybePromise,
} from '#base';
import { RpcError } from '#jsonrpc';
import type { Checked } from '#schema';
import { InputNeeded, type Context } from '#server';
import type { Entry } from './entry.ts';
import { fail, ToolFailure, type FailureCode } from './failure.ts';
import { toResult, toTextResult, type Outcome } from './result.ts';

/** One call of one tool. */
export interface Call {
  readonly entry: Entry;
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: Context;
  /** Under which the call is remembered, if it is. */
  readonly traceId?: string;
}

/** The one path of a call: check the arguments, run, check the value. Stays synchronous where the tool is. */
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
    if (!arguments_.ok) return invalidArguments(arguments_);
    // What the input schema let through is what `run` takes.
    const value = entry.tool.run(arguments_.value as never, context);
    return isPromise(value)
      ? value.then((settled) => checkOutput(entry, settled))
      : checkOutput(entry, value);
  };
  return isPromise(checked) ? checked.then(proceed) : proceed(checked);
}

function checkOutput({ output }: Entry, value: unknown): MaybePromise<Outcome> {
  if (output === undefined) return { ok: true, value, shown: toResult(value) };
  const checked = output.check(value);
  return isPromise(checked) ? checked.then(judge) : judge(checked);
}

function judge(checked: Checked): Outcome {
  if (!checked.ok) {
    const [issue] = checked.issues;
    throw new Error(`the value does not match the output schema: ${issue?.message}`);
  }
  const { value = null } = checked;
  return { ok: true, value, shown: toTextResult(value) };
}

function invalidArguments({ issues }: Checked & { ok: false }): Outcome {
  const message = issues.map((issue) => issue.message).join('; ');
  return { ok: false, failure: fail('E_INVALID_ARGUMENT', message, { details: issues }).failure };
}

/** What a question to the client can run into, none of which is a bug of the tool. */
const failureOf: Partial<Record<KitErrorCode, FailureCode>> = {
  capability_missing: 'E_PRECONDITION_FAILED',
  invalid_answer: 'E_PRECONDITION_FAILED',
  timeout: 'E_TIMEOUT',
};

/** Anything that is neither a failure nor meant for the protocol is a bug: logged whole, shown only as a number. */
function toFailure(error: unknown, call: Call, logger: Logger): Outcome {
  if (error instanceof ToolFailure) return { ok: false, failure: error.failure };
  if (error instanceof RpcError || error instanceof InputNeeded) throw error;
  const code = error instanceof KitError ? failureOf[error.code] : undefined;
  if (error instanceof KitError && code !== undefined) {
    return { ok: false, failure: fail(code, error.message).failure };
  }
  const { entry, context, traceId: remembered } = call;
  // A call that nobody waits for may end in any way.
  if (!context.signal.aborted) {
    logger.error(`tool ${entry.tool.name} failed`, {
      traceId: context.traceId,
      ...(remembered !== undefined && { remembered }),
      error: describeError(error),
    });
  }
  const shown = remembered ?? context.traceId;
  return { ok: false, failure: fail('E_INTERNAL', `Internal error, trace ${shown}`).failure };
}
