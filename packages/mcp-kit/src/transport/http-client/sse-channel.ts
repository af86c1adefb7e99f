import type { IncomingMessage } from 'node:http';
import { createDeferred, KitError, startTimer, type Deferred } from '#base';
import type { Channel, Origin, Outgoing, Sent, Sink } from '#jsonrpc';
import { Backlog } from './backlog.ts';
import { mediaType, readBody, readEvents } from './body.ts';
import { Deliveries } from './deliveries.ts';
import { givenUp, hungUp, invalidAnswer, redirected, refusal } from './failures.ts';
import { Handshake } from './handshake.ts';
import { address, type Message } from './letter.ts';
import { labelOf, type Settings } from './options.ts';
import { Posted, type PostOffice } from './posted.ts';
import { Wire, type Asking } from './wire.ts';

const refusalBytes = 64 * 1024;

/** A conversation as revision 2024-11-05 has it: one stream for all that comes, and a place it names for what is sent. */
class SseChannel implements Channel {
  readonly #url: URL;
  readonly #settings: Settings;
  readonly #stream: Wire;
  readonly #handshake = new Handshake();
  readonly #opened: Deferred<void> = createDeferred();
  readonly #asking: Asking;
  readonly #posts = new Set<Posted>();
  readonly #backlog = new Backlog();
  readonly #deliveries = new Deliveries();
  #office: PostOffice | undefined;
  #response: IncomingMessage | undefined;
  #sink: Sink | undefined;
  /** What came before anybody listened. */
  #early: (() => void)[] = [];
  #cause: KitError | undefined;
  #closed = false;

