import type { Parts } from './encode.ts';
import type { Id, Notification, Request } from './message.ts';

/** Headers of a message: names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a message came from, so that its answer can go back the same way; only its channel knows the rest. */
export interface Origin {
  /** The headers of the message, where the channel has any. */
  readonly headers?: Headers | undefined;
  /** The scopes its sender was granted; undefined where nobody checks them. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** Who sent it, where several clients share one connection. */
  readonly principal?: string | undefined;
}

/** What a channel delivers to. Calls come in order, one at a time, and none after `closed`. */
export interface Sink {
  /** Nobody wants notifications of the other side: a channel that has to ask for them need not hurry. */
  readonly deaf?: boolean;
  /** `bytes` is how many it came in, where the channel knows. */
  message(value: unknown, origin?: Origin, bytes?: number): void;
  /** Something arrived that is not a JSON message within the limits; `sample` is how it begins. */
  malformed(code: number, reason: string, sample?: string): void;
  /** The rest of a message that was too large has been skipped; these are its first and last characters. */
  skipped?(head: string, tail: string): void;
  /** A request that was sent will not be answered. */
  lost?(id: Id, error: Error): void;
  /** The server has closed the response for now: the answer is fetched later, after this wait if one was named. */
  released?(id: Id, retryMs: number | undefined): void;
  /** Nothing more will come, but what is under way can still be answered. */
  ended(): void;
  closed(cause?: Error): void;
}

/**
 * What became of a text: queued; queued, and the sender should wait for `drained`; or not taken at all,
 * because the sender did not wait.
 */
export type Sent = 'sent' | 'full' | 'dropped';

/** The message of a text that is sent: for channels that repeat some of it in headers. */
export interface Outgoing {
  readonly message: Request | Notification;
  /** Headers to send with it, where the channel has any. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * One conversation: JSON texts out, parsed values in.
 * Push instead of an async iterable: a turn of the event loop per message is what a busy pipe cannot afford.
 */
export interface Channel {
  /** Begins delivery; called once. */
  start(sink: Sink): void;
  /** Queues a request or notification. */
  send(text: string, origin?: Origin, outgoing?: Outgoing): Sent;
  /** Sends a notification, and settles when the other side has taken it or has not; absent where nobody can know. */
  readonly tell?: ((text: string, outgoing: Outgoing) => Promise<void>) | undefined;
  /**
   * Queues the answer to the message that came with `origin`; no text when there will be none. Never dropped. `error` is what
   * was thrown, for channels that say more of it.
   */
  reply(text: string | undefined, origin?: Origin, error?: unknown): void;
  /** The same for an answer whose bytes are kept; absent where only texts can be sent. False: send it as a text. */
  replyParts?(parts: Parts, origin?: Origin): boolean;
  /** Lets the client hang up and fetch the answer later; absent where answers cannot be fetched. */
  readonly release?:
    | ((origin: Origin | undefined, retryMs: number | undefined) => void)
    | undefined;
  /** Whether a client still waits for the answer to what came with `origin`; absent where that is always so. */
  awaits?(origin: Origin | undefined): boolean;
  /** Ends a conversation in which nothing is under way, to make room; false when it is in use. Absent where it must not end. */
  letGo?(): boolean;
  /** Settles when there is room again, or when the channel is closed. */
  drained(origin?: Origin): Promise<void>;
  /** The last output of the other side outside the conversation, for people who look for its fault. */
  readonly lastWords?: (() => string) | undefined;
  /** Flushes and ends; idempotent. */
  close(): Promise<void>;
}
