import { isPromise, type MaybePromise } from '#base';
import { Encoded, isRecord, RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import {
  bindingOf,
  cacheable,
  clientOf,
  invalidParams,
  isAnswer,
  markWithin,
  mayAskInput,
  mcpErrors,
  metaKeys,
  methodNotFound,
  missingClientCapability,
  supports,
  takesTasks,
  type Answers,
  type ClientCapabilities,
  type Implementation,
  type InputRequest,
  type Inputs,
  type Layer,
  type Learnt,
  type Requests,
  type Sealer,
  type TaskTerms,
} from '#protocol';
import { Context } from './context.ts';
import type { Handler } from './feature.ts';

/** How long clients may keep what they were told. */
export interface Caching {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

interface ModernEdgeOptions {
  readonly methods: ReadonlyMap<string, Handler>;
  /** Stays open for as long as the client wants to hear of changes. */
  readonly listen: (exchange: Exchange) => Promise<object>;
  readonly sealer: Sealer;
  /** Adds what this era requires on every result. */
  readonly dress: (method: string, result: unknown) => unknown;
}

/** Serves modern requests, each from nothing but itself, and passes everything else on. */
export function modernEdge({ methods, listen, sealer, dress }: ModernEdgeOptions): Layer {
  return (next) => (exchange) => {
    const { id, method, params = {} } = exchange.message;
    if (id === undefined || clientOf(exchange).era !== 'modern') return next(exchange);
    if (method === 'subscriptions/listen') {
      return listen(exchange).then((result) => dress(method, result));
    }
    const handler = methods.get(method);
    if (handler === undefined) throw methodNotFound(method);
    exchange.inputs = mayAskInput.has(method) ? resumeRound(sealer, exchange) : noInputs;
    const failed = (error: unknown): unknown => {
      const { inputs } = exchange;
      if (!(error instanceof InputNeeded) || !(inputs instanceof RoundInputs)) {
        throw modernError(error);
      }
      return dress(method, needInput(sealer, exchange, { needed: error, inputs }));
    };
    let outcome: unknown;
    try {
      outcome = handler(params, new Context(exchange));
    } catch (error) {
      return failed(error);
    }
    return isPromise(outcome)
      ? outcome.then((result) => dress(method, result), failed)
      : dress(method, outcome);
  };
}

/** This era has no code of its own for a missing resource; and that a handler misses a method is not about its own. */
function modernError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === rpcErrors.methodNotFound) return markWithin(error);
  return error.code === mcpErrors.resourceNotFound
    ? new RpcError(rpcErrors.invalidParams, error.message, error.data)
    : error;
}

/** Adds to neutral results what the modern era requires on every result. */
export function modernResults(
  serverInfo: Implementation,
  caching: Caching,
): (method: string, result: unknown) => object {
  const complete = { resultType: 'complete' };
  const kept = { ...complete, ttlMs: caching.ttlMs, cacheScope: caching.scope };
  const meta = { [metaKeys.serverInfo]: serverInfo };
  // The same for nearly every result, so written once and appended as text.
  const tail = JSON.stringify({ ...complete, _meta: meta }).slice(1);
  const cacheableTail = JSON.stringify({ ...kept, _meta: meta }).slice(1);
  const dressedLists = new WeakMap<Encoded, Encoded>();

  const append = (method: string, json: string): string => {
    const end = cacheable.has(method) ? cacheableTail : tail;
    return json === '{}' ? `{${end}` : `${json.slice(0, -1)},${end}`;
  };

  return (method, result) => {
    if (result instanceof Encoded) {
      // Only what may be kept is asked for again and again.
      if (!cacheable.has(method)) return new Encoded(append(method, result.json), result.value);
      let dressed = dressedLists.get(result);
      if (dressed === undefined) {
        dressed = new Encoded(append(method, result.json), undefined, true);
        dressedLists.set(result, dressed);
      }
      return dressed;
    }
    const fields = isRecord(result) ? result : {};
    const { _meta: own, resultType } = fields;
    if (own === undefined && resultType === undefined && !cacheable.has(method)) {
      return new Encoded(append(method, JSON.stringify(fields)), fields);
    }
    const mayKeep = cacheable.has(method) && resultType !== 'input_required';
    const head = mayKeep ? kept : complete;
    return { ...head, ...fields, _meta: isRecord(own) ? { ...meta, ...own } : meta };
  };
}

