/** Chance that can be repeated: the same seed gives the same run. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number below `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(values: readonly T[]): T;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: <T>(values: readonly T[]): T => values[below(values.length)] as T,
  };
}

/** Picks a choice as often as its weight says. */
export function weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]) {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  return (random: Random): T => {
    let at = random.next() * total;
    for (const [weight, choice] of choices) if ((at -= weight) < 0) return choice;
    return (choices[0] as readonly [number, T])[1];
  };
}
