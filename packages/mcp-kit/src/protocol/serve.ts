import type { MaybePromise } from '#base';
import type { Exchange } from '#jsonrpc';
import type { HeaderBinding } from './schemas/headers.ts';

/** Everything that can be asked: a server, a bridge, a layer before them. Notifications too: no id, the result is ignored. */
export type Serve = (exchange: Exchange) => MaybePromise<unknown>;

/** The only way to stand between; returns `next` itself when it has nothing to do. */
export type Layer = (next: Serve) => Serve;

/** What a transport serves: all of a server that is not about bytes. */
export interface Service {
  readonly serve: Serve;
  /** It speaks the modern era: clients of the legacy one are translated for, and it is not asked whether it knows them. */
  readonly modern?: boolean | undefined;
  /** Sees every message and what becomes of it, also those that a transport refuses once it has read them. */
  readonly observe?: Layer | undefined;
  /** Whether there is such a method or tool. Names of which nobody says so may be made up: nothing is counted under them. */
  knows?(what: 'method' | 'tool', name: string): boolean;
  /** Whether it is there for a principal; without it, it is for all. Over HTTP, to others nothing is at its path. */
  isFor?(principal: string | undefined): boolean;
  /** The headers that must repeat arguments of this tool. */
  mirroredHeaders(tool: string): readonly HeaderBinding[];
  /** What `GET` may tell a curious visitor. */
  describe(): object;
}
