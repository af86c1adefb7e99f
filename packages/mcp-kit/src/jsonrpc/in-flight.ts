import { ShortLivedMap, type Budget } from '#base';
import { noRoomError, RpcError, rpcErrors, unavailable } from './error.ts';
import type { Exchange } from './exchange.ts';
import type { Id, Response } from './message.ts';

/** A question we asked, and how to settle it. */
export interface Awaited {
  readonly method: string;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  /** A sign of life, perhaps progress: the wait begins anew. */
  touch(progress?: object): void;
  /** The answer will be fetched later. */
  released(retryMs: number | undefined): void;
}

/** What a request is known by while it is served: its id, or the key of its origin when ids of several clients meet. */
export type Key = Id | object;

/**
 * All that is under way on one connection: requests being served and questions awaiting an answer.
 * The only mutable state of a connection; what leaves it can never be answered or settled again.
 */
export class InFlight {
  readonly #limit: number;
  readonly #budget: Budget | undefined;
  #open = true;
  // Made on first use: thousands of idle sessions have nothing in flight.
  #serving: ShortLivedMap<Key, Exchange> | undefined;
  #awaiting: ShortLivedMap<Id, Awaited> | undefined;

  constructor(limit: number, budget: Budget | undefined) {
    this.#limit = limit;
    this.#budget = budget;
  }

  get open(): boolean {
    return this.#open;
  }

  get serving(): number {
    return this.#serving?.size ?? 0;
  }

  get awaiting(): number {
    return this.#awaiting?.size ?? 0;
  }

  /** The requests being served. */
  exchanges(): Iterable<Exchange> {
    return this.#serving?.values() ?? [];
  }

  /** Why a request that is known by this, and would take so much memory, must not start now; nothing when it may. */
  refuse(key: Key, weight: number): RpcError | undefined {
    if (this.#budget?.admits('calls', weight) === false) return noRoomError();
    if (!this.#open) return closing();
    if (this.#serving?.get(key) !== undefined) {
      return new RpcError(rpcErrors.invalidRequest, 'A request with this id is under way');
    }
    if (this.serving < this.#limit) return undefined;
    const message = 'Overloaded: too many requests under way, retry later';
    return unavailable(new RpcError(rpcErrors.overloaded, message));
  }

  /** Keeps an admitted request whose answer is not there yet. */
  hold(key: Key, exchange: Exchange): void {
    this.#serving ??= new ShortLivedMap();
    this.#serving.set(key, exchange);
  }

  /** Takes a held request out. False when it was cancelled or the connection closed: then it must not answer. */
  release(key: Key, exchange: Exchange): boolean {
    if (this.#serving?.get(key) !== exchange) return false;
    this.#serving.take(key);
    return true;
  }

  /** Takes a request out, to be cancelled. */
  withdraw(key: Key): Exchange | undefined {
    return this.#serving?.take(key);
  }

  expect(id: Id, awaited: Awaited): void {
    this.#awaiting ??= new ShortLivedMap();
    this.#awaiting.set(id, awaited);
  }

  awaited(id: Id): Awaited | undefined {
    return this.#awaiting?.get(id);
  }

  /** The questions awaiting an answer. */
  #questions(): Iterable<Awaited> {
    return this.#awaiting?.values() ?? [];
  }

  /** Begins every wait anew. */
  touch(): void {
    for (const awaited of this.#questions()) awaited.touch();
  }

  /** Takes a question out, to be settled. */
  settle(id: Id): Awaited | undefined {
    return this.#awaiting?.take(id);
  }

  /** Settles the question that a response answers, if there is one. */
  answer({ id, result, error }: Response): void {
    if (id === undefined || id === null) return;
    const awaited = this.settle(id);
    if (error === undefined || error === null) awaited?.resolve(result);
    else awaited?.reject(new RpcError(error.code, error.message, error.data));
  }

  /** Ends everything, once; returns what was under way. */
  close(): { readonly serving: readonly Exchange[]; readonly awaiting: readonly Awaited[] } {
    this.#open = false;
    const serving = [...this.exchanges()];
    const awaiting = [...this.#questions()];
    this.#serving = undefined;
    this.#awaiting = undefined;
    return { serving, awaiting };
  }
}

/** The error of requests that the end of their connection leaves without an answer. */
export function closing(): RpcError {
  return new RpcError(rpcErrors.overloaded, 'The connection is closing');
}
