import {
  Connection,
  Exchange,
  RpcError,
  type Channel,
  type Classified,
  type ConnectionOptions,
  type HttpAside,
  type Id,
  type MessageOptions,
  type Origin,
  type Sent,
} from '#jsonrpc';
import { httpStatusOf, type Serve } from '#protocol';
import type { Incoming } from './admit.ts';
import { plainEvent } from './events.ts';
import { PacedStream, type Pacing } from './paced-stream.ts';
import {
  badRequest,
  causeOf,
  eventsHeaders,
  jsonHeaders,
  refuse,
  streamHeaders,
  type HeaderList,
  type Headers,
  type Responder,
  type ResponseStream,
} from './responder.ts';

/** The form an answer may take: JSON that may become a stream, or only the one. */
export type AnswerMode = 'either' | 'json' | 'sse';

/** A POST whose body has been read. */
export interface Post extends Incoming {
  readonly value: unknown;
  /** How many the body had. */
  readonly bytes: number;
  readonly mode: AnswerMode;
}

/** An answer whose end is not known yet. */
export interface AnswerStream {
  /** Somebody is there to read it. */
  readonly attached: boolean;
  emit(text: string): Sent;
  /** Adds the last message, if there is one, and ends. */
  finish(text: string | undefined): void;
  drained(): Promise<void>;
  /** Lets the client hang up and come back for the rest, where it can. */
  release(retryMs: number | undefined): void;
}

/** What answers do differently in the two eras. */
export interface ReplyPolicy {
  /** The client can come back for an answer. */
  readonly canResume: boolean;
  /** What the answer says that opens a session. */
  readonly openedHeaders: HeaderList;
  /** Takes what precedes the answer of a client that takes no stream with it. */
  divert(text: string): Sent;
  drained(): Promise<void>;
  openStream(out: ResponseStream, reply: Reply): AnswerStream;
  /** A whole stream in one text: an answer that nothing preceded. */
  completeStream(text: string): string;
  /** What HTTP says beside an error. */
  asideOf(error: RpcError): HttpAside | undefined;
}

const noIds: readonly Id[] = [];

/** The answer to one POST: plain JSON, or a stream as soon as something precedes the answer. */
export class Reply implements Origin {
  readonly key = {};
  readonly headers: Headers;
  readonly principal: string | undefined;
  readonly scopes: ReadonlySet<string> | undefined;
  /** The requests that it answers, where somebody else may have to. */
  readonly ids: readonly Id[];
  readonly #policy: ReplyPolicy;
  readonly #responder: Responder;
  readonly #mode: AnswerMode;
  /** Called with the answer to what opens a session. */
  readonly #onOpened: (() => void) | undefined;
  #answered = false;
  #stream: AnswerStream | undefined;

  constructor(
    policy: ReplyPolicy,
    responder: Responder,
    options: Pick<Post, 'headers' | 'caller' | 'mode'> & {
      readonly onOpened?: (() => void) | undefined;
      readonly ids?: readonly Id[] | undefined;
    },
  ) {
    this.headers = options.headers;
    this.principal = options.caller.principal;
    this.scopes = options.caller.scopes;
    this.ids = options.ids ?? noIds;
    this.#policy = policy;
    this.#responder = responder;
    this.#mode = options.mode;
    this.#onOpened = options.onOpened;
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** Something has preceded the answer. */
  get streams(): boolean {
    return this.#stream !== undefined;
  }

  /** Somebody is there to take the answer. */
  get attended(): boolean {
    return this.#stream?.attached ?? !this.#responder.gone;
  }

  /** Sends what belongs to the request before its answer. */
  emit(text: string): Sent {
    if (this.#answered) return 'dropped';
    return this.#mode === 'json' ? this.#policy.divert(text) : this.#open().emit(text);
  }

  answer(text: string | undefined, { parts, error }: MessageOptions = {}): void {
    if (this.#answered) return;
    this.#answered = true;
    const aside = error instanceof RpcError ? this.#policy.asideOf(error) : undefined;
    if (this.#stream !== undefined) {
      this.#stream.finish(text);
    } else if (text === undefined) {
      this.#responder.respond(202, [], '');
    } else if (aside !== undefined && aside.status !== 200) {
      const { status, headers = [], cause } = aside;
      if (cause !== undefined) this.#responder.observer?.refused(cause);
      this.#responder.respond(status, [...jsonHeaders, ...headers], text);
    } else if (this.#mode === 'sse') {
      const body = this.#policy.completeStream(text);
      this.#responder.respond(200, this.#head(eventsHeaders), body);
    } else {
      this.#responder.respond(200, this.#head(jsonHeaders), parts ?? text);
    }
    this.#onOpened?.();
  }

  /** Lets the client hang up and come back for the answer; only a client that can resume is let go. */
  release(retryMs: number | undefined): void {
    if (this.#answered || this.#mode === 'json' || !this.#policy.canResume) return;
    this.#open().release(retryMs);
  }

  drained(): Promise<void> {
    return this.#stream?.drained() ?? this.#policy.drained();
  }

  #open(): AnswerStream {
    this.#stream ??= this.#policy.openStream(
      this.#responder.openStream(this.#head(streamHeaders)),
      this,
    );
    return this.#stream;
  }

  #head(usual: HeaderList): HeaderList {
    return this.#onOpened === undefined ? usual : [...usual, ...this.#policy.openedHeaders];
  }
}

/** What HTTP says beside an error that says so itself, with a word for those who count. */
export function ownAside({ http }: RpcError): HttpAside | undefined {
  return http && { ...http, cause: causeOf(http) };
}

export interface StatelessShared extends Pacing {
  readonly serve: Serve;
  readonly connection: ConnectionOptions;
}

/** Serves modern POSTs: each is complete in itself, and all meet on one connection. */
export class Stateless implements Channel, ReplyPolicy {
  readonly connection: Connection;
  readonly canResume = false;
  readonly openedHeaders: HeaderList = [];
  readonly #shared: StatelessShared;

