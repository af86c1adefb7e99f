import { crypto, isPromise, KitError, type KitErrorCode } from '#base';
import { isRecord, RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import {
  clientOf,
  conversationOf,
  hasTasks,
  isAnswer,
  methodNotFound,
  supports,
  toLegacyTask,
  type Answers,
  type ClientCapabilities,
  type Conversation,
  type InputRequest,
  type Inputs,
  type Requests,
  type Serve,
} from '#protocol';
import { Context } from './context.ts';
import type { Handler } from './feature.ts';

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

/** People need longer than machines. */
const personMs = 10 * 60_000;

/** Legacy era: each question is a request to the client, all sent at once. */
const directInputs: Inputs = {
  missing: capabilityMissing,
  async ask<T extends Requests>(requests: T, exchange: Exchange) {
    const { capabilities } = clientOf(exchange);
    for (const { needs } of Object.values(requests)) {
      if (!supports(capabilities, needs)) throw capabilityMissing(needs);
    }
    const entries = await Promise.all(
      Object.entries(requests).map(async ([key, request]) => [
        key,
        await askOne(request, exchange),
      ]),
    );
    // Each answer was checked against its request.
    return Object.fromEntries(entries) as Answers<T>;
  },
  once: async (_key, effect) => effect(),
  // Whoever has not asked for a task waits for the answer, however long that takes.
  tasks(exchange) {
    const wanted = exchange.message.params?.['task'];
    if (!isRecord(wanted) || !hasTasks(clientOf(exchange).version)) return undefined;
    const { ttl } = wanted;
    const ttlMs = typeof ttl === 'number' && ttl > 0 ? ttl : undefined;
    return { isWanted: true, ttlMs, started: (task) => ({ task: toLegacyTask(task) }) };
  },
  learnt: () => ({ answers: {}, effects: {} }),
};

/** How the legacy era, which has no code for it, says that the client cannot do what is needed. */
function capabilityMissing(needed: ClientCapabilities): KitError {
  const names = Object.keys(needed).join(', ');
  return new KitError('capability_missing', `This needs a client that supports: ${names}`);
}

async function askOne(request: InputRequest, exchange: Exchange): Promise<unknown> {
  const { method, params } = request;
  // This era wants an id for each visit.
  const sent =
    params['mode'] === 'url' ? { ...params, elicitationId: crypto().randomUUID() } : params;
  const answer = await exchange
    .call(method, sent, { timeoutMs: personMs, maxTotalMs: personMs })
    .catch((error: unknown) => {
      // What the client refuses to us is no answer of ours to it.
      if (!(error instanceof RpcError)) throw error;
      const message = `${method}: the client refused: ${error.message}`;
      throw new KitError('invalid_answer', message, { cause: error });
    });
  if (!isAnswer(request, answer)) {
    throw new KitError('invalid_answer', `${method}: the client's answer is malformed`);
  }
  return answer;
}
