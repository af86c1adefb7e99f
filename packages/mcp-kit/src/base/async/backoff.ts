export interface BackoffOptions {
  readonly firstMs?: number;
  readonly maxMs?: number;
}

/** Waits that grow after every failure, each a little random so that many who failed together do not return together. */
export interface Backoff {
  /** How long to wait before the next try. */
  next(): number;
  /** A try succeeded: begin anew. */
  reset(): void;
}

const growth = 1.6;
const jitter = 0.2;

export function createBackoff({ firstMs = 1000, maxMs = 30_000 }: BackoffOptions = {}): Backoff {
  let waitMs = firstMs;
  return {
    next() {
      const current = waitMs;
      waitMs = Math.min(waitMs * growth, maxMs);
      return Math.round(current * (1 - jitter + 2 * jitter * Math.random()));
    },
    reset() {
      waitMs = firstMs;
    },
  };
}
