import { createDeferred, type Deferred, type KitError } from '#base';
import {
  isId,
  isRecord,
  oversized,
  type Channel,
  type Id,
  type Origin,
  type Outgoing,
  type Params,
  type Sent,
  type Sink,
} from '#jsonrpc';
import { isResponse } from './answers.ts';
import { invalidAnswer, sessionLost } from './failures.ts';
import { Feed, type Verdict } from './feed.ts';
import { Handshake } from './handshake.ts';
import { address, type Letter, type Message } from './letter.ts';
import type { Settings } from './options.ts';
import { Posted, type PostOffice } from './posted.ts';
import { Wire } from './wire.ts';

/** Characters on their way above which senders should wait; at four times as many they are no longer heard. */
const highWater = 4 * 1024 * 1024;
/** Answers to the server that are on their way at the same time. */
const maxReplying = 16;
/** How long messages wait for the end of the handshake to be taken. */
const gateMs = 5000;

/** A conversation over HTTP: a POST per message, of either era, and in the older one a stream for what the server says. */
export class HttpChannel implements Channel {
  readonly #settings: Settings;
  readonly #wire: Wire;
  readonly #streams: Wire;
  readonly #office: PostOffice;
  #sink: Sink | undefined;
  #handshake = new Handshake();
  #feed: Feed | undefined;
  /** Requests without an answer, by id. */
  readonly #awaited = new Map<Id, Posted>();
  /** Answers to the server. Not in the queue: what waits there may be waiting for one of them. */
  readonly #replies: Posted[] = [];
  readonly #replying = new Set<Posted>();
  /** What else uses a connection. */
  readonly #others = new Set<Posted>();
  readonly #queue: Posted[] = [];
  #goingOn = false;
  #underWay = 0;
  /** The end of the handshake, on its way: what is sent after it must not overtake it. */
  #gate: { readonly post: Posted; readonly timer: NodeJS.Timeout } | undefined;
  #waiting = 0;
  #drained: Deferred<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, streamUrl: URL | undefined, settings: Settings) {
    this.#settings = settings;
    this.#wire = new Wire(url, settings);
    this.#streams = streamUrl === undefined ? this.#wire : new Wire(streamUrl, settings);
    this.#office = {
      wire: this.#wire,
      streams: this.#streams,
      limits: settings.limits,
      receive: (value) => this.#receive(value),
      malformed: (code, reason, sample) => this.#malformed(code, reason, sample),
      taken: (post) => this.#release(post),
      accepted: (post) => this.#accepted(post),
      lost: (post, error) => this.#lost(post, error),
      over: (post) => this.#over(post),
    };
  }

  start(sink: Sink): void {
    this.#sink = sink;
    if (this.#closing !== undefined) sink.closed();
  }

  send(text: string, _origin?: Origin, outgoing?: Outgoing): Sent {
    if (this.#closing !== undefined) return 'dropped';
    const message: Message = outgoing?.message ?? (JSON.parse(text) as Message);
    if (message.method === 'notifications/cancelled' && !this.#cancel(message.params)) {
      return 'sent';
    }
    const waiting = this.#waiting;
    // Whoever ignores `full` loses what they send, not our memory.
    if (waiting > 4 * highWater) return 'dropped';
    if (message.method === 'initialize') this.#startOver();
    const beside = { headers: outgoing?.headers, handshake: this.#handshake };
    this.#post(new Posted(address(text, message, beside), this.#office));
    return waiting > highWater ? 'full' : 'sent';
  }

  reply(text: string | undefined): void {
    if (text === undefined || this.#closing !== undefined) return;
    const letter = address(text, {}, { headers: undefined, handshake: this.#handshake });
    const post = new Posted(letter, this.#office);
    if (this.#waiting > 4 * highWater) {
      this.#settings.logger.warn('an answer was not delivered: the server does not take them');
      return;
    }
    this.#keep(post);
    this.#replies.push(post);
    this.#goOnReplying();
  }

  drained(): Promise<void> {
    if (this.#closing !== undefined || this.#waiting <= highWater) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
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
    this.#feed?.stop();
    clearTimeout(this.#gate?.timer);
    for (const post of [...this.#awaited.values(), ...this.#others]) post.drop();
    this.#awaited.clear();
    this.#queue.length = 0;
    this.#replies.length = 0;
    this.#drained?.resolve();
    this.#sink?.closed();
    const { id, lost, headers } = this.#handshake;
    if (id !== undefined && !lost) await this.#sayFarewell(headers);
    this.#wire.destroy();
    this.#streams.destroy();
  }

  /** Lets the server forget the session; whether it does is its own affair. */
  #sayFarewell(headers: readonly string[]): Promise<void> {
    const { promise, resolve } = createDeferred<void>();
    const done = (): void => {
      clearTimeout(timer);
      asking.abort();
      resolve();
    };
    const asking = this.#wire.ask({ method: 'DELETE', headers }, { answered: done, failed: done });
    const timer = setTimeout(done, this.#settings.closeTimeoutMs);
    return promise;
  }

  /** Every handshake begins without anything of the one before. */
  #startOver(): void {
    this.#handshake = new Handshake();
    this.#feed?.stop();
    this.#feed = undefined;
    this.#openGate();
  }

  #post(post: Posted): void {
    this.#keep(post);
    const { id } = post.letter;
    const mayGo = id === undefined || this.#underWay < this.#settings.maxConnections;
    if (this.#gate !== undefined || !mayGo) {
      this.#queue.push(post);
      return;
    }
    if (endsHandshake(post.letter)) {
      this.#gate = { post, timer: setTimeout(() => this.#openGate(), gateMs) };
    }
    this.#begin(post);
  }

  #keep(post: Posted): void {
    const { id } = post.letter;
    this.#waiting += post.size;
    if (id === undefined) this.#others.add(post);
    else this.#awaited.set(id, post);
  }

  #begin(post: Posted): void {
    const { id, method, modern, handshake } = post.letter;
    if (handshake.lost && !modern) {
      post.fail(sessionLost(method, this.#wire.label));
      return;
    }
    if (id !== undefined) this.#underWay += 1;
    post.start();
  }

  #openGate(): void {
    clearTimeout(this.#gate?.timer);
    this.#gate = undefined;
    this.#goOn();
  }

  /** Starts what waits, as far as there is room. */
  #goOn(): void {
    // What fails at once makes room for the next, which this loop takes anyway.
    if (this.#goingOn) return;
    this.#goingOn = true;
    while (this.#gate === undefined && this.#underWay < this.#settings.maxConnections) {
      const post = this.#queue.shift();
      if (post === undefined) break;
      this.#begin(post);
    }
    this.#goingOn = false;
  }

  #goOnReplying(): void {
    while (this.#replying.size < maxReplying) {
      const post = this.#replies.shift();
      if (post === undefined) return;
      this.#replying.add(post);
      this.#begin(post);
    }
  }

  #over(post: Posted): void {
    this.#others.delete(post);
    if (this.#replying.delete(post) && this.#closing === undefined) this.#goOnReplying();
  }

  /** Gives a request up; says whether the server has to be told with a message. */
  #cancel(params: Params | undefined): boolean {
    const id = params?.['requestId'];
    const post = isId(id) ? this.#awaited.get(id) : undefined;
    if (post === undefined) return this.#handshake.version !== undefined;
    const { started, letter } = post;
    this.#settle(post);
    post.drop();
    return started && !letter.modern;
  }

  /** Takes a message that came, whichever way. */
  #receive(value: unknown): void {
    if (this.#closing !== undefined) return;
    const id = isRecord(value) && value['method'] === undefined ? value['id'] : undefined;
    const post = isId(id) ? this.#awaited.get(id) : undefined;
    if (post !== undefined) {
      if (!isResponse(value)) {
        post.fail(invalidAnswer(post.letter.method, 'the answer is neither a result nor an error'));
        return;
      }
      this.#settle(post);
      if (post.finish(value)) this.#others.add(post);
    }
    this.#sink?.message(value);
  }

  #malformed(code: number, reason: string, sample: string | undefined): void {
    if (this.#closing === undefined) this.#sink?.malformed(code, reason, sample);
  }

  #accepted(post: Posted): void {
    if (!endsHandshake(post.letter)) return;
    const { handshake } = post.letter;
    // A turn later its connection is free for the stream, which goes first: a call that overtakes it may make the server
    // ask something when there is no stream yet to ask on, and the question would be lost.
    setImmediate(() => {
      if (this.#closing !== undefined) return;
      if (handshake === this.#handshake && this.#feed === undefined) this.#listen(handshake);
      if (post === this.#gate?.post) this.#openGate();
    });
  }

  #lost(post: Posted, error: KitError): void {
    const { id, method } = post.letter;
    if (id === undefined) {
      this.#release(post);
      this.#settings.logger.warn(`${method} was not delivered: ${error.message}`);
      if (post === this.#gate?.post) this.#openGate();
      return;
    }
    this.#settle(post);
    this.#sink?.lost?.(id, error);
  }

  /** Takes a request out: nothing is waited for any more. */
  #settle(post: Posted): void {
    const { id } = post.letter;
    if (id !== undefined) this.#awaited.delete(id);
    this.#release(post);
    const place = post.started ? -1 : this.#queue.indexOf(post);
    if (post.started) this.#underWay -= 1;
    else if (place >= 0) this.#queue.splice(place, 1);
    this.#goOn();
  }

  #release(post: Posted): void {
    this.#waiting -= post.size;
    post.size = 0;
    if (this.#waiting > highWater) return;
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  /** Opens the stream for what the server says by itself; nobody waits for it. */
  #listen(handshake: Handshake): void {
    const { limits } = this.#settings;
    const { code, reason } = oversized(limits);
    let warned = false;
    this.#feed = new Feed({
      wire: this.#streams,
      limits,
      position: { lastEventId: undefined, retryMs: undefined },
      headers: () => handshake.headers,
      value: (value) => this.#receive(value),
      malformed: (...fault) => this.#malformed(...fault),
      oversized: (sample) => this.#malformed(code, reason, sample),
      refused: (status, error, wasOpen) => {
        // At first it may just as well mean that there is no such stream.
        if (status === 404 && wasOpen) handshake.lost = true;
        if (error.code === 'unauthorized' && !warned) {
          this.#settings.logger.warn(`the stream of the session: ${error.message}`);
        }
        warned ||= error.code === 'unauthorized';
        return judge(status, wasOpen);
      },
    });
    this.#feed.start();
  }
}

function endsHandshake({ method, modern }: Letter): boolean {
  return method === 'notifications/initialized' && !modern;
}

/** Whether the stream of a session is to be tried again. A server that had one has it again when it is back. */
function judge(status: number, wasOpen: boolean): Verdict {
  const unauthorized = status === 401 || status === 403;
  const down = status === 429 || (status >= 500 && status !== 501);
  if (unauthorized || down) return 'again';
  return wasOpen && status >= 400 && status !== 404 ? 'anew' : 'stop';
}
