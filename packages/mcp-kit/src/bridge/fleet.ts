import { KitError } from '#base';
import type { Upstream } from './upstream.ts';

/** All conversations of a bridge that are open: no more than so many at a time. */
export class Fleet {
  readonly #limit: number;
  readonly #open = new Set<Upstream>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Makes room for one more: whichever nobody has used for longest is put to sleep. */
  async admit(upstream: Upstream): Promise<void> {
    this.#open.add(upstream);
    if (this.#open.size <= this.#limit) return;
    let idlest: Upstream | undefined;
    for (const other of this.#open) {
      if (other === upstream || other.isBusy) continue;
      if (idlest === undefined || other.lastUsedMs < idlest.lastUsedMs) idlest = other;
    }
    if (idlest === undefined) {
      this.#open.delete(upstream);
      throw new KitError('overloaded', `more than ${this.#limit} conversations with the server`, {
        hint: 'Try again later, or raise maxUpstreams.',
      });
    }
    this.#open.delete(idlest);
    await idlest.sleep();
  }

  remove(upstream: Upstream): void {
    this.#open.delete(upstream);
  }
}
