import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '#store';
import { storeContract } from './store-contract.ts';

describe('memory store', () => {
  let time = 0;
  const cases = storeContract(() => createMemoryStore({ now: () => time }), {
    pass: (ms) => {
      time += ms;
    },
  });
  test.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
