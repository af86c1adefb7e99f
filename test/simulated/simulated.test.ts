import { expect, test } from 'vitest';
import { isWhole } from '../support/scale.ts';
import { bugs } from './faults.ts';
import { simulate } from './run.ts';

/** The first seed whose run finds something, and what. */
async function firstFound(
  from: number,
  count: number,
  bug?: (typeof bugs)[number],
): Promise<unknown> {
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      await simulate(seed, bug);
    } catch (error) {
      return `seed ${seed}: ${String(error)}`;
    }
  }
  return undefined;
}

const seeds = Number(process.env['SIMULATED_SEEDS'] ?? (isWhole ? 20_000 : 100));
const first = Number(process.env['SIMULATED_SEED'] ?? 1);

test(
  `streams are taken over, and nothing is lost, doubled or out of order, in ${seeds} worlds`,
  async () => {
    expect(await firstFound(first, seeds)).toBeUndefined();
  },
  120_000 + 100 * seeds,
);

test.each(bugs)('%s: that is found', async (bug) => {
  expect(await firstFound(1, 1000, bug)).toContain('seed');
});
