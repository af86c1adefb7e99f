import { isPromise, KitError, type KitErrorCode } from '#base';
import { RpcError, rpcErrors } from '#jsonrpc';
import { conversationOf, methodNotFound, type Conversation, type Serve } from '#protocol';
import { Context } from './context.ts';
import type { Handler } from './feature.ts';
import { directInputs } from './inputs.ts';

interface LegacyEdgeOptions {
  readonly methods: ReadonlyMap<string, Handler>;
  /** Told of each client that is ready. */
  readonly join: (conversation: Conversation) => void;
}

/** Serves conversations whose handshake is done. */
export function legacyEdge({ methods, join }: LegacyEdgeOptions): Serve {
  return (exchange) => {
    const { id, method, params = {} } = exchange.message;
    if (id === undefined) {
      const conversation = conversationOf(exchange);
      if (method === 'notifications/initialized' && conversation) join(conversation);
      return undefined;
    }
    const handler = methods.get(method);
    if (handler === undefined) throw methodNotFound(method);
    exchange.inputs = directInputs;
    try {
      const outcome = handler(params, new Context(exchange));
      return isPromise(outcome) ? outcome.catch(refuseUnsupported) : outcome;
    } catch (error) {
      return refuseUnsupported(error);
    }
  };
}

/** What a question to the client can run into, none of which is a bug of ours. */
const clientLimits: ReadonlySet<string> = new Set<KitErrorCode>([
  'capability_missing',
  'invalid_answer',
  'timeout',
]);

function refuseUnsupported(error: unknown): never {
  throw error instanceof KitError && clientLimits.has(error.code)
    ? new RpcError(rpcErrors.invalidRequest, error.message)
    : error;
}
