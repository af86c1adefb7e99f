import { isPromise, type Logger } from '#base';
import { toFailure } from '../call.ts';
import { fail, ToolFailure } from '../failure.ts';
import type { Outcome } from '../contract/result.ts';
import type { CallScope } from './call-scope.ts';
import type { Handle } from './layer.ts';

/** The same, with every failure and every bug as an outcome; what is meant for the protocol is still thrown. */
export function guard(handle: Handle, logger: Logger): Handle {
  return (call) => {
    try {
      const outcome = handle(call);
      return isPromise(outcome)
        ? outcome.catch((error: unknown) => failed(error, call, logger))
        : outcome;
    } catch (error) {
      return failed(error, call, logger);
    }
  };
}

function failed(error: unknown, call: CallScope, logger: Logger): Outcome {
  // Whatever a tool throws when it is told that its time is up, that is the reason.
  const late = call.expired && !(error instanceof ToolFailure);
  return toFailure(late ? fail('E_TIMEOUT', 'The time for the call is up.') : error, call, logger);
}
