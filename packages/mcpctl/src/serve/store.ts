import { KitError, secretIn } from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';
import type { ServeSettings } from './settings.ts';

/** The place that ends with the process. */
export const inMemory = 'memory';

/** Whether a place is named that a server of its own has, for all machines. */
export function isRemote(place: string): boolean {
  return /^rediss?:\/\//.test(place);
}

/** A store that a command has opened. */
export interface OpenedStore extends AsyncDisposable {
  /** Nothing where the memory of the process is enough, or all there is. */
  readonly store: Store | undefined;
}

/** Where state is to be kept. */
interface StorePlace {
  /** What somebody has named. */
  readonly wanted?: string | undefined;
  /** Where it is kept otherwise, if that can be. */
  readonly usual?: string | undefined;
}

/** Where settings say that state is kept. */
export function placeOf({ place }: Pick<ServeSettings, 'place'>): StorePlace {
  return { wanted: place.kind === 'http' ? place.server.store : undefined };
}

/** Keys for what clients carry, which every process that opens the store has; random ones where there is none. */
export async function keysIn(
  store: Store | undefined,
  name: 'plan' | 'request-state',
): Promise<{ readonly keys: readonly Uint8Array[] } | undefined> {
  return store && { keys: [await secretIn(store, name)] };
}

/** Opens a store. Where the database cannot be loaded, or nobody has named the place, memory must do, and that is said. */
export async function openStore(
  { wanted, usual }: StorePlace,
  warn: (text: string) => void,
): Promise<OpenedStore> {
  const place = wanted ?? usual;
  const failed = (error: unknown): undefined => {
    const isMissing = error instanceof KitError && error.details?.['isMissing'] === true;
    if (wanted !== undefined && !isMissing) throw error;
    const why = error instanceof Error ? error.message : String(error);
    warn(`state is kept in memory, and ends with this process: ${why}`);
  };
  const store =
    place === undefined || place === inMemory ? undefined : await open(place).catch(failed);
  return { store, [Symbol.asyncDispose]: async () => store?.close() };
}

async function open(place: string): Promise<Store> {
  if (isRemote(place)) {
    const { openRedisStore } = await import('@mcp-kit/store-redis').catch((cause: unknown) => {
      const message = 'the library that speaks to Redis cannot be loaded';
      throw new KitError('invalid_argument', message, { hint: 'Install ioredis.', cause });
    });
    return openRedisStore(place);
  }
  const { openFileStore } = await import('@mcp-kit/store-file');
  return openFileStore(place);
}
