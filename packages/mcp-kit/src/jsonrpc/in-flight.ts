import { ShortLivedMap } from '#base';
import type { Exchange } from './exchange.ts';
import type { Id } from './message.ts';

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

export type Admission = 'admitted' | 'duplicate' | 'full' | 'closed';

/**
 * All that is under way on one connection: requests being served and questions awaiting an answer.
 * The only mutable state of a connection; what leaves it can never be answered or settled again.
 */
export class InFlight {
  readonly #limit: number;
  #open = true;
  // Made on first use: thousands of idle sessions have nothing in flight.
  #serving: ShortLivedMap<Id, Exchange> | undefined;
  #awaiting: ShortLivedMap<Id, Awaited> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
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

  /** May a request with this id start now? */
  admit(id: Id): Admission {
    if (!this.#open) return 'closed';
    if (this.#serving === undefined) return 'admitted';
    if (this.#serving.get(id) !== undefined) return 'duplicate';
    return this.#serving.size < this.#limit ? 'admitted' : 'full';
  }

  /** Keeps an admitted request whose answer is not there yet. */
  hold(id: Id, exchange: Exchange): void {
    this.#serving ??= new ShortLivedMap();
    this.#serving.set(id, exchange);
  }

  /** Takes a held request out. False when it was cancelled or the connection closed: then it must not answer. */
  release(id: Id, exchange: Exchange): boolean {
    if (this.#serving?.get(id) !== exchange) return false;
    this.#serving.take(id);
    return true;
  }

  /** Takes the request with this id out, to be cancelled. */
  withdraw(id: Id): Exchange | undefined {
    return this.#serving?.take(id);
  }

  expect(id: Id, awaited: Awaited): void {
    this.#awaiting ??= new ShortLivedMap();
    this.#awaiting.set(id, awaited);
  }

  awaited(id: Id): Awaited | undefined {
    return this.#awaiting?.get(id);
  }

  /** Begins every wait anew. */
  touch(): void {
    for (const awaited of this.#awaiting?.values() ?? []) awaited.touch();
  }

  /** Takes a question out, to be settled. */
  settle(id: Id): Awaited | undefined {
    return this.#awaiting?.take(id);
  }

  /** Ends everything, once; returns what was under way. */
  close(): { readonly serving: readonly Exchange[]; readonly awaiting: readonly Awaited[] } {
    this.#open = false;
    const serving = [...(this.#serving?.values() ?? [])];
    const awaiting = [...(this.#awaiting?.values() ?? [])];
    this.#serving = undefined;
    this.#awaiting = undefined;
    return { serving, awaiting };
  }
}
