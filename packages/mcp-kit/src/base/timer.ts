/** Lets the process end although a timer is set; some runtimes have timers that are mere numbers. */
export function unref<T>(timer: T): T {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
  }
  return timer;
}
