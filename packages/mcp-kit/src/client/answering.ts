import { KitError, longestTimerMs, unref } from '#base';
import { isRecord, RpcError, rpcErrors, type Exchange, type Params } from '#jsonrpc';
import { methodNotFound, type ClientCapabilities } from '#protocol';
import { HandlerQueue, queued } from './handler-queue.ts';
import { answerInput, answersInput } from './input-answers.ts';
import type { InputContext, Offer } from './inputs.ts';
import type { SessionOptions } from './options.ts';

/** Questions in one answer. */
const maxQuestions = 64;
/** Between rounds in which the server asks for nothing but another try. */
const pauseMs = 250;

/** What a server asks, in either era. */
type Asked = Pick<Exchange['message'], 'method' | 'params'>;

interface Heartbeat {
  readonly everyMs: number;
  /** Called again and again while an answer is being made, and when it is there; not when there is none. */
  beat(): void;
}

/** Answers what a server asks in return, in either era, with the handlers of the session's owner. */
export class Answering {
  readonly #queue: HandlerQueue | undefined;
  readonly #offer: Offer;

  constructor(options: SessionOptions, capabilities: ClientCapabilities) {
    this.#queue = options.handlers && new HandlerQueue(options.handlers);
    this.#offer = offerOf(options, capabilities, this.#queue);
  }

  /** Handlers that took too long. */
  get timeouts(): number {
    return this.#queue?.timeouts ?? 0;
  }

  /** Answers a request of the older era; one that is cancelled meanwhile has no answer. */
  async serve(exchange: Exchange, { everyMs, beat }: Heartbeat): Promise<unknown> {
    const { message: request, signal } = exchange;
    const timer = unref(setInterval(beat, Math.min(everyMs, longestTimerMs)));
    const stop = (): void => clearInterval(timer);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const result = await this.#answer(request, { signal });
      if (!signal.aborted) beat();
      return result;
    } catch (error) {
      const isLate = error instanceof KitError && error.code === 'timeout';
      throw isLate ? new RpcError(rpcErrors.overloaded, `${request.method}: timed out`) : error;
    } finally {
      stop();
      signal.removeEventListener('abort', stop);
    }
  }

  /** What to send with the next round of a stateless request, whose result asks for input. */
  async respond(
    method: string,
    { inputRequests, requestState }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Params> {
    const requests = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
    if (requests.length === 0 && requestState === undefined) {
      throw new KitError('invalid_answer', `${method}: input is wanted, but not said which`);
    }
    if (requests.length > maxQuestions) {
      const what = `${method}: more than ${maxQuestions} questions at once`;
      throw new KitError('invalid_answer', what);
    }
    if (requests.length === 0) {
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(pauseMs, undefined, { signal });
    }
    const answers = await Promise.all(
      requests.map(async ([key, request]) => {
        if (!isRecord(request) || typeof request['method'] !== 'string') {
          const what = `${method}: the input request ${key} is not readable`;
          throw new KitError('invalid_answer', what);
        }
        const { method: wanted, params } = request;
        const asked = { method: wanted, ...(isRecord(params) && { params }) };
        try {
          return [key, await this.#answer(asked, { signal })] as const;
        } catch (error) {
          throw error instanceof RpcError ? notOffered(method, wanted, error) : error;
        }
      }),
    );
    return {
      ...(requests.length > 0 && { inputResponses: Object.fromEntries(answers) }),
      ...(requestState !== undefined && { requestState }),
    };
  }

  async #answer(request: Asked, context: InputContext): Promise<unknown> {
    const { method, params } = request;
    if (answersInput(this.#offer, method)) return answerInput(this.#offer, request, context);
    const result = await this.#offer.onRequest?.({ method, ...(params && { params }) }, context);
    if (result === undefined) throw methodNotFound(method);
    return result;
  }
}

function notOffered(method: string, wanted: string, cause: RpcError): KitError {
  const what = `${method}: the server wants ${wanted}, which this client has not offered`;
  return new KitError('invalid_answer', what, { cause });
}

/** Who answers what a server asks. Handlers that need not wait for each other are called as they are. */
function offerOf(
  { inputs = {}, onRequest }: SessionOptions,
  capabilities: ClientCapabilities,
  queue: HandlerQueue | undefined,
): Offer {
  if (queue === undefined) return { handlers: inputs, capabilities, onRequest };
  return {
    handlers: queued(inputs, queue),
    capabilities,
    onRequest:
      onRequest &&
      ((request, context) =>
        queue.run(request.method, context, (turn) => onRequest(request, turn))),
  };
}
