import { createDeferred, ShortLivedMap, type Deferred, type KitError } from '#base';
import {
  isId,
  isRecord,
  type Channel,
  type Id,
  type MessageOptions,
  type Params,
  type Sent,
  type Sink,
} from '#jsonrpc';
import { HttpConnection } from './connection.ts';
import { hungUp, invalidAnswer, notDelivered, sessionLost } from './failures.ts';
import type { Settings } from './options.ts';
import {
  isResponse,
  messageOf,
  PostRequest,
  withHeaders,
  type Message,
  type PostedMessage,
  type RequestOwner,
} from './request.ts';
import { delivered } from './delivery.ts';
import { HttpSession, type SessionOwner } from './session.ts';

/** Answers to the server that are on their way at the same time. */
const maxReplying = 16;

/** A conversation over HTTP: a POST per message, of either era, and in a legacy session a stream for what the server says. */
export class HttpChannel implements Channel {
  readonly #settings: Settings;
  readonly #connection: HttpConnection;
  readonly #streams: HttpConnection;
  readonly #requestOwner: RequestOwner;
  readonly #sessionOwner: SessionOwner;
  #sink: Sink | undefined;
  #session: HttpSession;
  /** Requests without an answer, by id. */
  readonly #awaited = new ShortLivedMap<Id, PostRequest>();
  /** Answers to the server. Not in the queue: what waits there may be waiting for one of them. */
  readonly #replies: PostRequest[] = [];
  readonly #replying = new Set<PostRequest>();
  /** What else uses a connection. */
  readonly #others = new Set<PostRequest>();
  readonly #queue: PostRequest[] = [];
  #isStarting = false;
  #started = 0;
  readonly #backlog = new Backlog();
  /** Ends of sessions that were given up for another one, as long as the server is told. */
  readonly #ends = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  constructor(url: URL, streamUrl: URL | undefined, settings: Settings) {
    const { limits } = settings;
    this.#settings = settings;
    this.#connection = new HttpConnection(url, settings);
    this.#streams =
      streamUrl === undefined ? this.#connection : new HttpConnection(streamUrl, settings);
    const receive = (value: unknown): void => this.#receive(value);
    const malformed: Sink['malformed'] = (...fault) => {
      if (this.#closing === undefined) this.#sink?.malformed(...fault);
    };
    this.#requestOwner = {
      connection: this.#connection,
      streams: this.#streams,
      limits,
      answersElsewhere: false,
      receive,
      malformed,
      taken: (request) => this.#backlog.release(request),
      accepted: ({ message }) => {
        if (endsHandshake(message)) message.session.confirmed();
      },
      lost: (request, error) => this.#lost(request, error),
      released: ({ message: { id } }, retryMs) => {
        if (id !== undefined) this.#sink?.released(id, retryMs);
      },
      over: (request) => this.#over(request),
    };
    this.#sessionOwner = {
      streams: this.#streams,
      limits,
      failed: (error) => this.#failed(error),
      value: receive,
      malformed,
      skipped: ({ code, reason }, head, tail) => {
        malformed(code, reason, head);
        if (this.#closing === undefined) this.#sink?.skipped(head, tail);
      },
      sink: () => this.#sink,
      released: () => this.#startQueued(),
    };
    this.#session = new HttpSession(this.#sessionOwner);
  }

  start(sink: Sink): void {
    this.#sink = sink;
    if (this.#closing !== undefined) sink.closed();
  }

  send(text: string, options?: MessageOptions): Sent {
    if (this.#closing !== undefined) return 'dropped';
    const message = messageOf(text, options);
    if (message.method === 'notifications/cancelled' && !this.#cancel(message.params)) {
      return 'sent';
    }
    const sent = this.#backlog.next;
    if (sent === 'dropped') return sent;
    if (message.method === 'initialize') this.#startSession();
    this.#post(this.#createRequest(text, message, options?.headers));
    return sent;
  }

  async tell(text: string, options: MessageOptions): Promise<void> {
    const message = messageOf(text, options);
    while (this.#closing === undefined && this.#backlog.next === 'dropped') await this.drained();
    if (this.#closing !== undefined) throw hungUp(message.method ?? 'a message');
    if (message.method === 'notifications/cancelled' && !this.#cancel(message.params)) return;
    const request = this.#createRequest(text, message, options.headers);
    await delivered(request, options.signal, () => this.#post(request));
  }

  reply(text: string | undefined): void {
    if (text === undefined || this.#closing !== undefined) return;
    if (this.#backlog.next === 'dropped') {
      this.#failed(notDelivered('an answer', 'the server does not take them'));
      return;
    }
    const request = this.#createRequest(text, {}, undefined);
    this.#keep(request);
    this.#replies.push(request);
    this.#startReplies();
  }

  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(): Promise<void> {
    return this.#closing === undefined ? this.#backlog.drained() : Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      const { promise, resolve } = createDeferred<void>();
      // Known before anybody hears of the end and may call again.
      this.#closing = promise;
      resolve(this.#close());
    }
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#session.stop();
    for (const request of [...this.#awaited.values(), ...this.#others]) {
      request.drop();
      request.delivery?.reject(hungUp(request.message.method));
    }
    this.#awaited.clear();
    this.#queue.length = 0;
    this.#replies.length = 0;
    this.#backlog.unblock();
    this.#sink?.closed();
    this.#endSession();
    await Promise.all(this.#ends);
    this.#connection.close();
    this.#streams.close();
  }

  #endSession(): void {
    const end = this.#session.end(this.#connection, this.#settings.closeTimeoutMs);
    this.#ends.add(end);
    void end.then(() => this.#ends.delete(end));
  }

  /** Every session begins without anything of the one before. */
  #startSession(): void {
    this.#endSession();
    this.#session.stop();
    this.#session = new HttpSession(this.#sessionOwner);
    this.#startQueued();
  }

  #createRequest(text: string, message: Message, headers: MessageOptions['headers']): PostRequest {
    const posted = withHeaders(text, message, { headers, session: this.#session });
    return new PostRequest(posted, this.#requestOwner);
  }

  #post(request: PostRequest): void {
    this.#keep(request);
    const { message } = request;
    const hasRoom = message.id === undefined || this.#started < this.#settings.maxConnections;
    if (this.#session.holds || !hasRoom) {
      this.#queue.push(request);
    } else if (endsHandshake(message)) {
      this.#session.confirm(() => this.#start(request));
    } else {
      this.#start(request);
    }
  }

  #keep(request: PostRequest): void {
    const { id } = request.message;
    this.#backlog.add(request);
    if (id === undefined) this.#others.add(request);
    else this.#awaited.set(id, request);
  }

  #start(request: PostRequest): void {
    const { id, method, modern, session } = request.message;
    if (session.lost && !modern) {
      request.fail(sessionLost(method, this.#connection.label));
      return;
    }
    if (id !== undefined) this.#started += 1;
    request.start();
  }

  /** Starts what waits, as far as there is room. */
  #startQueued(): void {
    // What fails at once makes room for the next, which this loop takes anyway.
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (!this.#session.holds && this.#started < this.#settings.maxConnections) {
      const request = this.#queue.shift();
      if (request === undefined) break;
      this.#start(request);
    }
    this.#isStarting = false;
  }

  #startReplies(): void {
    while (this.#replying.size < maxReplying) {
      const request = this.#replies.shift();
      if (request === undefined) return;
      this.#replying.add(request);
      this.#start(request);
    }
  }

  #over(request: PostRequest): void {
    this.#others.delete(request);
    if (this.#replying.delete(request) && this.#closing === undefined) this.#startReplies();
  }

  /** Gives a request up; says whether the server has to be told with a message. */
  #cancel(params: Params | undefined): boolean {
    const id = params?.['requestId'];
    const request = isId(id) ? this.#awaited.get(id) : undefined;
    if (request === undefined) return this.#session.version !== undefined;
    const { started, message } = request;
    this.#settle(request);
    request.drop();
    return started && !message.modern;
  }

  /** Takes a message that came, whichever way. */
  #receive(value: unknown): void {
    if (this.#closing !== undefined) return;
    const id = isRecord(value) && value['method'] === undefined ? value['id'] : undefined;
    const request = isId(id) ? this.#awaited.get(id) : undefined;
    if (request !== undefined) {
      if (!isResponse(value)) {
        const what = 'the answer is neither a result nor an error';
        request.fail(invalidAnswer(request.message.method, what));
        return;
      }
      this.#settle(request);
      if (request.finish(value)) this.#others.add(request);
    }
    this.#sink?.message(value);
  }

  #lost(request: PostRequest, error: KitError): void {
    const { id, method, session } = request.message;
    if (id !== undefined) {
      this.#settle(request);
      this.#sink?.lost(id, error);
      return;
    }
    this.#backlog.release(request);
    this.#unqueue(request);
    if (request.delivery === undefined) this.#failed(notDelivered(method, error.message, error));
    if (endsHandshake(request.message)) session.refused();
  }

  /** Tells of what nobody waits for. */
  #failed(error: KitError): void {
    this.#settings.logger.warn(error.message);
    if (this.#closing === undefined) this.#sink?.failed(error);
  }

  #unqueue(request: PostRequest): void {
    const place = request.started ? -1 : this.#queue.indexOf(request);
    if (place >= 0) this.#queue.splice(place, 1);
  }

  /** Takes a request out: nothing is waited for any more. */
  #settle(request: PostRequest): void {
    const { id } = request.message;
    if (id !== undefined) this.#awaited.take(id);
    this.#backlog.release(request);
    if (request.started) this.#started -= 1;
    this.#unqueue(request);
    this.#startQueued();
  }
}

function endsHandshake({ method, modern }: PostedMessage): boolean {
  return method === 'notifications/initialized' && !modern;
}

/** Characters on their way above which senders should wait; at four times as many they are no longer heard. */
const highWater = 4 * 1024 * 1024;

/** How much is on its way to the server. */
export class Backlog {
  #characters = 0;
  #drained: Deferred<void> | undefined;

  /** What becomes of one more message; whoever ignores `full` loses what they send, not our memory. */
  get next(): Sent {
    if (this.#characters > 4 * highWater) return 'dropped';
    return this.#characters > highWater ? 'full' : 'sent';
  }

  add({ size }: PostRequest): void {
    this.#characters += size;
  }

  /** The server has taken it, or never will. */
  release(request: PostRequest): void {
    this.#characters -= request.size;
    request.size = 0;
    if (this.#characters <= highWater) this.unblock();
  }

  /** Settles when there is room again. */
  drained(): Promise<void> {
    if (this.#characters <= highWater) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Nobody needs to wait any more. */
  unblock(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
