import { expect, test } from 'vitest';
import { walkPages, weightOf, type PageOptions } from './pages.ts';

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor?: string;
}

async function all(fetch: (options: PageOptions) => Page): Promise<number> {
  let count = 0;
  const pages = walkPages(
    'things/list',
    async (options) => fetch(options),
    ({ items }: Page) => items,
  );
  for await (const _ of pages) count += 1;
  return count;
}

/** A server that always has one more page. */
function endless(items: readonly unknown[], cursorOf = (page: number): string => `${page}`) {
  let asked = 0;
  const fetch = (): Page => {
    asked += 1;
    return { items, nextCursor: cursorOf(asked) };
  };
  return { fetch, asked: () => asked };
}

test('a list ends where its server says so', async () => {
  const fetch = ({ cursor }: PageOptions): Page =>
    cursor === '3' ? { items: [1] } : { items: [1, 2], nextCursor: `${Number(cursor ?? 0) + 1}` };
  expect(await all(fetch)).toBe(7);
});

test.each([
  ['large pages', endless([{ text: 'x'.repeat(1024 * 1024) }]), 65],
  ['pages of many parts', endless([Array.from({ length: 50_000 }, () => 0)]), 90],
  ['long cursors', endless([], (page) => `${page}`.padStart(1024 * 1024, '-')), 65],
])('a list with ever more %s is too long', async (_, server, most) => {
  await expect(all(server.fetch)).rejects.toMatchObject({
    code: 'invalid_answer',
    message: 'things/list: the list is too long',
  });
  expect(server.asked()).toBeLessThan(most);
});

test('a list that goes round in circles never ends', async () => {
  await expect(all(endless([1], () => 'again').fetch)).rejects.toMatchObject({
    message: 'things/list: the list never ends',
  });
});

test('what a value weighs grows with all that is in it', () => {
  expect(weightOf('x'.repeat(1000))).toBe(1000);
  expect(weightOf({ ['n'.repeat(1000)]: [null, true, 1] })).toBeGreaterThan(1000 + 3);
});
