import {
  describeError,
  isPromise,
  ShortLivedMap,
  type Budget,
  type Logger,
  type MaybePromise,
} from '#base';
import {
  classify,
  encodeError,
  encodeThrown,
  encodeNotification,
  encodeResult,
  Exchange,
  hasRoomFor,
  noRoom,
  refusalOf,
  resultParts,
  RpcError,
  rpcErrors,
  toErrorObject,
  weightOfCall,
  type Id,
  type Link,
  type Notification,
  type Origin,
  type Params,
  type Request,
  type Sent,
} from '#jsonrpc';
import { httpStatusOf, traceIdOf, type Serve } from '#protocol';
import type { AnswerMode } from './accept.ts';
import type { Incoming } from './admit.ts';
import { PacedStream, type Heartbeat, type Pace } from './paced-stream.ts';
import { badRequest, noRoomNow, overloaded } from './refusals.ts';
import {
  asError,
  causeOf,
  eventsHeaders,
  jsonHeaders,
  refuse,
  streamHeaders,
  type HeaderList,
  type Headers,
  type Refusal,
  type Responder,
} from './responder.ts';

export interface StatelessShared {
  readonly serve: Serve;
  readonly heartbeat: Heartbeat;
  readonly pace: Pace;
  readonly logger: Logger;
  readonly budget: Budget;
  readonly maxInFlight: number;
}

interface Running {
  readonly exchange: Exchange;
  readonly answer: StatelessAnswer;
}

interface Post extends Incoming {
  readonly value: unknown;
  /** How many the body had. */
  readonly bytes: number;
  readonly mode: AnswerMode;
}

/** Serves POSTs of the stateless era: each is complete in itself. */
export class Stateless {
  readonly #shared: StatelessShared;
  readonly #running = new ShortLivedMap<number, Running>();
  #begun = 0;

  constructor(shared: StatelessShared) {
    this.#shared = shared;
  }

  /** Calls under way that take a while. */
  get size(): number {
    return this.#running.size;
  }

  post(post: Post, responder: Responder): void {
    const classified = classify(post.value);
    switch (classified.kind) {
      case 'request':
        this.#serve(classified.message, post, responder);
        break;
      case 'notification':
        this.#hear(classified.message, post, responder);
        break;
      case 'response':
        refuse(responder, badRequest('Clients do not send responses in this revision'));
        break;
      case 'invalid':
        refuse(responder, { ...badRequest(classified.reason), id: classified.id });
        break;
    }
  }

  #hear(message: Notification, { caller, headers }: Post, responder: Responder): void {
    const { principal, scopes } = caller;
    const link = new CallerLink(principal, this.#shared.budget);
    try {
      const heard = this.#shared.serve(new Exchange(message, link, { headers, scopes }));
      if (isPromise(heard)) heard.catch(() => {});
      responder.respond(202, [], '');
    } catch (error) {
      refuse(responder, { status: httpStatusOf(error), error: toErrorObject(error) });
    }
  }

