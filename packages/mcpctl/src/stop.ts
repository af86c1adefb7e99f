import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes on what the terminal has sent to its whole group already: so soon, it is the same keypress. */
const echoMs = 100;

/** Fires at the first signal that asks this process to stop; the same signal once more ends it at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    let firstMs: number | undefined;
    process.on(signal, () => {
      firstMs ??= performance.now();
      if (performance.now() - firstMs > echoMs) process.exit(signalCode(signal));
      controller.abort(signal);
    });
  }
  return controller.signal;
}

/** What a shell reports for a process that a signal has ended. */
export function signalCode(signal: unknown): number {
  const known = signals.find((name) => name === signal);
  return known === undefined ? 1 : 128 + constants.signals[known];
}

/** Settles when the signal has fired. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Waits for an end in order, but not for ever: someone is watching the terminal. */
export function within<T>(ms: number, ending: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    ending.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
