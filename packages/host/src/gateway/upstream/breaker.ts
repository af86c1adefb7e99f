import { RpcError, rpcErrors, type Layer } from 'mcp-kit/internal';
import { troubleOf } from '../layers.ts';

/** How it is with a server that fails: `closed` lets everything pass, `open` nothing, `trying` one request at a time. */
export type BreakerState = 'closed' | 'open' | 'trying';

/** Keeps requests from a server that cannot be reached, so that nobody waits for what will fail. */
export interface Breaker {
  readonly state: BreakerState;
  readonly layer: Layer;
  /** The server has answered, by whatever way. */
  reset(): void;
}

/** So many failures, one after the other, open it; for so long, twice as long each time it is tried in vain. */
const maxFailures = 5;
const firstRestMs = 1000;
const longestRestMs = 30_000;

/** The breaker of one server. */
export function createBreaker(): Breaker {
  let failures = 0;
  let restMs = firstRestMs;
  let triedAgainMs = 0;
  let last = '';
  const isOpen = (): boolean => failures >= maxFailures;
  const reset = (): void => {
    failures = 0;
    restMs = firstRestMs;
  };
  /** A request that was under way when another failed has failed with it: that is one failure. */
  const failed = (before: number, message: string): void => {
    if (before !== failures) return;
    failures += 1;
    last = message;
    if (!isOpen()) return;
    triedAgainMs = performance.now() + restMs;
    restMs = Math.min(longestRestMs, 2 * restMs);
  };
  const refusal = (): RpcError => {
    const retryAfterMs = Math.max(1, Math.ceil(triedAgainMs - performance.now()));
    const message = `it has failed ${failures} times in a row and rests for ${retryAfterMs} ms. The last time: ${last}`;
    const data = { code: 'unreachable', retryable: true, mayHaveRun: false, retryAfterMs };
    return new RpcError(rpcErrors.internal, message, data);
  };
  return {
    get state() {
      if (!isOpen()) return 'closed';
      return performance.now() < triedAgainMs ? 'open' : 'trying';
    },
    reset,
    layer: (next) => async (exchange) => {
      // A subscription comes again by itself, and may stay for hours.
      if (exchange.message.method === 'subscriptions/listen') return next(exchange);
      if (isOpen()) {
        if (performance.now() < triedAgainMs) throw refusal();
        // Whether or not this one is ever answered, the next may try later.
        triedAgainMs = performance.now() + restMs;
      }
      const before = failures;
      try {
        const result = await next(exchange);
        reset();
        return result;
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === undefined) reset();
        else if (isFailure(trouble.data)) failed(before, trouble.message);
        throw error;
      }
    },
  };
}

/** Whether the way to the server is broken: what may be over by the next try, and is not for want of room here. */
function isFailure({ code, retryable }: Readonly<Record<string, unknown>>): boolean {
  return retryable === true && code !== 'overloaded';
}
