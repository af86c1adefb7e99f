import { expect, test } from 'vitest';
import { changesBetween, showChange } from './diff.ts';

test('changes are named at the smallest places', () => {
  const before = { a: 1, b: { c: [1, 2], 'd/e~': 'x' }, gone: true };
  const now = { b: { 'd/e~': 'y', c: [1, 3, 4] }, a: 1, fresh: null };
  expect(changesBetween(before, now)).toEqual([
    { pointer: '/b/c/1', before: 2, now: 3 },
    { pointer: '/b/c/2', before: undefined, now: 4 },
    { pointer: '/b/d~1e~0', before: 'x', now: 'y' },
    { pointer: '/fresh', before: undefined, now: null },
    { pointer: '/gone', before: true, now: undefined },
  ]);
});

test('the order of members is no change, that of items is', () => {
  expect(changesBetween({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  expect(changesBetween([1, 2], [2, 1])).toHaveLength(2);
  expect(changesBetween({ 0: 1 }, [1])).toEqual([{ pointer: '', before: { 0: 1 }, now: [1] }]);
});

test('what a terminal would obey or hide is written out', () => {
  const change = {
    pointer: '/\u001b[2J',
    before: 'a\u202eb\u200b',
    now: 'c\u{e0041}\ufe0f\u3164\u2028',
  };
  expect(showChange(change)).toEqual([
    '/\\u{1b}[2J',
    '- "a\\u{202e}b\\u{200b}"',
    '+ "c\\u{e0041}\\u{fe0f}\\u{3164}\\u{2028}"',
  ]);
});

test('a change shows only the sides there are, and not without end', () => {
  expect(showChange({ pointer: '', before: undefined, now: 1 })).toEqual(['/', '+ 1']);
  const [, line = ''] = showChange({ pointer: '/a', before: 'x'.repeat(5000), now: undefined });
  expect(line).toHaveLength(2000 + '- … (3002 more characters)'.length);
});
