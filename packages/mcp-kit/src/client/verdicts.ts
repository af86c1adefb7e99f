import type { MaybePromise } from '#base';
import type { Era } from '#protocol';

/** What is remembered of servers: which era they speak, so that they need not be probed each time. */
export interface Verdicts {
  get(key: string): MaybePromise<Era | undefined>;
  set(key: string, era: Era): MaybePromise<void>;
}

export interface VerdictOptions {
  /**
   * How long a server counts as one of the older era. Not for ever: one that has learnt the newer era still answers
   * in the older, and would never be asked again.
   */
  readonly legacyTtlMs?: number;
  readonly maxEntries?: number;
}

/** Remembers verdicts in memory. */
export function createVerdicts(options: VerdictOptions = {}): Verdicts {
  const { legacyTtlMs = 60 * 60_000, maxEntries = 1000 } = options;
  const known = new Map<string, { readonly era: Era; readonly until: number }>();
  return {
    get(key) {
      const verdict = known.get(key);
      return verdict !== undefined && performance.now() < verdict.until ? verdict.era : undefined;
    },
    set(key, era) {
      const [oldest] = known.keys();
      if (known.size >= maxEntries && oldest !== undefined) known.delete(oldest);
      known.delete(key);
      // A modern verdict is checked by its first request anyway.
      const until = era === 'legacy' ? performance.now() + legacyTtlMs : Infinity;
      known.set(key, { era, until });
    },
  };
}

/** What this process has learnt; used unless a session is given its own. */
export const processVerdicts: Verdicts = createVerdicts();
