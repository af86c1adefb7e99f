import { KitError, type KeyPurpose, type KeyRing } from 'mcp-kit/internal';
import { openKeyRing, type Store } from 'mcp-kit/store';
import type { Place } from './settings.ts';

/** The place that ends with the process. */
export const inMemory = 'memory';

/** Whether a place is named that a server of its own has, for all machines. */
export function isRemote(place: string): boolean {
  return /^rediss?(?:\+sentinel|\+cluster)?:\/\//.test(place);
}

/** What a command keeps for clients, and the keys of what they carry. */
export interface State extends AsyncDisposable {
  /** Nothing where the memory of the process is enough, or all there is. */
  readonly store: Store | undefined;
  /** Those of a file, or of the store; nothing where there is neither. */
  readonly keys: KeyRing | undefined;
}

/** Nothing is kept, and keys end with the process. */
export const noState: Pick<State, 'store' | 'keys'> = { store: undefined, keys: undefined };

/** Where state is to be kept. */
interface StatePlace {
  /** What somebody has named. */
  readonly wanted?: string | undefined;
  /** Where it is kept otherwise, if that can be. */
  readonly usual?: string | undefined;
  /** The file of keys. */
  readonly keys?: string | undefined;
}

/** Where settings say that state is kept, and by themselves otherwise. */
export function statePlace(place: Place, usual?: string): StatePlace {
  if (place.kind !== 'http') return {};
  const { store: wanted, keys } = place.server;
  return { wanted, usual, keys };
}

/** Keys for what clients carry, which every process with the same ring has; random ones where there is none. */
export function keysFor(
  { keys }: Pick<State, 'keys'>,
  purpose: KeyPurpose,
): { readonly keys: ReturnType<KeyRing['keys']> } | undefined {
  return keys && { keys: keys.keys(purpose) };
}

/** Opens store and keys. Where the database cannot be loaded, or nobody has named the place, memory must do, and that is said. */
export async function openState(
  { wanted, usual, keys: file }: StatePlace,
  warn: (text: string) => void,
): Promise<State> {
  const place = wanted ?? usual;
  const failed = (error: unknown): undefined => {
    const isMissing = error instanceof KitError && error.details?.['isMissing'] === true;
    if (wanted !== undefined && !isMissing) throw error;
    const why = error instanceof Error ? error.message : String(error);
    warn(`state is kept in memory, and ends with this process: ${why}`);
  };
  const store =
    place === undefined || place === inMemory ? undefined : await openStore(place).catch(failed);
  const ring = file ?? store;
  try {
    const keys = ring === undefined ? undefined : await openKeyRing(ring);
    const close = async (): Promise<void> => {
      keys?.close();
      await store?.close();
    };
    return { store, keys, [Symbol.asyncDispose]: close };
  } catch (error) {
    await store?.close();
    throw error;
  }
}

/** Opens the store of a folder, or that of a server. */
export async function openStore(place: string): Promise<Store> {
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
