import { isPromise, startTimer } from '#base';
import { fail, type Failure } from '../failure.ts';
import { isWriting } from '../manifest/manifest.ts';
import type { Outcome } from '../contract/contract.ts';
import type { CallScope } from './call-scope.ts';
import type { Handle, Wrap } from './layer.ts';

/** Answers `E_TIMEOUT` when the time is up: the least of what caller, tool and set allow. The tool's signal fires. */
export function timeoutLayer(setMs: number | undefined): Wrap {
  return (next, entry) => {
    const mostMs = Math.min(entry.tool.timeoutMs ?? Infinity, setMs ?? Infinity);
    // Only callers of writing tools have a say.
    if (mostMs === Infinity && !isWriting(entry)) return next;
    return (call) => {
      const ms = Math.min(mostMs, call.control.timeoutMs ?? Infinity);
      return ms === Infinity ? next(call) : within(ms, call, next);
    };
  };
}

function within(ms: number, call: CallScope, next: Handle): ReturnType<Handle> {
  const outcome = next(call);
  // What is done already cannot be late, and a timer costs more than a small call.
  if (!isPromise(outcome)) return outcome;
  return new Promise<Outcome>((resolve, reject) => {
    let late: Outcome | undefined;
    const timer = startTimer(() => {
      // What is being changed comes to its end, and the answer says to which.
      if (call.committed) return;
      late = { ok: false, failure: timedOut(ms, call) };
      call.leftOver = ended;
      call.expire();
      // By then a tool that heeds its signal has ended, and nothing is left over.
      setImmediate(resolve, late);
    }, ms);
    const ended = outcome
      .then(
        (settled) => resolve(late ?? settled),
        (error: unknown) => (late === undefined ? reject(error) : resolve(late)),
      )
      .finally(() => clearTimeout(timer));
  });
}

function timedOut(ms: number, { plan, entry, control }: CallScope): Failure {
  const { tool } = entry;
  const isPlanning = tool.plan !== undefined && plan === undefined;
  const untouched = !isWriting(entry) || isPlanning || tool.commits === true;
  const suggestion = untouched
    ? 'Nothing was changed. Try again, and allow more time.'
    : control.idempotencyKey === undefined
      ? 'It may have been done, or still be going on. Look before you try again.'
      : 'It may still be going on. Try again with the same idempotencyKey: it is not done twice.';
  return fail('E_TIMEOUT', `Not done within ${ms} ms.`, { suggestion, details: { timeoutMs: ms } })
    .failure;
}
