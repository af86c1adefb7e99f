import { KitError } from './error.ts';

/** A timer set for longer would fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1;

/** Calls later, after however long: `Infinity` is as good as never. */
export function startTimer(then: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(then, Math.min(ms, longestTimerMs));
}

/** Refuses what is no time to wait; `Infinity` is one, and so is nothing. */
export function requireTime(name: string, ms: number | undefined): void {
  if (ms === undefined || ms > 0) return;
  throw new KitError('invalid_argument', `${name} is ${ms}: not a time to wait`, {
    hint: 'Give milliseconds above 0, Infinity for no limit, or nothing for the default.',
  });
}

/** Lets the process end although a timer is set; some runtimes have timers that are mere numbers. */
export function unref<T>(timer: T): T {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
  }
  return timer;
}

/** Waits; rejects when the signal fires first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises');
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (cause) {
    throw new KitError('aborted', 'given up by the caller', { cause, details: { ran: false } });
  }
}

export interface BackoffOptions {
  readonly firstMs?: number | undefined;
  readonly maxMs?: number | undefined;
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
