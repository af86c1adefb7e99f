import { Buffer } from 'node:buffer';
import { crypto, keysFrom, type Keys } from '#base';

/** How sessions are named. */
export interface SessionIds {
  create(): string;
  /** Whether a name may be one that was created: where there are keys, others cannot be made up. */
  isOurs(id: string): boolean;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const uuidLength = 36;
const sealBytes = 9;

/** Names that nobody guesses; with keys each is sealed, so that no store is asked about one that was made up. */
export function sessionIds(keys: Keys | undefined): SessionIds {
  if (keys === undefined) return { create: newId, isOurs: (id) => uuid.test(id) };
  const current = keysFrom(keys, 'session');
  return {
    create() {
      const id = newId();
      const [key = ''] = current();
      return `${id}.${sealOf(key, id)}`;
    },
    isOurs(named) {
      const id = named.slice(0, uuidLength);
      const seal = Buffer.from(named.slice(uuidLength));
      const isSealed = (key: Uint8Array): boolean => {
        const expected = Buffer.from(`.${sealOf(key, id)}`);
        return expected.length === seal.length && crypto().timingSafeEqual(expected, seal);
      };
      return uuid.test(id) && current().some(isSealed);
    },
  };
}

function sealOf(key: Uint8Array | string, id: string): string {
  const digest = crypto().createHmac('sha256', key).update(id).digest();
  return digest.subarray(0, sealBytes).toString('base64url');
}

/** Through bytes, because Node glues the id together from pieces that would all be kept: ten times its size. */
function newId(): string {
  return Buffer.from(crypto().randomUUID(), 'latin1').toString('latin1');
}
