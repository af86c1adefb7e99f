interface Tried {
  readonly seed: string;
  readonly untilMs: number;
}

const maxKept = 1000;
/** As long as a token of the same dry run holds. */
const keepMs = 10 * 60_000;

/** What the names in the last dry runs with a key were derived from: the call with the key then gives the same names. */
export class TriedKeys {
  readonly #seeds = new Map<string, Tried>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  remember(call: string, seed: string): void {
    this.#seeds.delete(call);
    this.#seeds.set(call, { seed, untilMs: this.#now() + keepMs });
    const [oldest] = this.#seeds.keys();
    if (this.#seeds.size > maxKept && oldest !== undefined) this.#seeds.delete(oldest);
  }

  /** Nothing where the call was not tried, or too long ago. */
  seedOf(call: string): string | undefined {
    const tried = this.#seeds.get(call);
    return tried !== undefined && tried.untilMs > this.#now() ? tried.seed : undefined;
  }
}
