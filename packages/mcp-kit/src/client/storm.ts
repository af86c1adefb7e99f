/** Says whether something that must not happen too often may happen once more. */
export interface StormBreaker {
  readonly times: number;
  readonly withinMs: number;
  /** Whether it would be refused now. */
  readonly isSpent: boolean;
  /** Whether it may, now; it is counted then. */
  admit(): boolean;
  /** Forgets what was counted. */
  reset(): void;
}

/** A server may have to be opened anew so many times within so long. */
export function createStormBreaker(times = 5, withinMs = 30_000): StormBreaker {
  let admitted: number[] = [];
  return {
    times,
    withinMs,
    get isSpent() {
      const since = performance.now() - withinMs;
      admitted = admitted.filter((at) => at >= since);
      return admitted.length >= times;
    },
    admit() {
      if (this.isSpent) return false;
      admitted.push(performance.now());
      return true;
    },
    reset() {
      admitted = [];
    },
  };
}