  constructor(url: URL, settings: Settings) {
    this.#url = url;
    this.#settings = settings;
    this.#stream = new Wire(url, settings);
    this.#asking = this.#stream.ask(
      { method: 'GET', headers: ['accept', 'text/event-stream'] },
      {
        answered: (response) => this.#answered(response),
        failed: (error) => this.end(error),
      },
    );
  }

  /** Settles when the server has said where to post. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  start(sink: Sink): void {
    this.#sink = sink;
    const early = this.#early;
    this.#early = [];
    for (const deliver of early) deliver();
    if (this.#closed) sink.closed(this.#cause);
    this.#response?.resume();
  }

  send(text: string, _origin?: Origin, outgoing?: Outgoing): Sent {
    const sent = this.#closed ? 'dropped' : this.#backlog.next;
    if (sent === 'dropped') return sent;
    this.#post(text, outgoing?.message ?? (JSON.parse(text) as Message));
    return sent;
  }

  async tell(text: string, { message }: Outgoing): Promise<void> {
    while (!this.#closed && this.#backlog.next === 'dropped') await this.drained();
    const post = this.#closed ? undefined : this.#stamp(text, message);
    if (post === undefined) throw hungUp(message.method);
    const taken = this.#deliveries.await(post);
    post.start();
    await taken;
  }

  reply(text: string | undefined): void {
    if (text !== undefined && !this.#closed) this.#post(text, {});
  }

  drained(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#backlog.drained();
  }

  close(): Promise<void> {
    this.end();
    return Promise.resolve();
  }

  #post(text: string, message: Message): void {
    this.#stamp(text, message)?.start();
  }

  #stamp(text: string, message: Message): Posted | undefined {
    if (this.#office === undefined) return undefined;
    const letter = address(text, message, { headers: undefined, handshake: this.#handshake });
    const post = new Posted({ ...letter, answeredElsewhere: true }, this.#office);
    this.#posts.add(post);
    this.#backlog.add(post);
    return post;
  }

  #answered(response: IncomingMessage): void {
    const type = mediaType(response);
    if (response.statusCode !== 200) {
      readBody(response, refusalBytes, (_, bytes) => this.end(refusal(response, bytes.toString())));
      return;
    }
    if (type !== 'text/event-stream') {
      this.end(invalidAnswer('GET', `not an event stream but ${type || 'nothing'}`));
      return;
    }
    this.#response = response;
    const { limits } = this.#settings;
    readEvents(response, {
      limits,
      position: { lastEventId: undefined, retryMs: undefined },
      value: (value) => this.#deliver((sink) => sink.message(value)),
      malformed: (...fault) => this.#deliver((sink) => sink.malformed(...fault)),
      skipped: ({ code, reason }, head, tail) => {
        this.#deliver((sink) => {
          sink.malformed(code, reason, head);
          sink.skipped?.(head, tail);
        });
      },
      other: (eventType, data) => {
        if (eventType === 'endpoint') this.#locate(data.toString());
      },
      over: () => this.end(streamEnded(this.#url, this.#office !== undefined)),
    });
  }

  /** The first word of the server: where messages go. */
  #locate(place: string): void {
    if (this.#office !== undefined || this.#closed) return;
    const url = URL.canParse(place, this.#url.href) ? new URL(place, this.#url) : undefined;
    if (url?.origin !== this.#url.origin) {
      const target = url === undefined ? place.slice(0, 200) : labelOf(url);
      const hint = `Nothing was sent there. If that is the server you mean, use its address: ${target}`;
      this.end(redirected(200, `messages should go to another origin, ${target}`, hint));
      return;
    }
    url.username = this.#url.username;
    url.password = this.#url.password;
    this.#office = this.#openOffice(new Wire(url, this.#settings));
    // Until somebody listens.
    if (this.#sink === undefined) this.#response?.pause();
    this.#opened.resolve();
  }

  #openOffice(wire: Wire): PostOffice {
    return {
      wire,
      streams: wire,
      limits: this.#settings.limits,
      receive: (value) => this.#deliver((sink) => sink.message(value)),
      malformed: (...fault) => this.#deliver((sink) => sink.malformed(...fault)),
      taken: (post) => this.#backlog.release(post),
      accepted: (post) => this.#deliveries.taken(post),
      released: () => {},
      lost: (post, error) => {
        const { id, method } = post.letter;
        if (id !== undefined) this.#deliver((sink) => sink.lost?.(id, error));
        else if (!this.#deliveries.lost(post, error)) {
          this.#settings.logger.warn(`${method} was not delivered: ${error.message}`);
        }
      },
      over: (post) => {
        this.#backlog.release(post);
        this.#posts.delete(post);
      },
    };
  }

  #deliver(deliver: (sink: Sink) => void): void {
    const sink = this.#sink;
    if (this.#closed) return;
    if (sink !== undefined) deliver(sink);
    else this.#early.push(() => this.#deliver(deliver));
  }

  /** Ends it for a reason. */
  end(cause?: KitError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cause = cause;
    this.#asking.abort();
    for (const post of this.#posts) post.drop();
    this.#stream.destroy();
    this.#office?.wire.destroy();
    this.#backlog.letGo();
    this.#deliveries.end();
    this.#opened.reject(cause ?? new KitError('closed', 'the conversation was closed'));
    this.#sink?.closed(cause);
  }
}

/** Opens such a conversation: waits until its place is named. */
export async function openSse(
  place: URL,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  if (signal?.aborted) throw givenUp(labelOf(place), signal.reason);
  const { connectTimeoutMs } = settings;
  const channel = new SseChannel(place, settings);
  const hangUp = (): void => {
    if (signal !== undefined) channel.end(givenUp(labelOf(place), signal.reason));
  };
  const timer = startTimer(() => {
    const message = `${labelOf(place)} named no endpoint within ${connectTimeoutMs} ms`;
    channel.end(new KitError('timeout', message, { hint: 'Raise connectTimeoutMs.' }));
  }, connectTimeoutMs);
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    await channel.opened;
    return channel;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', hangUp);
  }
}

function streamEnded(url: URL, opened: boolean): KitError {
  return opened
    ? new KitError('closed', `the event stream of ${labelOf(url)} ended`, {
        hint: 'This revision cannot continue a stream: open a new session.',
      })
    : new KitError(
        'invalid_answer',
        `${labelOf(url)} ended its stream without naming an endpoint`,
        {
          hint: 'Check that this is a server of revision 2024-11-05.',
        },
      );
}
