import { createDeferred, type Deferred, type KitError } from '#base';
import { hungUp } from './failures.ts';
import type { Posted } from './posted.ts';

/** Messages without an answer whose senders want to know what became of them. */
export class Deliveries {
  readonly #awaited = new Map<Posted, Deferred<void>>();

  /** Settles when the server has taken the message, or with why it has not. */
  await(post: Posted): Promise<void> {
    const delivery = createDeferred<void>();
    this.#awaited.set(post, delivery);
    return delivery.promise;
  }

  taken(post: Posted): void {
    this.#awaited.get(post)?.resolve();
    this.#awaited.delete(post);
  }

  /** Says whether anybody waited for it. */
  lost(post: Posted, error: KitError): boolean {
    this.#awaited.get(post)?.reject(error);
    return this.#awaited.delete(post);
  }

  /** Nothing more will be heard of any of them. */
  end(): void {
    for (const [{ letter }, { reject }] of this.#awaited) {
      reject(hungUp(letter.method));
    }
    this.#awaited.clear();
  }
}
