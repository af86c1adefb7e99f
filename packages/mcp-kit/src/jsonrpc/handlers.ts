import type { Budget, MaybePromise } from '#base';
import type { Vocabulary } from './ask.ts';
import type { Exchange, Origin } from './exchange.ts';
import type { Notification } from './message.ts';

/** What one side of a conversation does with what it receives. */
export interface Handlers {
  /** Serves a request: returns its result, or throws an `RpcError`. */
  request(exchange: Exchange): MaybePromise<unknown>;
  notification(message: Notification, origin?: Origin): void;
  /** Sees a request that the connection itself refuses, or that ends with it: throws its `refusal`, perhaps with more to it. */
  refused?(exchange: Exchange): unknown;
  /** Whether an array of messages is welcome now. */
  acceptsBatch(): boolean;
  /** Whether an error must have an id, also where none could be read: `null` then. */
  requiresErrorId?(): boolean;
  /** Takes what is not a message; without this the peer is told. */
  malformed?(reason: string, sample: string | undefined): void;
  /** Hears of what failed that nobody waits for. */
  failed?(error: Error): void;
  /** Called once, after everything under way has been settled. */
  closed(cause: Error | undefined): void;
}

/** How a connection waits, counts and ends. */
export interface ConnectionOptions {
  /** Requests served at the same time; one more is answered with `overloaded`. */
  readonly maxInFlight?: number | undefined;
  /** What is held for the other end is counted here, and requests are refused when it is too much. */
  readonly budget?: Budget | undefined;
  /** Many clients share this connection, each message with an origin that has a key of its own: ids are not compared, and cancel nothing. */
  readonly manyClients?: boolean | undefined;
  /** How our requests are numbered; some peers take only one of them. */
  readonly ids?: 'number' | 'string' | undefined;
  /** What the ids of our requests begin with, where others ask the same client. */
  readonly idPrefix?: string | undefined;
  /** Nobody wants notifications of the other side. */
  readonly deaf?: boolean | undefined;
  /** Default wait for an answer. */
  readonly timeoutMs?: number | undefined;
  /** Default for the longest wait in all. */
  readonly maxTotalMs?: number | undefined;
  /** How the protocol above says "cancelled" and "progress". */
  readonly vocabulary?: Vocabulary | undefined;
  /** What errors call the other side. */
  readonly peer?: string | undefined;
  /** How long requests under way may still take once the other side has stopped sending. */
  readonly lingerMs?: number | undefined;
  /** Who is at the other end, where the transport knows. */
  readonly principal?: string | undefined;
  /** Refusals of what has no readable id say `"id":null`, as plain JSON-RPC has it, in every revision. */
  readonly nullIds?: boolean | undefined;
  /** Called once, when nothing can be sent or received any more. */
  readonly onClosed?: (cause: Error | undefined) => void;
  /** Told about what a handler threw that was not meant for the peer. */
  readonly onBug?: ((error: unknown, method: string, exchange?: Exchange) => void) | undefined;
}
