/** How often what has failed may be asked again: a share of what is asked, so that no server is asked twice as much while it fails. */
export interface RetryBudget {
  /** Something is asked for the first time. */
  asked(): void;
  /** Whether something may be asked once more; counts it where it may. */
  mayRetry(): boolean;
}

/** Of five requests one may be repeated. */
const share = 0.2;
/** How many may be repeated before anything was earned, and how many are ever saved up. */
const atFirst = 3;
const most = 10;

/** The retries of one server, whoever repeats: each request earns a share of one. */
export function createRetryBudget(): RetryBudget {
  let left = atFirst;
  return {
    asked() {
      left = Math.min(most, left + share);
    },
    mayRetry() {
      // What was added up in fifths is not quite whole.
      if (left < 1 - Number.EPSILON * most) return false;
      left -= 1;
      return true;
    },
  };
}
