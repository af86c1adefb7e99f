import { createDeferred, ShortLivedMap, type KitError } from '#base';
import {
  isId,
  isRecord,
  type Channel,
  type Id,
  type Origin,
  type Outgoing,
  type Params,
  type Sent,
  type Sink,
  type Unparsed,
} from '#jsonrpc';
import { isResponse } from './answers.ts';
import { Backlog } from './backlog.ts';
import { Deliveries } from './deliveries.ts';
import { hungUp, invalidAnswer, sessionLost } from './failures.ts';
import { sayFarewell } from './farewell.ts';
import type { Feed } from './feed.ts';
import { Handshake } from './handshake.ts';
import { address, type Letter, type Message } from './letter.ts';
import type { Settings } from './options.ts';
import { Posted, type PostOffice } from './posted.ts';
import { createSessionStream } from './session-stream.ts';
import { Wire } from './wire.ts';

/** Answers to the server that are on their way at the same time. */
const maxReplying = 16;
/** How long messages wait for the end of the handshake to be taken. */
const gateMs = 5000;
/** How long they wait for the stream after that; it was sent before them. */
const headStartMs = 50;
/** How long a stream that nobody waits for leaves the way to the first calls. */
const deafMs = 50;

/** A conversation over HTTP: a POST per message, of either era, and in the older one a stream for what the server says. */
export class HttpChannel implements Channel {
  readonly #settings: Settings;
  readonly #wire: Wire;
  readonly #streams: Wire;
  readonly #office: PostOffice;
  #sink: Sink | undefined;
  #handshake = new Handshake();
  #feed: Feed | undefined;
  /** Fetches the stream that nobody waits for. */
  #later: NodeJS.Timeout | undefined;
  /** Requests without an answer, by id. */
  readonly #awaited = new ShortLivedMap<Id, Posted>();
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
  readonly #backlog = new Backlog();
  readonly #deliveries = new Deliveries();
  /** Sessions that were given up for another one, as long as the server is told. */
  readonly #farewells = new Set<Promise<void>>();
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
      taken: (post) => this.#backlog.release(post),
      accepted: (post) => this.#accepted(post),
      lost: (post, error) => this.#lost(post, error),
      released: ({ letter: { id } }, retryMs) => {
        if (id !== undefined) this.#sink?.released?.(id, retryMs);
      },
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
    const sent = this.#backlog.next;
    if (sent === 'dropped') return sent;
    if (message.method === 'initialize') this.#startOver();
    this.#post(this.#stamp(text, message, outgoing?.headers));
    return sent;
  }

  async tell(text: string, { message, headers }: Outgoing): Promise<void> {
    while (this.#closing === undefined && this.#backlog.next === 'dropped') await this.drained();
    if (this.#closing !== undefined) throw hungUp(message.method);
    if (message.method === 'notifications/cancelled' && !this.#cancel(message.params)) return;
    const post = this.#stamp(text, message, headers);
    const taken = this.#deliveries.await(post);
    this.#post(post);
    await taken;
  }

  reply(text: string | undefined): void {
    if (text === undefined || this.#closing !== undefined) return;
    if (this.#backlog.next === 'dropped') {
      this.#settings.logger.warn('an answer was not delivered: the server does not take them');
      return;
    }
    const post = this.#stamp(text, {}, undefined);
    this.#keep(post);
    this.#replies.push(post);
    this.#goOnReplying();
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
    this.#feed?.stop();
    clearTimeout(this.#later);
    clearTimeout(this.#gate?.timer);
    for (const post of [...this.#awaited.values(), ...this.#others]) post.drop();
    this.#awaited.clear();
    this.#queue.length = 0;
    this.#replies.length = 0;
    this.#backlog.letGo();
    this.#deliveries.end();
    this.#sink?.closed();
    this.#leave(this.#handshake);
    await Promise.all(this.#farewells);
    this.#wire.destroy();
    this.#streams.destroy();
  }

  /** Ends a session that the server may still know. */
  #leave(handshake: Handshake): void {
    if (handshake.id === undefined || handshake.lost) return;
    const farewell = sayFarewell(this.#wire, handshake, this.#settings.closeTimeoutMs);
    this.#farewells.add(farewell);
    void farewell.then(() => this.#farewells.delete(farewell));
  }

  /** Every handshake begins without anything of the one before. */
  #startOver(): void {
    this.#leave(this.#handshake);
    this.#handshake = new Handshake();
    this.#feed?.stop();
    this.#feed = undefined;
    this.#openGate();
  }

  #stamp(text: string, message: Message, headers: Outgoing['headers']): Posted {
    return new Posted(
      address(text, message, { headers, handshake: this.#handshake }),
      this.#office,
    );
  }

  #post(post: Posted): void {
    this.#keep(post);
    const { id } = post.letter;
    const mayGo = id === undefined || this.#underWay < this.#settings.maxConnections;
    if (this.#gate !== undefined || !mayGo) {
      this.#queue.push(post);
      return;
    }
    if (!endsHandshake(post.letter)) {
      this.#begin(post);
      return;
    }
    this.#gate = { post, timer: setTimeout(() => this.#openGate(), gateMs) };
    this.#begin(post);
    const mayListen = post === this.#gate?.post && this.#feed === undefined;
    if (!mayListen || this.#sink?.deaf === true) return;
    // Not before, or it would take the connection that is open; its own opens meanwhile.
    this.#feed = this.#createFeed(post.letter.handshake);
    this.#feed.prepare();
  }

  #keep(post: Posted): void {
    const { id } = post.letter;
    this.#backlog.add(post);
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
    this.#deliveries.taken(post);
    if (!endsHandshake(post.letter)) return;
    const { handshake } = post.letter;
    const go = (): void => {
      if (post === this.#gate?.post && this.#closing === undefined) this.#openGate();
    };
    // The stream goes first: a call that overtakes it may make the server ask something when there is no stream yet to ask
    // on, and the question would be lost. Some servers answer only when they have something to say, so not for long.
    // A turn later the connection of the handshake is free for the call.
    setImmediate(() => {
      if (handshake !== this.#handshake) return;
      if (this.#feed !== undefined) {
        if (post === this.#gate?.post) {
          clearTimeout(this.#gate.timer);
          this.#gate = { post, timer: setTimeout(go, headStartMs) };
        }
        this.#feed.send(go);
        return;
      }
      go();
      if (this.#sink?.deaf !== true) return;
      this.#later = setTimeout(() => this.#listen(handshake), deafMs);
    });
  }

  #listen(handshake: Handshake): void {
    if (this.#closing !== undefined || handshake !== this.#handshake) return;
    if (this.#feed !== undefined) return;
    this.#feed = this.#createFeed(handshake);
    this.#feed.start();
  }

  #lost(post: Posted, error: KitError): void {
    const { id, method } = post.letter;
    if (id === undefined) {
      this.#backlog.release(post);
      if (!this.#deliveries.lost(post, error)) {
        this.#settings.logger.warn(`${method} was not delivered: ${error.message}`);
      }
      if (post === this.#gate?.post) {
        this.#feed?.stop();
        this.#feed = undefined;
        this.#openGate();
      }
      return;
    }
    this.#settle(post);
    this.#sink?.lost?.(id, error);
  }

  /** Takes a request out: nothing is waited for any more. */
  #settle(post: Posted): void {
    const { id } = post.letter;
    if (id !== undefined) this.#awaited.take(id);
    this.#backlog.release(post);
    const place = post.started ? -1 : this.#queue.indexOf(post);
    if (post.started) this.#underWay -= 1;
    else if (place >= 0) this.#queue.splice(place, 1);
    this.#goOn();
  }

  #createFeed(handshake: Handshake): Feed {
    const { limits, logger } = this.#settings;
    const options = {
      wire: this.#streams,
      limits,
      value: this.#office.receive,
      malformed: this.#office.malformed,
      skipped: ({ code, reason }: Unparsed, head: string, tail: string) => {
        if (this.#closing !== undefined) return;
        this.#sink?.malformed(code, reason, head);
        this.#sink?.skipped?.(head, tail);
      },
    };
    return createSessionStream(handshake, options, logger);
  }
}

function endsHandshake({ method, modern }: Letter): boolean {
  return method === 'notifications/initialized' && !modern;
}
