import { createDeferred, KitError, startTimer } from '#base';

export interface LimitOptions {
  /** What is limited, as errors name it. */
  readonly subject: string;
  /** The caller's. */
  readonly signal?: AbortSignal | undefined;
  /** Fires, with the reason, when the session has ended. */
  readonly ended?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** How far something may go: its signal fires with a `KitError` when the caller, the clock or the session says stop. */
export interface Limit {
  readonly signal: AbortSignal;
  /** It is done: nothing will fire any more. */
  lift(): void;
}

export function createLimit({ subject, signal, ended, timeoutMs }: LimitOptions): Limit {
  const controller = new AbortController();
  const onAbort = (): void => {
    const cause: unknown = signal?.reason;
    controller.abort(new KitError('aborted', `${subject}: cancelled by the caller`, { cause }));
  };
  const onEnd = (): void => controller.abort(ended?.reason);
  const onLate = (): void => {
    const shownMs = Math.round(timeoutMs);
    controller.abort(new KitError('timeout', `${subject}: not done within ${shownMs} ms`));
  };
  const timer = timeoutMs === Infinity ? undefined : startTimer(onLate, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  ended?.addEventListener('abort', onEnd, { once: true });
  if (signal?.aborted) onAbort();
  if (ended?.aborted) onEnd();
  return {
    signal: controller.signal,
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
  const { signal, lift } = createLimit(options);
  try {
    return await orAborted(signal, () => work(signal));
  } finally {
    lift();
  }
}

/** What the work gives; or the reason of the signal, as soon as it fires. */
export async function orAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = createDeferred<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
