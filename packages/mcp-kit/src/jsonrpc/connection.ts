import { createDeferred, isPromise, KitError, type Hold, type MaybePromise } from '#base';
import { ask, tell } from './ask.ts';
import type { Channel, MessageOptions, Sink } from './channel.ts';
import { invalidRequest, noRoomError, RpcError, rpcErrors } from './error.ts';
import {
  Batch,
  Exchange,
  maxBatch,
  refusalOf,
  routeOf,
  type Link,
  type Origin,
  type RequestOptions,
} from './exchange.ts';
import type { ConnectionOptions, Handlers } from './handlers.ts';
import { closing, InFlight, type Key } from './in-flight.ts';
import {
  classify,
  encodeError,
  encodeResult,
  encodeThrown,
  idAtEnd,
  idOfResponse,
  requestIn,
  resultParts,
  toNotification,
  type Classified,
  type ErrorObject,
  type Id,
  type Notification,
  type Params,
  type Request,
} from './message.ts';

/** What a connection takes while nothing happens on it. */
const connectionBytes = 4 * 1024;

/** What nobody reads is held: an answer that is as long needs room for that as well. */
const largeAnswer = 64 * 1024;

/** Requests and answers in both directions over a channel: matched by id, cancellable, closed in order. */
export class Connection implements Link, Sink {
  readonly #channel: Channel;
  readonly #options: ConnectionOptions;
  readonly #inFlight: InFlight;
  /** Take what arrives. */
  readonly handlers: Handlers;
  /** What is kept for the other side as long as it stays. */
  readonly #kept: Hold | undefined;
  #lastId = 0;
  /** The answer to a message that is being skipped. */
  #refusal: ErrorObject | undefined;
  #closing: Promise<void> | undefined;
  #lingering: NodeJS.Timeout | undefined;

  /** `bind` makes the handlers; it receives the connection to send with. */
  constructor(
    channel: Channel,
    bind: (connection: Connection) => Handlers,
    options: ConnectionOptions = {},
  ) {
    this.#channel = channel;
    this.#options = options;
    this.#inFlight = new InFlight(options.maxInFlight ?? 1024, options.budget);
    this.#kept = options.budget?.hold('sessions', options.manyClients ? 0 : connectionBytes, this);
    this.handlers = bind(this);
    channel.start(this);
  }

  get open(): boolean {
    return this.#inFlight.open;
  }

  /** The process at the other end, where it was started here. */
  get pid(): number | undefined {
    return this.#channel.pid;
  }

  get deaf(): boolean {
    return this.#options.deaf === true;
  }

  get principal(): string | undefined {
    return this.#options.principal;
  }

  get budget(): ConnectionOptions['budget'] {
    return this.#options.budget;
  }

