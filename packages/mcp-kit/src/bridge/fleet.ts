import { KitError } from '#base';
import type { Upstream } from './upstream.ts';

/** All conversations of a bridge that are open: no more than so many at a time. */
export class Fleet {
  readonly #limit: number;
  readonly #open = new Set<Upstream>();
  /** How many are at work, in all and by whom. */
  #working = 0;
  readonly #workingFor = new Map<string, number>();

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

  /** One begins to work. Nobody who is told apart may have more at work than are left: so there are some for others. */
  begin(account: string | undefined): void {
    if (account !== undefined) {
      const own = this.#workingFor.get(account) ?? 0;
      if (own > 0 && own >= this.#limit - this.#working) {
        throw new KitError(
          'overloaded',
          `${own} conversations with the server are at work for you`,
          {
            hint: 'The others are for other callers. Try again when a call has ended, or raise maxUpstreams.',
          },
        );
      }
      this.#workingFor.set(account, own + 1);
    }
    this.#working += 1;
  }

  /** It has done its work. */
  end(account: string | undefined): void {
    this.#working -= 1;
    if (account === undefined) return;
    const left = (this.#workingFor.get(account) ?? 0) - 1;
    if (left > 0) this.#workingFor.set(account, left);
    else this.#workingFor.delete(account);
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
