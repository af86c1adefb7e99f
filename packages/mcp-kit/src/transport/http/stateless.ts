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
  resultParts,
  RpcError,
  rpcErrors,
  toErrorObject,
  weightOfCall,
  type Id,
  type Link,
  type Origin,
  type Params,
  type Request,
  type Sent,
} from '#jsonrpc';
import {
  decodeHeaderValue,
  httpStatusOf,
  mcpErrors,
  mirrorMismatch,
  namedBy,
  readEnvelope,
  requireModernVersion,
  traceIdOf,
  type Envelope,
  type Service,
} from '#protocol';
import type { AnswerMode } from './accept.ts';
import type { Gate, Incoming } from './gate.ts';
import { PacedStream, type Heartbeat, type Pace } from './paced-stream.ts';
import { accountedFor, badRequest, noRoomNow, overloaded } from './refusals.ts';
import {
  eventsHeaders,
  jsonHeaders,
  refuse,
  single,
  streamHeaders,
  type Headers,
  type Refusal,
  type Responder,
} from './responder.ts';

export interface StatelessShared {
  readonly service: Service;
  readonly heartbeat: Heartbeat;
  readonly pace: Pace;
  readonly logger: Logger;
  readonly budget: Budget;
  readonly maxInFlight: number;
  readonly gate: Gate;
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
      case 'notification': {
        const refusal = this.#shared.gate.pass(classified.message, post.caller);
        if (refusal === undefined) responder.respond(202, [], '');
        else refuse(responder, refusal);
        break;
      }
      case 'response':
        refuse(responder, badRequest('Clients do not send responses in this revision'));
        break;
      case 'invalid':
        refuse(responder, { ...badRequest(classified.reason), id: classified.id });
        break;
    }
  }

  /** Ends every call under way. */
  close(): void {
    for (const { exchange, answer } of this.#running.values()) {
      exchange.cancel('the server is closing');
      const error = this.#shared.service.refused?.(closing, exchange) ?? closing;
      answer.finish(encodeThrown(exchange.request.id, error), 503);
    }
  }

  /** The envelope of a request that may be served, or why it may not. */
  #admit(request: Request, { headers, caller, bytes }: Post): Envelope | Refusal {
    const { service, maxInFlight, gate, budget } = this.#shared;
    let envelope: Envelope;
    try {
      envelope = checkedEnvelope(service, request, headers);
    } catch (error) {
      return { status: 400, error: toErrorObject(error) };
    }
    const refusal = gate.pass(request, caller);
    if (refusal !== undefined) return refusal;
    if (this.#running.size >= maxInFlight) return overloaded('Overloaded, retry later', 1);
    return budget.admits('calls', weightOfCall(bytes)) ? envelope : noRoomNow;
  }

  #serve(request: Request, post: Post, responder: Responder): void {
    const { service, logger, budget } = this.#shared;
    const { headers, caller, mode } = post;
    const { id, method } = request;
    const envelope = this.#admit(request, post);
    if ('status' in envelope) {
      const refusal = accountedFor(envelope, { request, headers, caller }, service);
      refuse(responder, { ...refusal, id });
      return;
    }
    // A subscription is a stream or nothing, whatever form other answers take.
    const streams = mode === 'json' && method === 'subscriptions/listen';
    const asked = { mode: streams ? 'either' : mode, headers } as const;
    const answer = new StatelessAnswer(responder, asked, this.#shared);
    const exchange = new Exchange(request, new CallerLink(caller.principal, budget), answer);
    exchange.bytes = post.bytes;
    // Not the request itself: one that stays open for hours forgets what it was asked with.
    const failed = (error: unknown): void => {
      if (exchange.cancelled) return;
      if (!(error instanceof RpcError))
        logger.error(`${method} failed`, {
          traceId: traceIdOf(exchange),
          error: describeError(error),
        });
      answer.finish(encodeThrown(id, error), httpStatusOf(error));
    };
    try {
      const outcome = service.serve(exchange, envelope);
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
  readonly #responder: Responder;
  readonly #mode: AnswerMode;
  readonly #shared: StatelessShared;
  #finished = false;
  #stream: PacedStream | undefined;
  readonly #received: Headers;
  /** Called when the stream is over before the answer. */
  onLost: () => void = () => {};

  constructor(
    responder: Responder,
    asked: { readonly mode: AnswerMode; readonly headers: Headers },
    shared: StatelessShared,
  ) {
    this.#responder = responder;
    this.#mode = asked.mode;
    this.#received = asked.headers;
    this.#shared = shared;
  }

  /** A header of the POST. */
  header(name: string): string | undefined {
    return single(this.#received, name);
  }

  emit(text: string): Sent {
    if (this.#finished || this.#mode === 'json') return 'dropped';
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
    const whole = !this.#finished && this.#stream === undefined && this.#mode !== 'sse';
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

  finish(text: string, status: number): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#stream !== undefined) {
      this.#stream.write(event(text));
      this.#stream.end();
    } else if (this.#mode === 'sse' && status === 200) {
      this.#responder.respond(200, eventsHeaders, event(text));
    } else {
      this.#responder.respond(status, jsonHeaders, text);
    }
  }
}

const closing = new RpcError(rpcErrors.overloaded, 'The server is closing');

const event = (text: string): string => `event: message\ndata: ${text}\n\n`;

/** What a handler can send before it answers; this era has no requests to the client. */
class CallerLink implements Link {
  readonly isAlone = true;
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

/** Checks, in this order, the envelope, the headers that repeat it, and those that repeat parameters. */
function checkedEnvelope(service: Service, request: Request, headers: Headers): Envelope {
  const { method, params } = request;
  const envelope = readEnvelope(params);
  if (headers['mcp-protocol-version'] !== envelope.version) throw mismatch('MCP-Protocol-Version');
  requireModernVersion(envelope.version);
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method');
  const member = namedBy.get(method);
  if (member === undefined) return envelope;
  const header = single(headers, 'mcp-name');
  const name = header === undefined ? undefined : decodeHeaderValue(header);
  if (name === undefined || name !== params?.[member]) throw mismatch('Mcp-Name');
  if (method !== 'tools/call') return envelope;
  const bindings = service.mirroredHeaders(name);
  if (bindings.length === 0) return envelope;
  const wrong = mirrorMismatch(bindings, params?.['arguments'], headers);
  if (wrong !== undefined) throw new RpcError(mcpErrors.headerMismatch, wrong);
  return envelope;
}

function mismatch(header: string): RpcError {
  return new RpcError(
    mcpErrors.headerMismatch,
    `The ${header} header is missing or differs from the body`,
  );
}
