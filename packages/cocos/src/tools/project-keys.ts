import type { KeptKeys } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import { KitError } from 'mcp-kit/internal';
import type { Values } from 'mcp-kit/store';

/** Where nothing says for how long. */
const longMs = 7 * 24 * 60 * 60_000;

/** The keys of calls, kept with the project that the calls are about: what a call did and that it did are then one change. */
export function projectKeys(keys: KeptKeys): { readonly kv: Values } {
  const kv: Values = {
    get: (key) => keys.known(key),
    cas: (...[key, expected, value, { ttlMs = longMs } = {}]) =>
      value === undefined
        ? keys.forget(key, expected)
        : telling(keys.remember({ key, expected, value, ttlMs })),
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
