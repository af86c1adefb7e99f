/** The value below which the share `q` of the numbers lies. */
export function quantile(numbers, q) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted.length === 0
    ? NaN
    : sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

/** The middle of the numbers. */
export const median = (numbers) => quantile(numbers, 0.5);

/** The least value of a field over several runs: other work on the machine can only add to it. */
export const least = (runs, field) => Math.min(...runs.map((run) => run[field]));

/** The greatest value of a field over several runs. */
export const most = (runs, field) => Math.max(...runs.map((run) => run[field]));
