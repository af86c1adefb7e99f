import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../support/child-process.ts';
import requirements from './requirements.json' with { type: 'json' };

/** How many things each chapter of the specification asks for. */
const asked = [6, 4, 5, 9, 6, 6, 12, 15, 4, 10, 3, 3, 5, 5, 5, 4];

test('Everything that is asked for is listed once, in order', () => {
  const numbers = requirements.map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  const chapters = numbers.map((number) => Number.parseInt(number, 10));
  expect(chapters).toEqual(chapters.toSorted((left, right) => left - right));
  expect(asked.map((_, chapter) => chapters.filter((each) => each === chapter).length)).toEqual(
    asked,
  );
});

describe.each(requirements)('$number: $what', ({ tests }) => {
  test('is held by tests that are there', () => {
    expect(Object.keys(tests)).not.toEqual([]);
    for (const [file, names] of Object.entries(tests)) {
      const source = readFileSync(path.join(root, file), 'utf8');
      const isNamed = (part: string): boolean =>
        ["'", '"', '`'].some((quote) => source.includes(quote + part + quote));
      const missing = names.flatMap((name) => name.split(' > ')).filter((part) => !isNamed(part));
      expect(missing, `of ${file}`).toEqual([]);
    }
  });
});
