import type { IncomingMessage } from 'node:http';
import { abortedBy, createDeferred, KitError, startTimer, type Deferred } from '#base';
import type { Channel, MessageOptions, Sent, Sink } from '#jsonrpc';
import { Backlog } from './channel.ts';
import {
  HttpConnection,
  mediaType,
  readBody,
  refusalBytes,
  type PendingRequest,
} from './connection.ts';
import { hungUp, invalidAnswer, notDelivered, redirected, refusal } from './failures.ts';
import type { Settings } from './options.ts';
import { labelOf } from './place.ts';
import { messageOf, PostRequest, withHeaders, type Message, type RequestOwner } from './request.ts';
import { delivered } from './delivery.ts';
import { HttpSession } from './session.ts';
import { readStream } from './stream.ts';

/** A conversation as revision 2024-11-05 has it: one stream for all that comes, and a place it names for what is sent. */
class SseChannel implements Channel {
  readonly #url: URL;
  readonly #settings: Settings;
  readonly #stream: HttpConnection;
  readonly #session = new HttpSession();
  readonly #opened: Deferred<void> = createDeferred();
  readonly #pending: PendingRequest;
  readonly #requests = new Set<PostRequest>();
  readonly #backlog = new Backlog();
  /** Known when the server has said where to post. */
  #owner: RequestOwner | undefined;
  #response: IncomingMessage | undefined;
  #sink: Sink | undefined;
  /** What came before anybody listened. */
  #early: (() => void)[] = [];
  #cause: KitError | undefined;
  #closed = false;

  constructor(url: URL, settings: Settings) {
    this.#url = url;
    this.#settings = settings;
    this.#stream = new HttpConnection(url, settings);
    this.#pending = this.#stream.send(
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

  send(text: string, options?: MessageOptions): Sent {
    const sent = this.#closed ? 'dropped' : this.#backlog.next;
    if (sent === 'dropped') return sent;
    this.#post(text, messageOf(text, options));
    return sent;
  }

  async tell(text: string, options: MessageOptions): Promise<void> {
    const message = messageOf(text, options);
    while (!this.#closed && this.#backlog.next === 'dropped') await this.drained();
    const request = this.#closed ? undefined : this.#createRequest(text, message);
    if (request === undefined) throw hungUp(message.method ?? 'a message');
    await delivered(request, options.signal, () => request.start());
  }

  reply(text: string | undefined): void {
    if (text !== undefined && !this.#closed) this.#post(text, {});
  }

  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(): Promise<void> {
    return this.#closed ? Promise.resolve() : this.#backlog.drained();
  }

  close(): Promise<void> {
    this.end();
    return Promise.resolve();
  }

  #post(text: string, message: Message): void {
    this.#createRequest(text, message)?.start();
  }

  #createRequest(text: string, message: Message): PostRequest | undefined {
    if (this.#owner === undefined) return undefined;
    const posted = withHeaders(text, message, { headers: undefined, session: this.#session });
    const request = new PostRequest(posted, this.#owner);
    this.#requests.add(request);
    this.#backlog.add(request);
    return request;
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
    readStream(response, {
      limits,
      position: { lastEventId: undefined, retryMs: undefined },
      value: (value) => this.#deliver((sink) => sink.message(value)),
      malformed: (...fault) => this.#deliver((sink) => sink.malformed(...fault)),
      skipped: ({ code, reason }, head, tail) => {
        this.#deliver((sink) => {
          sink.malformed(code, reason, head);
          sink.skipped(head, tail);
        });
      },
      other: (eventType, data) => {
        if (eventType === 'endpoint') this.#locate(data.toString());
      },
      over: () => this.end(streamEnded(this.#url, this.#owner !== undefined)),
    });
  }

  /** The first word of the server: where messages go. */
  #locate(place: string): void {
    if (this.#owner !== undefined || this.#closed) return;
    const url = URL.canParse(place, this.#url.href) ? new URL(place, this.#url) : undefined;
    if (url?.origin !== this.#url.origin) {
      const target = url === undefined ? place.slice(0, 200) : labelOf(url);
      const hint = `Nothing was sent there. If that is the server you mean, use its address: ${target}`;
      this.end(redirected(200, `messages should go to another origin, ${target}`, hint));
      return;
    }
    url.username = this.#url.username;
    url.password = this.#url.password;
    this.#owner = this.#createOwner(new HttpConnection(url, this.#settings));
    // Until somebody listens.
    if (this.#sink === undefined) this.#response?.pause();
    this.#opened.resolve();
  }

  #createOwner(connection: HttpConnection): RequestOwner {
    return {
      connection,
      streams: connection,
      limits: this.#settings.limits,
      answersElsewhere: true,
      receive: (value) => this.#deliver((sink) => sink.message(value)),
      malformed: (...fault) => this.#deliver((sink) => sink.malformed(...fault)),
      taken: (request) => this.#backlog.release(request),
      accepted: () => {},
      released: () => {},
      lost: ({ message: { id, method }, delivery }, error) => {
        if (id !== undefined) {
          this.#deliver((sink) => sink.lost(id, error));
        } else if (delivery === undefined) {
          const failure = notDelivered(method, error.message, error);
          this.#settings.logger.warn(failure.message);
          this.#deliver((sink) => sink.failed(failure));
        }
      },
      over: (request) => {
        this.#backlog.release(request);
        this.#requests.delete(request);
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
    this.#pending.abort();
    for (const request of this.#requests) {
      request.drop();
      request.delivery?.reject(hungUp(request.message.method));
    }
    this.#stream.close();
    this.#owner?.connection.close();
    this.#backlog.unblock();
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
  if (signal?.aborted) throw abortedBy(labelOf(place), signal.reason);
  const { connectTimeoutMs } = settings;
  const channel = new SseChannel(place, settings);
  const hangUp = (): void => {
    if (signal !== undefined) channel.end(abortedBy(labelOf(place), signal.reason));
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
