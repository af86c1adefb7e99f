/** Says whether something that must not happen too often may happen once more. */
export interface StormBreaker {
  readonly times: number;
  readonly withinMs: number;
  /** Whether it may, now; it is counted then. */
  admit(): boolean;
}

/** A server may have to be opened anew so many times within so long. */
export function createStormBreaker(times = 5, withinMs = 30_000): StormBreaker {
  const admitted: number[] = [];
  return {
    times,
    withinMs,
    admit() {
      const now = performance.now();
      while ((admitted[0] ?? now) < now - withinMs) admitted.shift();
      if (admitted.length >= times) return false;
      admitted.push(now);
      return true;
    },
  };
}
