import { setMaxListeners } from 'node:events';
import { abortedBy, createDeferred, KitError, startTimer, type StopSignal } from 'mcp-kit/internal';

/** How long somebody waits for work that goes on for others when they give up. */
export interface WaitLimits {
  readonly signal?: StopSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Waits for work within limits. `subject` is what errors name. */
export async function waitWithin<T>(
  work: Promise<T>,
  subject: string,
  { signal, timeoutMs }: WaitLimits,
): Promise<T> {
  const { promise: givenUp, reject } = createDeferred<never>();
  const onAbort = (): void => {
    reject(abortedBy(subject, signal?.reason));
  };
  const onLate = (): void => {
    reject(new KitError('timeout', `${subject}: not done within ${timeoutMs} ms`));
  };
  const timer = timeoutMs === undefined ? undefined : startTimer(onLate, timeoutMs);
  // Many may wait with one signal; that is no leak, although Node warns of one.
  if (signal instanceof AbortSignal) setMaxListeners(0, signal);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
