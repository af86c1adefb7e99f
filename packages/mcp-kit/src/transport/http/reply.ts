import type { HttpAside, Parts, Sent } from '#jsonrpc';
import type { AnswerMode } from './accept.ts';
import type { Caller } from './admit.ts';
import type { EventStream } from './event-stream.ts';
import {
  causeOf,
  eventsHeaders,
  jsonHeaders,
  streamHeaders,
  type HeaderList,
  type Headers,
  type Responder,
} from './responder.ts';
import type { Session } from './session.ts';

/** The answer to one POST of the handshake era: plain JSON, or a stream as soon as something precedes the answer. */
export class Reply {
  readonly #session: Session;
  readonly #responder: Responder;
  readonly #mode: AnswerMode;
  readonly #opens: boolean;
  readonly #onAnswered: (() => void) | undefined;
  readonly headers: Headers;
  readonly scopes: ReadonlySet<string> | undefined;
  #answered = false;
  #stream: EventStream | undefined;

  constructor(
    session: Session,
    responder: Responder,
    options: {
      readonly mode: AnswerMode;
      readonly headers: Headers;
      readonly caller: Caller;
      readonly opens?: boolean;
      readonly onAnswered?: () => void;
    },
  ) {
    this.#session = session;
    this.#responder = responder;
    this.#mode = options.mode;
    this.#opens = options.opens === true;
    this.#onAnswered = options.onAnswered;
    this.headers = options.headers;
    this.scopes = options.caller.scopes;
  }

  /** Somebody is there to take the answer. */
  get attended(): boolean {
    return this.#stream?.attached ?? !this.#responder.gone;
  }

  /** Sends what belongs to the request before its answer. */
  emit(text: string): Sent {
    if (this.#answered) return 'dropped';
    // A client that takes no stream here may have one open elsewhere.
    if (this.#mode === 'json') return this.#session.send(text);
    return this.#open().emit(text);
  }

  /** Ends with the answer, if there is one; `aside` is what HTTP says beside an error. */
  answer(text: string | undefined, aside?: HttpAside): void {
    this.#answered = true;
    if (this.#stream !== undefined) {
      this.#stream.finish(text);
    } else if (text === undefined) {
      this.#responder.respond(202, [], '');
    } else if (aside !== undefined && aside.status !== 200) {
      this.#responder.observer?.refused(causeOf(aside));
      this.#responder.respond(aside.status, [...jsonHeaders, ...(aside.headers ?? [])], text);
    } else if (this.#mode === 'sse') {
      const body = this.#session.completeStream(text);
      this.#responder.respond(200, this.#headers(eventsHeaders), body);
    } else {
      this.#responder.respond(200, this.#headers(jsonHeaders), text);
    }
    this.#onAnswered?.();
  }

  /** The same for an answer whose bytes are kept; false where it has to be part of an event. */
  answerParts(parts: Parts): boolean {
    if (this.#stream !== undefined || this.#mode === 'sse') return false;
    this.#answered = true;
    this.#responder.respond(200, this.#headers(jsonHeaders), parts);
    this.#onAnswered?.();
    return true;
  }

  /** Lets the client hang up and come back for the answer; only a client that can resume is let go. */
  release(retryMs: number | undefined): void {
    if (this.#answered || this.#mode === 'json' || !this.#session.canResume) return;
    this.#open().release(retryMs);
  }

  drained(): Promise<void> {
    return this.#stream?.drained() ?? this.#session.drained();
  }

  #open(): EventStream {
    this.#stream ??= this.#session.openStream(
      this.#responder.openStream(this.#headers(streamHeaders)),
    );
    return this.#stream;
  }

  /** The answer that opens a session names it; a refused handshake has opened none. */
  #headers(usual: HeaderList): HeaderList {
    if (!this.#opens || !this.#session.initialized) return usual;
    return [...usual, 'mcp-session-id', this.#session.id];
  }
}
