import { isPromise, KitError, type Logger, type MaybePromise } from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';

/** How a store answers. */
export type StoreHealth = 'up' | 'slow' | 'down';

/** A store of which it is known how it answers. */
export interface WatchedStore {
  readonly store: Store;
  health(): StoreHealth;
}

/** So many failures in a row, and it is not asked any more. */
const failuresToBreak = 3;
/** How often it is asked then whether it is back. */
const probeMs = 500;
/** What takes longer is slow; the store is, where it happens to more than one in twenty within such a window. */
const slowMs = 100;
const windowMs = 2000;
const leastCount = 20;

/** Watches how a store answers. One that is away is no longer waited for: each question would cost its whole time. */
export function watchStore(asked: Store, logger: Logger): WatchedStore {
  let failures = 0;
  let probedMs = -Infinity;
  let window = { startMs: 0, count: 0, slow: 0 };
  let isSlow = false;
  let told: StoreHealth = 'up';
  const health = (): StoreHealth => {
    if (failures >= failuresToBreak) return 'down';
    return isSlow ? 'slow' : 'up';
  };
  const tell = (): void => {
    const now = health();
    if (now === told) return;
    told = now;
    if (now === 'up') logger.info('the store answers again');
    else logger.warn(now === 'down' ? 'the store does not answer' : 'the store answers slowly');
  };
  const answered = (startedMs: number): void => {
    const nowMs = performance.now();
    if (health() === 'down') {
      isSlow = false;
      window = { startMs: nowMs, count: 0, slow: 0 };
    }
    failures = 0;
    window.count += 1;
    if (nowMs - startedMs > slowMs) window.slow += 1;
    if (nowMs - window.startMs > windowMs) {
      isSlow = window.count >= leastCount && window.slow * 20 > window.count;
      window = { startMs: nowMs, count: 0, slow: 0 };
    }
    tell();
  };
  const failed = (error: unknown): never => {
    if (!(error instanceof KitError) || error.code !== 'unreachable') throw error;
    failures += 1;
    tell();
    throw health() === 'down' ? away(error) : error;
  };
  const ask = <T>(work: () => MaybePromise<T>): MaybePromise<T> => {
    const startedMs = performance.now();
    if (health() === 'down') {
      if (startedMs - probedMs < probeMs) throw away();
      probedMs = startedMs;
    }
    try {
      const answer = work();
      if (isPromise(answer))
        return answer.then(
          passing(() => answered(startedMs)),
          failed,
        );
      answered(startedMs);
      return answer;
    } catch (error) {
      return failed(error);
    }
  };
  const { kv, log } = asked;
  const store: Store = {
    kv: {
      get: (key) => ask(() => kv.get(key)),
      cas: (...given) => ask(() => kv.cas(...given)),
      list: (prefix) => ask(() => kv.list(prefix)),
    },
    log: {
      append: (...given) => ask(() => log.append(...given)),
      readAfter: (...given) => ask(() => log.readAfter(...given)),
      watch: (key, woken) => log.watch(key, woken),
      delete: (key) => ask(() => log.delete(key)),
    },
    close: () => asked.close(),
  };
  return { store, health };
}

function passing<T>(then: () => void): (value: T) => T {
  return (value) => {
    then();
    return value;
  };
}

/** It has been told to the log that it is away: whoever meets this need not say so again. */
function away(cause?: unknown): KitError {
  const details = { isTold: true };
  return new KitError('unreachable', 'the store does not answer', { details, cause });
}