/** For methods whose result cannot be a question. */
const noInputs: Inputs = {
  missing: missingClientCapability,
  ask: () => Promise.reject(new RpcError(rpcErrors.internal, 'This method cannot ask for input')),
  once: async (_key, effect) => effect(),
  tasks: () => undefined,
  learnt: () => ({ answers: {}, effects: {} }),
};

/** Thrown by `ask` to end a round: what is still to be answered. */
export class InputNeeded extends Error {
  override readonly name = 'InputNeeded';
  readonly requests: Requests;

  constructor(requests: Requests) {
    super('input needed');
    this.requests = requests;
  }
}

interface RoundState extends Learnt {
  readonly answers: Record<string, unknown>;
  readonly effects: Record<string, { readonly value?: unknown }>;
}

/** The server decides which calls go on as tasks; the client says only that it understands them. */
const modernTerms: TaskTerms = {
  isWanted: false,
  started: (task) => ({ resultType: 'task', ...task }),
};

/** Modern era: answers come with the next try, and what was learnt before travels sealed in `requestState`. */
class RoundInputs implements Inputs {
  readonly #responses: unknown;
  // Made on first use: most calls ask nothing.
  #state: RoundState | undefined;

  constructor(responses: unknown, state?: RoundState) {
    this.#responses = responses;
    this.#state = state;
  }

  missing(needed: ClientCapabilities): Error {
    return missingClientCapability(needed);
  }

  get state(): RoundState {
    this.#state ??= { answers: {}, effects: {} };
    return this.#state;
  }

  async ask<T extends Requests>(requests: T, exchange: Exchange): Promise<Answers<T>> {
    const { answers } = this.state;
    const { capabilities } = clientOf(exchange);
    const responses = isRecord(this.#responses) ? this.#responses : {};
    const missing: Record<string, InputRequest> = {};
    for (const [key, request] of Object.entries(requests)) {
      const { needs } = request;
      if (!supports(capabilities, needs)) throw this.missing(needs);
      if (Object.hasOwn(answers, key)) continue;
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isAnswer(request, response)) answers[key] = response;
      else missing[key] = request;
    }
    if (Object.keys(missing).length > 0) throw new InputNeeded(missing);
    const entries = Object.keys(requests).map((key) => [key, answers[key]]);
    // Each answer was checked against its request.
    return Object.fromEntries(entries) as Answers<T>;
  }

  async once<T>(key: string, effect: () => MaybePromise<T>): Promise<T> {
    const { effects } = this.state;
    if (!Object.hasOwn(effects, key)) effects[key] = { value: await effect() };
    // Only `effect` ever writes this key.
    return effects[key]?.value as T;
  }

  tasks(exchange: Exchange, must: boolean): TaskTerms | undefined {
    if (supports(clientOf(exchange).capabilities, takesTasks)) return modernTerms;
    if (must) throw this.missing(takesTasks);
    return undefined;
  }

  learnt(): Learnt {
    return this.state;
  }
}

/** Picks up a modern request where its previous round left off; a state we did not seal for it is refused. */
function resumeRound(sealer: Sealer, exchange: Exchange): RoundInputs {
  const params = exchange.message.params ?? {};
  const { requestState } = params;
  if (requestState === undefined) return new RoundInputs(params['inputResponses']);
  const opened =
    typeof requestState === 'string' ? sealer.open(requestState, bindingOf(exchange)) : undefined;
  if (opened === undefined) throw invalidParams('requestState is not valid for this request');
  // The seal proves that this is what `needInput` wrote.
  return new RoundInputs(params['inputResponses'], opened as RoundState);
}

/** The modern result that asks for the missing input. */
function needInput(
  sealer: Sealer,
  exchange: Exchange,
  round: { readonly needed: InputNeeded; readonly inputs: RoundInputs },
): object {
  const inputRequests: Record<string, object> = {};
  for (const [key, { method, params }] of Object.entries(round.needed.requests)) {
    inputRequests[key] = { method, params };
  }
  return {
    resultType: 'input_required',
    inputRequests,
    requestState: sealer.seal(round.inputs.state, bindingOf(exchange)),
  };
}
