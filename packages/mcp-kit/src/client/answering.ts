import { createDeferred, KitError, longestTimerMs, unref, type MaybePromise } from '#base';
import { isRecord, RpcError, rpcErrors, type Exchange, type Params } from '#jsonrpc';
import {
  invalidParams,
  isAnswer,
  methodNotFound,
  type ClientCapabilities,
  type InputRequest,
} from '#protocol';
import { waitWithin } from './limit.ts';
import type {
  ElicitForm,
  ElicitVisit,
  HandlerOptions,
  InputContext,
  InputHandlers,
  RequestListener,
  SamplingRequest,
  SessionOptions,
} from './options.ts';

/** Questions in one answer. */
const maxQuestions = 64;
/** Between rounds in which the server asks for nothing but another try. */
const pauseMs = 250;

/** What a server asks, in either era. */
type Asked = Parameters<RequestListener>[0];

/** Answers one question. */
type Handler = (context: InputContext) => MaybePromise<unknown>;

interface Heartbeat {
  readonly everyMs: number;
  /** Called again and again while an answer is being made, and when it is there; not when there is none. */
  beat(): void;
}

/** Answers what a server asks in return, in either era, with the handlers of the session's owner. */
export class Answering {
  readonly #queue: HandlerQueue | undefined;
  readonly #options: SessionOptions;
  /** What the server was told. */
  readonly #capabilities: ClientCapabilities;

  constructor(options: SessionOptions, capabilities: ClientCapabilities) {
    this.#queue = options.handlers && new HandlerQueue(options.handlers);
    this.#options = options;
    this.#capabilities = capabilities;
  }

  /** Handlers that took too long. */
  get timeouts(): number {
    return this.#queue?.timeouts ?? 0;
  }

  /** Answers a request of the legacy era; one that is cancelled meanwhile has no answer. */
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

  /** What to send with the next round of a modern request, whose result asks for input. */
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
        const asked = { method: wanted, params: isRecord(params) ? params : undefined };
        try {
          return [key, await this.#answer(asked, { signal })] as const;
        } catch (error) {
          throw error instanceof RpcError ? notOffered(method, wanted, error) : error;
        }
      }),
    );
    const responses: Record<string, unknown> = {};
    if (requests.length > 0) responses['inputResponses'] = Object.fromEntries(answers);
    if (requestState !== undefined) responses['requestState'] = requestState;
    return responses;
  }

  async #answer(request: Asked, context: InputContext): Promise<unknown> {
    const { method, params } = request;
    const { inputs = {}, onRequest } = this.#options;
    const { roots } = inputs;
    // What is there already waits for no turn.
    const isThere = roots !== undefined && typeof roots !== 'function';
    if (method === 'roots/list' && isThere) return checked(request, { roots });
    const handler = handlerFor(inputs, request, this.#capabilities);
    if (handler !== undefined) return checked(request, await this.#run(method, context, handler));
    const other: Handler | undefined = onRequest && ((turn) => onRequest({ method, params }, turn));
    const answer = other && (await this.#run(method, context, other));
    if (answer === undefined) throw methodNotFound(method);
    return answer;
  }

  #run(method: string, context: InputContext, handler: Handler): MaybePromise<unknown> {
    return this.#queue === undefined ? handler(context) : this.#queue.run(method, context, handler);
  }
}

function notOffered(method: string, wanted: string, cause: RpcError): KitError {
  const what = `${method}: the server wants ${wanted}, which this client has not offered`;
  return new KitError('invalid_answer', what, { cause });
}

/** The handler for such a request, if there is one; throws an `RpcError` for what that cannot answer. */
function handlerFor(
  inputs: InputHandlers,
  { method, params = {} }: Asked,
  capabilities: ClientCapabilities,
): Handler | undefined {
  const { sample, roots } = inputs;
  switch (method) {
    case 'elicitation/create':
      return elicitHandler(inputs, params);
    case 'sampling/createMessage':
      if (sample && usesTools(params) && capabilities.sampling?.['tools'] === undefined) {
        throw invalidParams('The model of this client does not use tools');
      }
      return sample && ((context) => sample.call(inputs, params as SamplingRequest, context));
    case 'roots/list':
      return typeof roots === 'function'
        ? async (context) => ({ roots: await roots(context) })
        : undefined;
    default:
      return undefined;
  }
}

function usesTools(params: Params): boolean {
  return params['tools'] !== undefined || params['toolChoice'] !== undefined;
}

function elicitHandler(inputs: InputHandlers, params: Params): Handler | undefined {
  const { elicit, elicitUrl } = inputs;
  if (elicit === undefined && elicitUrl === undefined) return undefined;
  if (params['mode'] === 'url') {
    if (elicitUrl === undefined) throw invalidParams('This client does not visit pages');
    return (context) => elicitUrl.call(inputs, params as unknown as ElicitVisit, context);
  }
  if (elicit === undefined) throw invalidParams('This client does not fill in forms');
  const form = params as unknown as ElicitForm;
  return async (context) => {
    const answer = await elicit.call(inputs, form, context);
    if (answer.action !== 'accept') return answer;
    return { ...answer, content: { ...defaultsOf(form.requestedSchema), ...answer.content } };
  };
}

function defaultsOf(schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isRecord(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
    ),
  );
}

function checked({ method, params = {} }: Asked, answer: unknown): unknown {
  if (isAnswer({ method, params, needs: {} } as InputRequest, answer)) return answer;
  throw new KitError('invalid_argument', `${method}: the handler's answer does not fit`, {
    hint: 'An accepted form needs every required field, each of its declared type.',
  });
}

/** Calls handlers, so many at a time, the others in order, each for no longer than it may take. */
class HandlerQueue {
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  /** Those whose turn has not come, in order. */
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** How many took too long. */
  timeouts = 0;

  constructor({ concurrency = Infinity, timeoutMs = Infinity }: HandlerOptions = {}) {
    this.#concurrency = Math.max(1, concurrency);
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a handler when its turn has come; one that is no longer wanted, or is late, is left alone and makes room. */
  async run<T>(
    subject: string,
    { signal: unwanted }: InputContext,
    handler: (context: InputContext) => MaybePromise<T>,
  ): Promise<T> {
    await this.#turn(subject, unwanted);
    const limit = { subject, ended: unwanted, timeoutMs: this.#timeoutMs };
    let isLate = false;
    try {
      return await waitWithin(limit, async (signal) => {
        signal.addEventListener('abort', () => (isLate = !unwanted.aborted), { once: true });
        return handler({ signal });
      });
    } finally {
      if (isLate) this.timeouts += 1;
      this.#leave();
    }
  }

  async #turn(subject: string, unwanted: AbortSignal): Promise<void> {
    if (this.#running < this.#concurrency) {
      this.#running += 1;
      return;
    }
    const turn = createDeferred<void>();
    this.#waiting.add(turn.resolve);
    try {
      await waitWithin({ subject, ended: unwanted }, () => turn.promise);
    } catch (error) {
      // Its turn may have come in the same moment.
      if (!this.#waiting.delete(turn.resolve)) this.#leave();
      throw error;
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
