import { startTimer, type MaybePromise } from '#base';

/** How long work may take, and how long it may take to stop. */
export interface Deadline {
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  /** Ends the work early; what it returns nevertheless counts. */
  readonly signal?: AbortSignal | undefined;
}

/** How work under a deadline ended; `late` has nothing for work that threw, `stuck` is still going on. */
export type Ended<T> =
  | { readonly in: 'time'; readonly value: T }
  | { readonly in: 'late'; readonly value?: T }
  | { readonly in: 'stuck' };

/** Does work whose signal fires when its time is up, and waits a little for it to stop; throws what it throws in time. */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => MaybePromise<T>,
  { timeoutMs = Infinity, graceMs, signal }: Deadline,
): Promise<Ended<T>> {
  const controller = new AbortController();
  const give = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) give();
  else signal?.addEventListener('abort', give, { once: true });
  const timers: NodeJS.Timeout[] = [];
  let isLate = false;
  const stuck = new Promise<Ended<T>>((resolve) => {
    if (timeoutMs === Infinity) return;
    const expire = (): void => {
      isLate = true;
      timers.push(startTimer(() => resolve({ in: 'stuck' }), graceMs));
      controller.abort(new DOMException('the time for the stage is up', 'TimeoutError'));
    };
    timers.push(startTimer(expire, timeoutMs));
  });
  const ended = async (): Promise<Ended<T>> => {
    try {
      const value = await work(controller.signal);
      return isLate ? { in: 'late', value } : { in: 'time', value };
    } catch (error) {
      if (isLate) return { in: 'late' };
      throw error;
    }
  };
  try {
    return await Promise.race([ended(), stuck]);
  } finally {
    signal?.removeEventListener('abort', give);
    for (const timer of timers) clearTimeout(timer);
  }
}
