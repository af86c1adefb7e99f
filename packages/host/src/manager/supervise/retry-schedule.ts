/** How long to wait before a server that was lost is tried again. */
export interface RetrySchedule {
  /** The wait before the next try, in milliseconds; undefined when it should not be tried any more. */
  next(): number | undefined;
  /** It was well for a while: begin anew. */
  reset(): void;
}

/** Waits for a process of this machine, which nobody else tries to start. */
const localMs = [500, 1000, 2000, 4000];
/** Waits for a server that many others may have lost at the same moment: the first spreads a crowd over seconds. */
const remoteMs = [5000, 10_000];
/** From then on a remote server is tried quietly, ever more rarely. */
const quietMs = { first: 15_000, longest: 300_000 };

/** Each wait is random between nothing and a longest one, which grows: those who failed together do not return together. */
export function createRetrySchedule(
  kind: 'local' | 'remote',
  random: () => number = Math.random,
): RetrySchedule {
  const waits = kind === 'local' ? localMs : remoteMs;
  let failures = 0;
  return {
    next() {
      const longest = waits[failures] ?? quietWait(kind, failures - waits.length);
      failures += 1;
      return longest === undefined ? undefined : Math.round(random() * longest);
    },
    reset() {
      failures = 0;
    },
  };
}

function quietWait(kind: 'local' | 'remote', tries: number): number | undefined {
  if (kind === 'local') return undefined;
  return Math.min(quietMs.first * 2 ** tries, quietMs.longest);
}
