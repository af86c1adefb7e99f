import { crypto, KitError, type MaybePromise } from '#base';
import { isRecord, RpcError, rpcErrors, type Exchange, type Params } from '#jsonrpc';
import {
  callerOf,
  clientOf,
  invalidParams,
  isAnswer,
  missingClientCapability,
  supports,
  type ClientCapabilities,
  type InputRequest,
  type Sealer,
} from '#protocol';

/** Questions, by the name under which the handler wants the answer. */
export type Requests = Readonly<Record<string, InputRequest>>;

/** The answers to questions, by the same names. */
export type Answers<T extends Requests> = {
  readonly [K in keyof T]: T[K] extends InputRequest<infer Answer> ? Answer : never;
};

/** How a handler's questions reach the client; the edge of an era chooses it. */
export interface Inputs {
  /** What to throw when the client cannot do what is needed. */
  missing(needed: ClientCapabilities): Error;
  /** Asks the client of a request, if it can be asked that. */
  ask<T extends Requests>(requests: T, exchange: Exchange): Promise<Answers<T>>;
  once<T>(key: string, effect: () => MaybePromise<T>): Promise<T>;
}

/** How questions of a request travel. */
export function inputsOf({ inputs, message }: Exchange): Inputs {
  if (inputs === undefined) throw new TypeError(`${message.method}: nobody can be asked`);
  // Nobody but the edges puts anything there.
  return inputs as Inputs;
}

/** People need longer than machines. */
const personMs = 10 * 60_000;

/** Legacy era: each question is a request to the client, all sent at once. */
export const directInputs: Inputs = {
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

/** For methods whose result cannot be a question. */
export const noInputs: Inputs = {
  missing: missingClientCapability,
  ask: () => Promise.reject(new RpcError(rpcErrors.internal, 'This method cannot ask for input')),
  once: async (_key, effect) => effect(),
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

interface RoundState {
  readonly answers: Record<string, unknown>;
  /** What each effect gave; wrapped, because nothing would not survive JSON. */
  readonly effects: Record<string, { readonly value?: unknown }>;
}

/** Modern era: answers come with the next try, and what was learnt before travels sealed in `requestState`. */
export class RoundInputs implements Inputs {
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
}

/** Picks up a modern request where its previous round left off; a state we did not seal for it is refused. */
export function resumeRound(sealer: Sealer, exchange: Exchange): RoundInputs {
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
export function needInput(
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

/** What a sealed state is valid for: this caller, this method, these parameters. */
function bindingOf(exchange: Exchange): readonly unknown[] {
  const { method, params } = exchange.message;
  const { _meta, inputResponses, requestState, ...rest }: Params = params ?? {};
  return [callerOf(exchange) ?? null, method, rest];
}