  /** Counts what is kept for the other side as long as it stays, or no longer; false when there is no room for more. */
  keep(bytes: number): boolean {
    if (bytes > 0 && this.budget?.admits('sessions', bytes, this.#kept) === false) return false;
    if (this.#inFlight.open) this.#kept?.resize(this.#kept.bytes + bytes);
    return true;
  }

  letGo(): boolean {
    return this.#inFlight.serving === 0 && this.#channel.letGo();
  }

  /** How much is under way, in both directions. */
  get inFlight(): { readonly serving: number; readonly awaiting: number } {
    return { serving: this.#inFlight.serving, awaiting: this.#inFlight.awaiting };
  }

  /** Whether a request is being served that came from such a place. */
  isServing(from: (origin: Origin | undefined) => boolean): boolean {
    for (const { origin } of this.#inFlight.exchanges()) if (from(routeOf(origin))) return true;
    return false;
  }

  /** Takes any JSON value that arrived. */
  message(value: unknown, origin?: Origin, bytes?: number): void {
    if (Array.isArray(value)) this.#receiveBatch(value, origin, bytes);
    else this.accept(classify(value), origin, bytes);
  }

  malformed(code: number, reason: string, sample?: string): void {
    if (this.handlers.malformed !== undefined) return this.handlers.malformed(reason, sample);
    const refusal = { code, message: reason };
    const named = code === rpcErrors.parse ? undefined : requestIn(sample ?? '');
    if (named === 'later') this.#refusal = refusal;
    else this.#channel.reply(encodeError(named?.id ?? this.#noId, refusal));
  }

  /** A message that was too large to read still ends the wait for it, on either side. */
  skipped(head: string, tail: string): void {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) {
      this.#channel.reply(encodeError(idAtEnd(tail) ?? this.#noId, refusal));
      return;
    }
    const id = idOfResponse(head, tail);
    if (id === undefined) return;
    const hint = 'Raise limits.maxBytes to accept larger messages.';
    this.lost(id, new KitError('invalid_answer', 'the answer is too large to read', { hint }));
  }

  lost(id: Id, error: Error): void {
    this.#inFlight.settle(id)?.reject(error);
  }

  failed(error: Error): void {
    this.handlers.failed?.(error);
  }

  released(id: Id, retryMs: number | undefined): void {
    this.#inFlight.awaited(id)?.released(retryMs);
  }

  /** A client that pipes a few lines in and closes still gets every answer. */
  ended(): void {
    if (this.#inFlight.serving === 0) return void this.close();
    this.#lingering ??= setTimeout(() => void this.close(), this.#options.lingerMs ?? 1000);
  }

  /** Takes a message that has been classified already. */
  accept(classified: Classified, origin?: Origin, bytes?: number): void {
    switch (classified.kind) {
      case 'request':
        return this.#serve(classified.message, origin, bytes);
      case 'notification':
        if (this.#inFlight.open) this.#hear(classified.message, origin);
        return this.#reply(undefined, { origin });
      case 'response':
        this.#inFlight.answer(classified.message);
        return this.#reply(undefined, { origin });
      case 'invalid':
        return this.#reply(this.#refuse(classified), { origin });
    }
  }

  notify(method: string, params?: Params, origin?: Origin): MaybePromise<void> {
    if (!this.#inFlight.open) return;
    const route = routeOf(origin);
    const message = toNotification(method, params);
    const sent = this.#channel.send(JSON.stringify(message), { origin: route, message });
    if (sent !== 'sent') return this.#channel.drained(route);
  }

  /** As `notify`, but never lost unnoticed: waits for room and, where the channel can know, until the peer has taken it. */
  tell(method: string, params?: Params, signal?: AbortSignal): Promise<void> {
    return tell(this.#inFlight, this.#channel, { message: toNotification(method, params), signal });
  }

  /** The id of the next request to the other side. */
  nextId(): Id {
    const { ids, idPrefix } = this.#options;
    const number = ++this.#lastId;
    if (idPrefix !== undefined) return idPrefix + number;
    return ids === 'string' ? String(number) : number;
  }

  request(method: string, params?: Params, options: RequestOptions = {}): Promise<unknown> {
    if (!this.#inFlight.open) {
      return Promise.reject(new KitError('closed', `${method}: the connection is closed`));
    }
    const { timeoutMs = 30_000, maxTotalMs = 10 * 60_000, vocabulary, peer } = this.#options;
    return ask(this.#inFlight, {
      id: options.id ?? this.nextId(),
      method,
      params,
      options,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      maxTotalMs: options.maxTotalMs ?? maxTotalMs,
      vocabulary,
      peer,
      send: (text, sent) => this.#channel.send(text, sent),
      notify: (notice, noticeParams) => void this.notify(notice, noticeParams, options.origin),
    });
  }

  /** Stops serving a request: its handler's signal fires, and it will not be answered. Unknown ones are ignored. */
  cancel(key: Key, reason: unknown): void {
    const exchange = this.#inFlight.withdraw(key);
    if (exchange === undefined) return;
    exchange.cancel(reason);
    this.#reply(undefined, { origin: exchange.origin });
  }

  /** Passes progress to the question it belongs to. */
  progress(id: Id, params: Params): void {
    this.#inFlight.awaited(id)?.touch(params);
  }

  /** The other side is there, and silent for a reason: every wait for an answer begins anew, within its longest. */
  touch(): void {
    this.#inFlight.touch();
  }

  /** Settles everything under way and closes the channel; safe to call again, at any time. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      const { promise, resolve } = createDeferred<void>();
      // Known before anybody hears of the end and may call again.
      this.#closing = promise;
      this.closed();
      resolve(this.#channel.close());
    }
    return this.#closing;
  }

  closed(cause?: Error): void {
    if (!this.#inFlight.open) return;
    clearTimeout(this.#lingering);
    this.#kept?.resize(0);
    this.#settleAll(cause);
    this.handlers.closed(cause);
    this.#options.onClosed?.(cause);
  }

  /** Ends everything under way. Making an error costs more than the rest of closing, so it is made only when somebody gets it. */
  #settleAll(cause: Error | undefined): void {
    const { serving, awaiting } = this.#inFlight.close();
    if (serving.length === 0 && awaiting.length === 0) return;
    const reason = cause === undefined ? '' : `: ${cause.message}`;
    const why = new KitError('closed', `the connection closed${reason}`, { cause });
    for (const exchange of serving) {
      exchange.cancel(why);
      this.#replyRefusal(exchange, closing());
    }
    for (const awaited of awaiting) awaited.reject(why);
  }

  /** Stands for an id that cannot be read. */
  get #noId(): null | undefined {
    const isRequired = this.#options.nullIds ?? this.handlers.requiresErrorId?.() ?? false;
    return isRequired ? null : undefined;
  }

  #serve(request: Request, origin: Origin | undefined, bytes = 0): void {
    const { id } = request;
    const key = (this.#options.manyClients ? origin?.key : undefined) ?? id;
    const exchange = new Exchange(request, this, origin);
    exchange.bytes = bytes;
    if (origin instanceof Batch) origin.first ??= exchange;
    const refusal = this.#inFlight.refuse(key, exchange.weight);
    if (refusal !== undefined) return this.#replyRefusal(exchange, refusal);
    let outcome: unknown;
    try {
      outcome = this.handlers.request(exchange);
    } catch (error) {
      return this.#replyThrown(exchange, error);
    }
    if (!isPromise(outcome)) return this.#answer(exchange, id, outcome);
    this.#inFlight.hold(key, exchange);
    const canLeave = routeOf(origin)?.attended !== undefined;
    const holder = canLeave ? { letGo: () => this.#abandon(key, exchange) } : undefined;
    const held = this.budget?.hold('calls', exchange.weight, holder);
    // The handler may have closed the connection itself.
    if (!this.#inFlight.open) this.cancel(key, 'the connection closed');
    const end = (answer: () => void): void => {
      held?.resize(0);
      if (!this.#inFlight.release(key, exchange)) return;
      answer();
      if (this.#lingering !== undefined) this.ended();
    };
    // The request itself is not held: a call that stays open for hours may have forgotten its parameters.
    outcome.then(
      (result) => end(() => this.#answer(exchange, id, result)),
      (error: unknown) => end(() => this.#replyThrown(exchange, error)),
    );
  }

  /** Cancels a call whose answer nobody waits for. */
  #abandon(key: Key, { origin }: Exchange): boolean {
    if (routeOf(origin)?.attended !== false) return false;
    this.cancel(key, 'nobody waits for it, and there is no room');
    return true;
  }

  #hear(notification: Notification, origin: Origin | undefined): void {
    try {
      this.handlers.notification(notification, origin);
    } catch (error) {
      this.#options.onBug?.(error, notification.method);
    }
  }

  #answer(exchange: Exchange, id: Id, result: unknown): void {
    const { origin } = exchange;
    const parts = origin instanceof Batch ? undefined : resultParts(id, result);
    let text: string;
    try {
      text = encodeResult(id, result);
    } catch (error) {
      // A result that is not JSON is a failure like any other.
      return this.#replyThrown(exchange, error);
    }
    const isSmall = parts !== undefined || text.length < largeAnswer;
    const hasRoom = isSmall || this.budget?.admits('unread', text.length) !== false;
    if (hasRoom) this.#reply(text, { origin, parts });
    else this.#replyThrown(exchange, noRoomError());
  }

  #replyThrown(exchange: Exchange, error: unknown): void {
    const { id, method } = exchange.message;
    if (!(error instanceof RpcError)) this.#options.onBug?.(error, method, exchange);
    this.#reply(encodeThrown(id, error), { origin: exchange.origin, error });
  }

  /** The same for a request that the connection itself refuses. */
  #replyRefusal(exchange: Exchange, refusal: RpcError): void {
    exchange.refusal = refusal;
    const said = refusalOf(exchange, (seen) => this.handlers.refused?.(seen));
    this.#replyThrown(exchange, said);
  }

  /** What to say to something that is no message; nothing where malformed ones are counted and it asked nothing. */
  #refuse({ id, reason, answers }: Classified & { readonly kind: 'invalid' }): string | undefined {
    const refusal = invalidRequest(reason);
    if (this.handlers.malformed === undefined) return encodeError(id ?? this.#noId, refusal);
    this.handlers.malformed(reason, undefined);
    if (id === undefined) return undefined;
    if (answers !== true) return encodeError(id, refusal);
    this.lost(id, new KitError('invalid_answer', `the answer cannot be read: ${reason}`));
    return undefined;
  }

  #receiveBatch(values: readonly unknown[], origin: Origin | undefined, bytes = 0): void {
    if (!this.handlers.acceptsBatch() || values.length === 0 || values.length > maxBatch) {
      const refusal = invalidRequest('batches are not accepted');
      this.#reply(encodeError(this.#noId, refusal), { origin });
      return;
    }
    const batch = new Batch(origin, values.length);
    const share = Math.ceil(bytes / values.length);
    for (const value of values) this.accept(classify(value), batch, share);
  }

  #reply(text: string | undefined, options: MessageOptions): void {
    const { origin } = options;
    if (!(origin instanceof Batch)) this.#channel.reply(text, options);
    else if (origin.add(text)) this.#channel.reply(origin.text, { origin: origin.origin });
  }
}
