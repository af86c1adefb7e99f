import { abortedBy, createDeferred, KitError, startTimer, type StopSignal } from '#base';

export interface LimitOptions {
  /** What is limited, as errors name it. */
  readonly subject: string;
  /** The caller's. */
  readonly signal?: StopSignal | undefined;
  /** Fires, with the reason, when the session has ended. */
  readonly ended?: AbortSignal | undefined;
  /** For ever, unless given. */
  readonly timeoutMs?: number | undefined;
}

/** How far something may go: its signal fires with a `KitError` when the caller, the clock or the session says stop. */
export interface Limit {
  readonly signal: AbortSignal;
  /** What is left of the time. */
  readonly leftMs: number;
  /** What the work gives; or the reason, as soon as the signal has fired. */
  within<T>(work: Promise<T>): Promise<T>;
  stop(reason: unknown): void;
  /** It is done: nothing will fire any more. */
  lift(): void;
}

export function createLimit(options: LimitOptions): Limit {
  const { subject, signal, ended, timeoutMs = Infinity } = options;
  const endMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  const stopped = createDeferred<never>();
  // Perhaps nobody waits any more.
  stopped.promise.catch(() => {});
  const stop = (reason: unknown): void => {
    controller.abort(reason);
    stopped.reject(controller.signal.reason);
  };
  const onAbort = (): void => {
    stop(abortedBy(subject, signal?.reason));
  };
  const onEnd = (): void => stop(ended?.reason);
  const onLate = (): void => {
    const shownMs = Math.round(timeoutMs);
    stop(new KitError('timeout', `${subject}: not done within ${shownMs} ms`));
  };
  const timer = timeoutMs === Infinity ? undefined : startTimer(onLate, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  ended?.addEventListener('abort', onEnd, { once: true });
  if (signal?.aborted) onAbort();
  if (ended?.aborted) onEnd();
  return {
    signal: controller.signal,
    get leftMs() {
      return Math.max(0, endMs - performance.now());
    },
    within: (work) => Promise.race([work, stopped.promise]),
    stop,
    lift() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      ended?.removeEventListener('abort', onEnd);
    },
  };
}

/** Waits for work at most to its limit; then it is left alone, and whoever waited is told at once. */
export async function waitWithin<T>(
  options: LimitOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = createLimit(options);
  try {
    limit.signal.throwIfAborted();
    return await limit.within(work(limit.signal));
  } finally {
    limit.lift();
  }
}

/** What a promise gives, if it does so soon. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const late = createDeferred<undefined>();
  const timer = startTimer(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

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
