import type { MaybePromise } from '#base';
import type { Channel } from '#jsonrpc';

/** A server as a client reaches it: how to open a conversation with it, as often as needed. */
export interface Target {
  /** Names the server in messages: a command, a path, a URL without credentials and query. */
  readonly label: string;
  /** The same for the same server: what one conversation learned about it holds for the next. */
  readonly key: string;
  /** On a `stream` silence may be a server of the other era; over `http` it is an outage. */
  readonly wire: 'stream' | 'http';
  /** Where to turn when the server does not know this way to speak at all. */
  readonly fallback?: Target | undefined;
  /** Every session begins with a conversation of its own, even where the last one could go on. */
  readonly dialsAnew?: boolean | undefined;
  /** Opens a conversation; a failure is a `KitError`. */
  dial(signal?: AbortSignal): MaybePromise<Channel>;
}