  /** Ends every call under way. */
  close(): void {
    for (const { exchange, answer } of this.#running.values()) {
      exchange.cancel('the server is closing');
      exchange.refusal = closing;
      const error = refusalOf(exchange, this.#shared.serve);
      answer.finish(encodeThrown(exchange.message.id, error), 503);
    }
  }

  /** Why a request must not be served, if so. */
  #refusal(bytes: number): Refusal | undefined {
    const { maxInFlight, budget } = this.#shared;
    if (this.#running.size >= maxInFlight) return overloaded('Overloaded, retry later', 1);
    return budget.admits('calls', weightOfCall(bytes)) ? undefined : noRoomNow;
  }

  #serve(request: Request, post: Post, responder: Responder): void {
    const { serve, logger, budget } = this.#shared;
    const { id, method } = request;
    const answer = new StatelessAnswer(responder, post, this.#shared);
    // A subscription is a stream or nothing, whatever form other answers take.
    if (post.mode === 'json' && method === 'subscriptions/listen') answer.mode = 'either';
    const link = new CallerLink(post.caller.principal, budget);
    const exchange = new Exchange(request, link, answer);
    exchange.bytes = post.bytes;
    const refusal = this.#refusal(post.bytes);
    if (refusal !== undefined) exchange.refusal = asError(refusal);
    // Not the request itself: one that stays open for hours forgets what it was asked with.
    const failed = (error: unknown): void => {
      if (exchange.cancelled) return;
      if (!(error instanceof RpcError))
        logger.error(`${method} failed`, {
          traceId: traceIdOf(exchange),
          error: describeError(error),
        });
      answer.fail(id, error);
    };
    try {
      const outcome = serve(exchange);
      if (!isPromise(outcome)) {
        answer.succeed(id, outcome);
        return;
      }
      const running = { exchange, answer };
      const held = budget.hold('calls', exchange.weight);
      const place = (this.#begun += 1);
      this.#running.set(place, running);
      // This era's way to cancel is to hang up.
      answer.onLost = () => exchange.cancel('the client hung up');
      responder.onGone(answer.onLost);
      void outcome
        .then((result) => answer.succeed(id, result))
        .catch(failed)
        .finally(() => {
          held.resize(0);
          this.#running.take(place);
        });
    } catch (error) {
      failed(error);
    }
  }
}

/** The answer to one request: JSON, or a stream as soon as something precedes it. */
class StatelessAnswer {
  readonly headers: Headers;
  readonly scopes: ReadonlySet<string> | undefined;
  mode: AnswerMode;
  readonly #responder: Responder;
  readonly #shared: StatelessShared;
  #finished = false;
  #stream: PacedStream | undefined;
  /** Called when the stream is over before the answer. */
  onLost: () => void = () => {};

  constructor(responder: Responder, { mode, headers, caller }: Post, shared: StatelessShared) {
    this.headers = headers;
    this.scopes = caller.scopes;
    this.mode = mode;
    this.#responder = responder;
    this.#shared = shared;
  }

  emit(text: string): Sent {
    if (this.#finished || this.mode === 'json') return 'dropped';
    if (this.#stream === undefined) {
      this.#stream = new PacedStream(
        this.#responder.openStream(streamHeaders),
        this.#shared.pace,
        this.#shared.budget,
      );
      this.#shared.heartbeat.add(this.#stream);
    }
    if (!this.#stream.open) this.onLost();
    return this.#stream.offer(event(text));
  }

  drained(): Promise<void> {
    return this.#stream?.drained() ?? Promise.resolve();
  }

  /** Ends with a result. */
  succeed(id: Id, result: unknown): void {
    const whole = !this.#finished && this.#stream === undefined && this.mode !== 'sse';
    const parts = whole ? resultParts(id, result) : undefined;
    if (parts === undefined) {
      const text = encodeResult(id, result);
      if (hasRoomFor(text, this.#shared.budget)) this.finish(text, 200);
      else this.finish(encodeError(id, noRoom), 503);
      return;
    }
    this.#finished = true;
    this.#responder.respond(200, jsonHeaders, parts);
  }

  /** Ends with an error, and with what HTTP says beside it. */
  fail(id: Id, error: unknown): void {
    const aside = error instanceof RpcError ? error.http : undefined;
    const status = httpStatusOf(error);
    const isRefusal = aside !== undefined && status !== 200 && this.#stream === undefined;
    if (isRefusal) this.#responder.observer?.refused(causeOf({ status, cause: aside.cause }));
    this.finish(encodeThrown(id, error), status, aside?.headers);
  }

  finish(text: string, status: number, headers: HeaderList = []): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#stream !== undefined) {
      this.#stream.write(event(text));
      this.#stream.end();
    } else if (this.mode === 'sse' && status === 200) {
      this.#responder.respond(200, eventsHeaders, event(text));
    } else {
      this.#responder.respond(status, [...jsonHeaders, ...headers], text);
    }
  }
}

const closing = new RpcError(rpcErrors.overloaded, 'The server is closing');

const event = (text: string): string => `event: message\ndata: ${text}\n\n`;

/** What a handler can send before it answers; this era has no requests to the client. */
class CallerLink implements Link {
  readonly principal: string | undefined;
  readonly budget: Budget;

  constructor(principal: string | undefined, budget: Budget) {
    this.principal = principal;
    this.budget = budget;
  }

  notify(method: string, params?: Params, origin?: Origin): MaybePromise<void> {
    if (!isAnswer(origin)) return;
    if (origin.emit(encodeNotification(method, params)) !== 'sent') return origin.drained();
  }

  request(): Promise<never> {
    const message = 'This revision has no requests to the client';
    return Promise.reject(new RpcError(rpcErrors.internal, message));
  }
}

function isAnswer(origin: Origin | undefined): origin is StatelessAnswer {
  return origin instanceof StatelessAnswer;
}
