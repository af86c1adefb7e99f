import { isPromise } from '#base';
import { RpcError, rpcErrors, type Exchange, type Refused } from '#jsonrpc';
import {
  markWithin,
  mayAskInput,
  mcpErrors,
  methodNotFound,
  type Envelope,
  type Sealer,
  type ServerCapabilities,
  type Service,
} from '#protocol';
import { Context, type ClientView } from './context.ts';
import type { Handler } from './feature.ts';
import { noInputs } from './inputs.ts';
import { InputNeeded, needInput, resumeRound, RoundInputs } from './rounds.ts';
import type { Subscriptions } from './subscriptions.ts';

interface ModernDispatchOptions {
  readonly methods: ReadonlyMap<string, Handler>;
  readonly refused: Refused | undefined;
  readonly capabilities: ServerCapabilities;
  readonly subscriptions: Subscriptions;
  readonly sealer: Sealer;
  /** Adds what this era requires on every result. */
  readonly dress: (method: string, result: unknown) => unknown;
}

/** Serves requests of the stateless era, each from nothing but itself. */
export function createModernDispatch(options: ModernDispatchOptions): Service['serve'] {
  const { methods, refused, capabilities, subscriptions, sealer, dress } = options;
  const resume = (exchange: Exchange): RoundInputs => {
    try {
      return resumeRound(sealer, exchange);
    } catch (error) {
      throw error instanceof RpcError ? (refused?.(error, exchange) ?? error) : error;
    }
  };
  return (exchange, envelope) => {
    const { method, params = {} } = exchange.request;
    if (method === 'subscriptions/listen') {
      return subscriptions.listen(exchange, capabilities).then((result) => dress(method, result));
    }
    const handler = methods.get(method);
    if (handler === undefined) throw methodNotFound(method);
    const inputs = mayAskInput.has(method) ? resume(exchange) : noInputs;
    const failed = (error: unknown): unknown => {
      if (!(error instanceof InputNeeded) || !(inputs instanceof RoundInputs)) {
        throw modernError(error);
      }
      return dress(method, needInput(sealer, exchange, { needed: error, inputs }));
    };
    let outcome: unknown;
    try {
      outcome = handler(params, new Context(exchange, viewOf(envelope), inputs));
    } catch (error) {
      return failed(error);
    }
    return isPromise(outcome)
      ? outcome.then((result) => dress(method, result), failed)
      : dress(method, outcome);
  };
}

function viewOf({ version, clientInfo, capabilities, logLevel }: Envelope): ClientView {
  return { era: 'modern', version, info: clientInfo, capabilities, logLevel };
}

/** This era has no code of its own for a missing resource; and that a handler misses a method is not about its own. */
function modernError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === rpcErrors.methodNotFound) return markWithin(error);
  return error.code === mcpErrors.resourceNotFound
    ? new RpcError(rpcErrors.invalidParams, error.message, error.data)
    : error;
}
