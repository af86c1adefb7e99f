import type { Logger } from '#base';
import type { Kv, Store } from '#store';

/** The part of a store that governance and workflows use. */
export type Keeping = Pick<Store, 'kv'>;

/** The memory of this process; loaded when something is first kept there, because most calls keep nothing. */
export function memoryOnDemand(logger: Logger): Keeping {
  let loaded: Promise<Kv> | undefined;
  const load = (): Promise<Kv> => {
    loaded ??= import('#store').then(({ createMemoryStore }) => createMemoryStore({ logger }).kv);
    return loaded;
  };
  return {
    kv: {
      get: async (key) => (await load()).get(key),
      put: async (key, value, options) => (await load()).put(key, value, options),
      cas: async (...args) => (await load()).cas(...args),
      delete: async (key) => (await load()).delete(key),
    },
  };
}
