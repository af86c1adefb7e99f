import { RpcError, type HttpAside, type Origin, type Parts, type Sent } from '#jsonrpc';
import type { AnswerMode } from './accept.ts';
import type { Incoming } from './admit.ts';
import {
  causeOf,
  eventsHeaders,
  jsonHeaders,
  streamHeaders,
  type HeaderList,
  type Headers,
  type Responder,
  type ResponseStream,
} from './responder.ts';

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

/** The answer to one POST: plain JSON, or a stream as soon as something precedes the answer. */
export class Reply implements Origin {
  readonly headers: Headers;
  readonly principal: string | undefined;
  readonly scopes: ReadonlySet<string> | undefined;
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
    options: Pick<Post, 'headers' | 'caller' | 'mode'> & { readonly onOpened?: () => void },
  ) {
    this.headers = options.headers;
    this.principal = options.caller.principal;
    this.scopes = options.caller.scopes;
    this.#policy = policy;
    this.#responder = responder;
    this.#mode = options.mode;
    this.#onOpened = options.onOpened;
  }

  get answered(): boolean {
    return this.#answered;
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

  answer(text: string | undefined, error?: unknown): void {
    if (this.#answered) return;
    this.#answered = true;
    const aside = error instanceof RpcError ? this.#policy.asideOf(error) : undefined;
    if (this.#stream !== undefined) {
      this.#stream.finish(text);
    } else if (text === undefined) {
      this.#responder.respond(202, [], '');
    } else if (aside !== undefined && aside.status !== 200) {
      if (aside.cause !== undefined) this.#responder.observer?.refused(aside.cause);
      this.#responder.respond(aside.status, [...jsonHeaders, ...(aside.headers ?? [])], text);
    } else if (this.#mode === 'sse') {
      const body = this.#policy.completeStream(text);
      this.#responder.respond(200, this.#head(eventsHeaders), body);
    } else {
      this.#responder.respond(200, this.#head(jsonHeaders), text);
    }
    this.#onOpened?.();
  }

  /** The same for an answer whose bytes are kept; false where it has to be part of an event. */
  answerParts(parts: Parts): boolean {
    if (this.#answered) return true;
    if (this.#stream !== undefined || this.#mode === 'sse') return false;
    this.#answered = true;
    this.#responder.respond(200, this.#head(jsonHeaders), parts);
    this.#onOpened?.();
    return true;
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
