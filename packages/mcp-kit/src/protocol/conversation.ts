import { isPromise } from '#base';
import {
  Exchange,
  type Connection,
  type Handlers,
  type Notification,
  type Origin,
  type Params,
} from '#jsonrpc';
import type { ClientView } from './client-view.ts';
import { allowsBatch, requiresErrorId } from './model/revisions.ts';
import type { Serve } from './serve.ts';

/** Where a handshake stands; business methods wait for `ready`. */
export type Phase = 'new' | 'awaiting_initialized_notification' | 'ready';

/** Who hears of changes: one for each legacy session, and for each `subscriptions/listen`. It is changed in place. */
export interface Listener {
  /** One bit for each kind of list. */
  lists: number;
  uris: Set<string> | undefined;
  tell(method: string, params?: Params): void;
}

/** The state of a handshake: plain data, so that it can be stored. */
export interface HandshakeRecord {
  phase: Phase;
  /** Negotiated by `initialize`. */
  client: ClientView | undefined;
  /** `relay`: what serves is legacy itself. `translate`: it is modern. */
  mode: 'relay' | 'translate' | undefined;
}

/** Where a conversation is kept whose client comes and goes. */
interface Place {
  /** Nobody waits for anything. */
  isIdle(): boolean;
}

const unbegun: HandshakeRecord = { phase: 'new', client: undefined, mode: undefined };

/** What belongs to no single message: one client at the other end of one connection. Modern messages leave no trace here. */
export class Conversation implements Handlers {
  readonly connection: Connection;
  readonly handshake: HandshakeRecord = { ...unbegun };
  /** The handshake that is under way. */
  opening: Promise<unknown> | undefined;
  /** Made by whoever tells of changes, once the client is ready. */
  listener: Listener | undefined;
  readonly request: Serve;
  /** Set by what serves it: called when it ends, or begins anew with another handshake. */
  onEnded: (() => void) | undefined;

  readonly #place: Place | undefined;

  constructor(connection: Connection, serve: Serve, place?: Place) {
    this.connection = connection;
    this.request = serve;
    this.#place = place;
  }

  /** Whether the client is away for now: nobody hears what is said, or waits for an answer. */
  isUnattended(): boolean {
    return this.#place?.isIdle() === true;
  }

  notification(message: Notification, origin?: Origin): void {
    const heard = this.request(new Exchange(message, this.connection, origin));
    // Nobody waits for it: whoever serves it tells what went wrong.
    if (isPromise(heard)) heard.catch(() => {});
  }

  refused(exchange: Exchange): unknown {
    return this.request(exchange);
  }

  requiresErrorId(): boolean {
    return requiresErrorId(this.handshake.client?.version);
  }

  acceptsBatch(): boolean {
    return allowsBatch(this.handshake.client?.version);
  }

  /** Forgets the handshake. */
  restart(): void {
    this.closed();
    this.listener = undefined;
    Object.assign(this.handshake, unbegun);
  }

  closed(): void {
    const ended = this.onEnded;
    this.onEnded = undefined;
    ended?.();
  }
}

/** The conversation that a message is part of; nothing where it stands alone. */
export function conversationOf({ link }: Exchange): Conversation | undefined {
  return link.handlers instanceof Conversation ? link.handlers : undefined;
}
