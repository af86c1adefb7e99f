import { KitError } from '../error.ts';
import { crypto } from '../node-modules.ts';

/** Keys of 32 bytes, or what has them at any moment: the first seals, all open. */
export type Keys = readonly Uint8Array[] | (() => readonly Uint8Array[]);

const keyBytes = 32;

/** What has the keys, asked each time. Without any a random one is made, which ends with the process. */
export function keysFrom(keys: Keys | undefined, what: string): () => readonly Uint8Array[] {
  if (typeof keys === 'function') return keys;
  if (keys?.length === 0 || keys?.some((key) => key.length !== keyBytes) === true) {
    throw new KitError('invalid_argument', `${what} keys must have ${keyBytes} bytes each`);
  }
  let made = keys;
  return () => (made ??= [crypto().randomBytes(keyBytes)]);
}
