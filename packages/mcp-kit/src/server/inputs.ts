import { crypto, KitError, type MaybePromise } from '#base';
import { RpcError, rpcErrors, type Exchange } from '#jsonrpc';
import {
  isAnswer,
  missingClientCapability,
  supports,
  type ClientCapabilities,
  type InputRequest,
} from '#protocol';

/** Questions, by the name under which the handler wants the answer. */
export type Requests = Readonly<Record<string, InputRequest>>;

/** The answers to questions, by the same names. */
export type Answers<T extends Requests> = {
  readonly [K in keyof T]: T[K] extends InputRequest<infer Answer> ? Answer : never;
};

/** How a handler's questions reach the client, in one era. */
export interface Inputs {
  /** What to throw when the client cannot do what is needed. */
  missing(needed: ClientCapabilities): Error;
  /** Asks a client that declared these capabilities. */
  ask<T extends Requests>(
    requests: T,
    exchange: Exchange,
    declared: ClientCapabilities,
  ): Promise<Answers<T>>;
  once<T>(key: string, effect: () => MaybePromise<T>): Promise<T>;
}

/** People need longer than machines. */
const personMs = 10 * 60_000;

/** Legacy era: each question is a request to the client, all sent at once. */
export const directInputs: Inputs = {
  missing: capabilityMissing,
  async ask<T extends Requests>(requests: T, exchange: Exchange, declared: ClientCapabilities) {
    for (const { needs } of Object.values(requests)) {
      if (!supports(declared, needs)) throw capabilityMissing(needs);
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
