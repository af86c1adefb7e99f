import type { KeptKeys } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import { KitError } from 'mcp-kit/internal';
import type { Kv, Store } from 'mcp-kit/store';

/** Where nothing says for how long. */
const longMs = 7 * 24 * 60 * 60_000;

/** The keys of calls, kept with the project that the calls are about: what a call did and that it did are then one change. */
export function projectKeys(keys: KeptKeys): Pick<Store, 'kv'> {
  const kv: Kv = {
    get: (key) => keys.known(key),
    async put(key, value, { ttlMs = longMs } = {}) {
      const note = { key, value, ttlMs };
      while (!(await telling(keys.remember({ ...note, expected: await keys.known(key) }))));
    },
    cas: (...[key, expected, value, { ttlMs = longMs } = {}]) =>
      telling(keys.remember({ key, expected, value, ttlMs })),
    delete: (key) => keys.forget(key),
  };
  return { kv };
}

/** That there is no room is nothing that asking again at once would change. */
async function telling<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof CocosError) || cause.details?.['isFull'] !== true) throw cause;
    throw new KitError('overloaded', cause.message, {
      hint: 'Delete local/mcp-kit/keys of the project, where nobody repeats a call of before.',
      cause,
    });
  }
}
