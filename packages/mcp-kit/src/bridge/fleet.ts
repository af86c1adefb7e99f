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

  /**
   * Makes room for one more: whichever nobody has used for longest is put to sleep. While all are busy, one that only waits
   * for its caller gives way, if that caller has more of them than the one who asks.
   */
  async admit(upstream: Upstream): Promise<void> {
    this.#open.add(upstream);
    if (this.#open.size <= this.#limit) return;
    const byUse = [...this.#open].sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    const idlest =
      byUse.find((other) => other !== upstream && !other.isBusy) ??
      this.#richerThan(upstream, byUse).find((other) => other.giveWay());
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

  /** Those of accounts that have more than the one who asks, of those that have most first. */
  #richerThan({ account }: Upstream, all: readonly Upstream[]): readonly Upstream[] {
    const counts = new Map<string | undefined, number>();
    for (const other of all) counts.set(other.account, (counts.get(other.account) ?? 0) + 1);
    const held = (other: Upstream): number => counts.get(other.account) ?? 0;
    const share = counts.get(account) ?? 0;
    return all.filter((other) => held(other) > share).sort((one, other) => held(other) - held(one));
  }
}
