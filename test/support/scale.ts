import { test } from 'vitest';

/** Which share of the long runs is made: all of them in `npm run chaos`, one in forty elsewhere. */
const faultShare = Number(process.env['FAULT_SHARE'] ?? 0.025);

/** Whether everything is tried, and not a part that stands for it: where nobody waits (`.ci/run`). */
export const isWhole: boolean = process.env['CI'] !== undefined;

/** How often to do what is to be done this many times. */
export const scaled = (times: number): number => Math.max(1, Math.round(times * faultShare));

/** How often to do what only gains by being done often: so many times less where somebody waits. */
export const fewer = (times: number, every: number): number =>
  isWhole ? times : Math.ceil(times / every);

/** Long enough for all of it on a busy machine. */
export const longMs: number = 120_000 + 600_000 * faultShare;

/** Of rows that try the same code, one of every so many; or all. Where `turn` goes up, each row has its turn. */
export function sample<T>(rows: readonly T[], every: number, turn = 0): Sample<T> {
  return told(isWhole ? rows : rows.filter((_, index) => (index + turn) % every === 0), rows);
}

/** `test.each` of such rows, whose titles say how many of them are tried. */
export const oneIn = (every: number): typeof test.each =>
  ((rows: readonly unknown[]) => (title: string, run: () => Promise<void>) => {
    const { tried, share } = sample(rows, every);
    test.each(tried)(`${share}: ${title}`, run);
  }) as typeof test.each;

/** Of a table, rows in which any two values that meet somewhere in it meet; or all. */
export function pairwise<T extends object>(rows: readonly T[]): Sample<T> {
  const pairsOf = (row: T): readonly string[] => {
    const cells = Object.entries(row).map((cell) => JSON.stringify(cell));
    return cells.flatMap((one, at) => cells.slice(at + 1).map((other) => `${one} ${other}`));
  };
  const met = new Set<string>();
  const chosen: T[] = [];
  const newIn = (row: T): number => pairsOf(row).filter((pair) => !met.has(pair)).length;
  for (;;) {
    const best = rows.reduce((a, b) => (newIn(b) > newIn(a) ? b : a));
    if (newIn(best) === 0) break;
    chosen.push(best);
    for (const pair of pairsOf(best)) met.add(pair);
  }
  return told(isWhole ? rows : chosen, rows);
}

export interface Sample<T> {
  readonly tried: readonly T[];
  /** Such as "3 of 12". */
  readonly share: string;
}

function told<T>(tried: readonly T[], all: readonly T[]): Sample<T> {
  return { tried, share: `${tried.length} of ${all.length}` };
}
