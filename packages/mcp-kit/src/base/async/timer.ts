/** A timer set for longer would fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1;

/** Calls later, after however long: `Infinity` is as good as never. */
export function startTimer(then: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(then, Math.min(ms, longestTimerMs));
}

/** Lets the process end although a timer is set; some runtimes have timers that are mere numbers. */
export function unref<T>(timer: T): T {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
  }
  return timer;
}
