import type { Origin } from './exchange.ts';
import type { Id, Notification, Parts, Request } from './message.ts';

/**
 * What a channel delivers to. Calls come in order, one at a time, and none after `closed`. Every member is required, here and
 * in `Channel`: a forwarder that forgets one does not compile.
 */
export interface Sink {
  /** Nobody wants notifications of the other side: a channel that has to ask for them need not hurry. */
  readonly deaf: boolean;
  /** `bytes` is how many it came in, where the channel knows. */
  message(value: unknown, origin?: Origin, bytes?: number): void;
  /** Something arrived that is not a JSON message within the limits; `sample` is how it begins. */
  malformed(code: number, reason: string, sample?: string): void;
  /** The rest of a message that was too large has been skipped; these are its first and last characters. */
  skipped(head: string, tail: string): void;
  /** A request that was sent will not be answered. */
  lost(id: Id, error: Error): void;
  /** Something failed that nobody waits for; the conversation goes on. */
  failed(error: Error): void;
  /** The server has closed the response for now: the answer is fetched later, after this wait if one was named. */
  released(id: Id, retryMs: number | undefined): void;
  /** Nothing more will come, but what is under way can still be answered. */
  ended(): void;
  closed(cause?: Error): void;
}

/**
 * What became of a text: queued; queued, and the sender should wait for `drained`; or not taken at all,
 * because the sender did not wait.
 */
export type Sent = 'sent' | 'full' | 'dropped';

/** What belongs to a text that is sent. */
export interface MessageOptions {
  /** Where the message came from that it answers or belongs to. */
  readonly origin?: Origin | undefined;
  /** The text as data, for channels that say some of it beside the text. */
  readonly message?: Request | Notification | undefined;
  /** Said beside the message where the channel has a place for it: headers of an HTTP request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The same answer with its bytes, where these are kept: a channel may send them instead of the text. */
  readonly parts?: Parts | undefined;
  /** Gives up what is told, with its reason, where the channel can know whether it was taken. */
  readonly signal?: AbortSignal | undefined;
  /** What was thrown, for channels that say more of an error than its text. */
  readonly error?: unknown;
}

/**
 * One conversation: JSON texts out, parsed values in.
 * Push instead of an async iterable: a turn of the event loop per message is what a busy pipe cannot afford.
 */
export interface Channel {
  /** The process at the other end, where it was started here. */
  readonly pid?: number | undefined;
  /** Begins delivery; called once. */
  start(sink: Sink): void;
  /** Queues a request or notification. */
  send(text: string, options?: MessageOptions): Sent;
  /** Sends a notification, and settles when the other side has taken it or has not; does nothing where nobody can know. */
  tell(text: string, options: MessageOptions): Promise<void> | undefined;
  /** Queues the answer to the message that came with `origin`; no text when there will be none. Never dropped. */
  reply(text: string | undefined, options?: MessageOptions): void;
  /** Ends a conversation in which nothing is under way, to make room; false when it is in use, or must not end. */
  letGo(): boolean;
  /** Settles when there is room again, or when the channel is closed. */
  drained(origin?: Origin): Promise<void>;
  /** The last output of the other side outside the conversation, for people who look for its fault. */
  lastWords(): string;
  /** Flushes and ends; idempotent. */
  close(): Promise<void>;
}
