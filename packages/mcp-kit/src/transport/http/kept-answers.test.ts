import { expect, test } from 'vitest';
import { KeptAnswers } from './kept-answers.ts';

test('what follows each event of an answer is known, and nothing of others', () => {
  const answers = new KeptAnswers();
  answers.keep('1.1', '1.2', 'final');
  expect([answers.after('1.1'), answers.after('1.2'), answers.after('2.1')]).toEqual([
    'final',
    '',
    undefined,
  ]);
});

test('only the latest answers are kept', () => {
  const answers = new KeptAnswers();
  for (let at = 1; at <= 100; at++) answers.keep(`${at}.1`, `${at}.2`, `answer ${at}`);
  const kept = Array.from({ length: 100 }, (_, at) => answers.after(`${at + 1}.1`)).filter(Boolean);
  expect(kept).toHaveLength(8);
  expect(kept.at(-1)).toBe('answer 100');
});
