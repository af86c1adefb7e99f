/**
 * What a promise settles with, unless a timer of this process that is started now fires first. A machine that stands still
 * delays both alike, so this orders timers; it is no bound for what comes from sockets or processes.
 */
export async function before<T>(ms: number, promise: Promise<T>): Promise<T | 'too late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'too late'>((resolve) => {
    timer = setTimeout(() => resolve('too late'), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
