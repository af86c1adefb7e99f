import { expect, test } from 'vitest';
import { isWhole, pairwise, sample } from './scale.ts';

const values = [0, 1, 2];
const rows = values.flatMap((a) => values.flatMap((b) => values.map((c) => ({ a, b, c }))));

test('Of a table, what is tried has any two values together that are together in it', () => {
  const pairsOf = (some: typeof rows): Set<string> =>
    new Set(some.flatMap(({ a, b, c }) => [`a${a} b${b}`, `a${a} c${c}`, `b${b} c${c}`]));
  const { tried, share } = pairwise(rows);
  expect(pairsOf([...tried])).toEqual(pairsOf(rows));
  expect(tried.length).toBeLessThanOrEqual(isWhole ? 27 : 12);
  expect(share).toBe(`${tried.length} of 27`);
});

test('Samples that take turns leave nothing out', () => {
  const turns = [0, 1, 2].flatMap((turn) => sample(rows, 3, turn).tried);
  expect(new Set(turns)).toEqual(new Set(rows));
  expect(turns).toHaveLength(isWhole ? 81 : 27);
});