  constructor(shared: StatelessShared) {
    const { serve, connection } = shared;
    this.#shared = shared;
    const bind = (link: Connection) => ({
      request: serve,
      refused: serve,
      notification: (message: Exchange['message'], origin?: Origin) =>
        void serve(new Exchange(message, link, origin)),
      acceptsBatch: () => false,
      closed() {},
    });
    this.connection = new Connection(this, bind, { ...connection, manyClients: true });
  }

  post(classified: Classified, post: Post, responder: Responder): void {
    if (classified.kind === 'invalid') {
      refuse(responder, { ...badRequest(classified.reason), id: classified.id });
    } else if (classified.kind === 'response') {
      refuse(responder, badRequest('Clients do not send responses in this revision'));
    } else {
      // A subscription is a stream or nothing, whatever form other answers take.
      const mustStream =
        post.mode === 'json' && classified.message.method === 'subscriptions/listen';
      const asked = mustStream ? { ...post, mode: 'either' as const } : post;
      const reply = new Reply(this, responder, asked);
      this.connection.accept(classified, reply, post.bytes);
      // A stream that is open already tells of its end itself.
      if (!reply.answered && !reply.streams) responder.onGone(() => this.#leave(reply));
    }
  }

  start(): void {}

  send(text: string, options?: MessageOptions): Sent {
    return options?.origin instanceof Reply ? options.origin.emit(text) : 'dropped';
  }

  tell(): undefined {}

  reply(text: string | undefined, options?: MessageOptions): void {
    if (options?.origin instanceof Reply) options.origin.answer(text, options);
  }

  /** It serves all modern clients. */
  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(origin?: Origin): Promise<void> {
    return origin instanceof Reply ? origin.drained() : Promise.resolve();
  }

  /** There is no other stream on which its client could hear it. */
  divert(): Sent {
    return 'dropped';
  }

  openStream(out: ResponseStream, reply: Reply): AnswerStream {
    const stream = new PacedStream(out, this.#shared);
    stream.onClose(() => this.#leave(reply));
    return new PlainStream(stream);
  }

  completeStream(text: string): string {
    return plainEvent(text);
  }

  asideOf(error: RpcError): HttpAside {
    return ownAside(error) ?? { status: httpStatusOf(error) };
  }

  async close(): Promise<void> {}

  /** Modern clients cancel by hanging up. */
  #leave(reply: Reply): void {
    this.connection.cancel(reply.key, 'the client hung up');
  }
}

/** A stream that nobody can come back to. */
class PlainStream implements AnswerStream {
  readonly #out: PacedStream;

  constructor(out: PacedStream) {
    this.#out = out;
  }

  get attached(): boolean {
    return this.#out.open;
  }

  emit(text: string): Sent {
    return this.#out.offer(plainEvent(text));
  }

  finish(text: string | undefined): void {
    if (text !== undefined) this.#out.write(plainEvent(text));
    this.#out.end();
  }

  drained(): Promise<void> {
    return this.#out.drained();
  }

  release(): void {}
}
