import type { MaybePromise } from '#base';
import type { Connection, Exchange, Handlers, Refused } from '#jsonrpc';
import type { Envelope } from './envelope.ts';
import type { HeaderBinding } from './headers.ts';
import type { LegacyVersion } from './revisions.ts';

/** Where a handshake stands; business methods wait for `ready`. */
export type Phase = 'new' | 'awaiting_initialized_notification' | 'ready';

/** One conversation as the server sees it. */
export interface Peer extends Handlers {
  readonly phase: Phase;
  /** Negotiated by `initialize`. */
  readonly version: LegacyVersion | undefined;
}

/** What a transport serves: all of a server that is not about bytes. */
export interface Service {
  /** Opens one conversation. Modern messages within it are served statelessly all the same. */
  open(connection: Connection): Peer;
  /** Serves one modern request, whose envelope has been read. */
  serve(exchange: Exchange, envelope: Envelope): MaybePromise<unknown>;
  /** Asked about requests that a transport refuses once it has read them; absent where nobody keeps account of them. */
  readonly refused?: Refused | undefined;
  /** Whether there is such a method or tool. Names of which nobody says so may be made up: nothing is counted under them. */
  knows?(what: 'method' | 'tool', name: string): boolean;
  /** The headers that must repeat arguments of this tool. */
  mirroredHeaders(tool: string): readonly HeaderBinding[];
  /** What `GET` may tell a curious visitor. */
  describe(): object;
}
