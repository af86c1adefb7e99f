const firstMs = 1000;
const usuallyLongestMs = 30_000;
const growth = 1.6;
/** However impatient a server is. */
const leastMs = 25;
/** From the second try in vain. */
const leastAgainMs = 100;

/**
 * How long to wait before the next try, after so many in vain; `retryMs` is what the server asked for, and more than
 * `longestMs` is waited only when it is more.
 */
export function backOff(
  failures: number,
  retryMs: number | undefined,
  longestMs: number = usuallyLongestMs,
): number {
  if (retryMs !== undefined && failures === 0) return Math.max(retryMs, leastMs);
  const base = Math.max(retryMs ?? firstMs, leastAgainMs);
  const grown = Math.min(base * growth ** failures, Math.max(longestMs, base));
  // Clients that lost the same server must not come back all at once.
  return retryMs === undefined
    ? grown * (0.8 + 0.4 * Math.random())
    : grown * (1 + 0.2 * Math.random());
}
