import { expect, test } from 'vitest';
import { KitError } from '#base';
import { runBatch } from './batch.ts';

test('what is known to be no bug is the failure of its item, and nobody is told of a bug', async () => {
  const bugs: unknown[] = [];
  const { failed } = await runBatch({
    items: ['slow', 'broken'],
    name: (item) => item,
    work(item) {
      throw item === 'slow' ? new KitError('timeout', 'no answer in time') : new Error('a bug');
    },
    onBug: (_error, item) => bugs.push(item),
  });
  expect(failed).toMatchObject([
    { item: 'slow', error: { code: 'E_TIMEOUT', retryable: true } },
    { item: 'broken', error: { code: 'E_INTERNAL', message: 'Internal error' } },
  ]);
  expect(bugs).toEqual(['broken']);
});
