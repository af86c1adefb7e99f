import { Buffer } from 'node:buffer';
import { canonicalJson, crypto, keysFrom, KitError, type Keys } from '#base';
import { isRecord, type Exchange, type Params } from '#jsonrpc';
import { callerOf } from './caller.ts';

/** Seals data that a client carries for us, so that it can neither be read, changed, nor used elsewhere. */
export interface Sealer {
  seal(data: unknown, binding: unknown): string;
  /** The data, or nothing when the seal is broken, expired or bound to something else. */
  open(sealed: string, binding: unknown): unknown;
}

/** The keys of a sealer, and how long a seal holds. */
export interface SealerOptions {
  /** 32-byte keys, or what has them at any moment: the first seals, all open. Add a new one in front to rotate. */
  readonly keys?: Keys | undefined;
  readonly ttlMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

/** What a sealed state is good for: this caller, this method, these parameters. */
export function bindingOf(exchange: Exchange): readonly unknown[] {
  const { method, params } = exchange.message;
  const { _meta, inputResponses, requestState, ...rest }: Params = params ?? {};
  return [callerOf(exchange) ?? null, method, rest];
}

const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

interface SealKey {
  readonly key: Uint8Array;
  readonly id: Buffer;
}

/** Without keys a random one is made: states then do not survive a restart. */
export function createSealer(options: SealerOptions = {}): Sealer {
  const { ttlMs = 15 * 60_000, now = Date.now } = options;
  const keys = keysFrom(options.keys, 'request-state');
  let named: readonly SealKey[] = [];
  let seen: readonly Uint8Array[] | undefined;
  const keyRing = (): readonly SealKey[] => {
    const current = keys();
    if (current !== seen) named = current.map((key) => ({ key, id: keyId(key) }));
    seen = current;
    return named;
  };

  return {
    seal(data, binding) {
      const [current] = keyRing();
      if (current === undefined) throw new KitError('invalid_argument', 'no request-state key');
      const nonce = crypto().randomBytes(nonceBytes);
      const cipher = crypto().createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(digest(binding));
      const plain = JSON.stringify({ data, expires: now() + ttlMs });
      const sealed = [cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat([current.id, nonce, ...sealed]).toString('base64url');
    },
    open(sealed, binding) {
      const bytes = Buffer.from(sealed, 'base64url');
      // Decoding forgives stray characters; a seal must not.
      if (bytes.toString('base64url') !== sealed) return undefined;
      if (bytes.length < keyIdBytes + nonceBytes + tagBytes) return undefined;
      const wanted = bytes.subarray(0, keyIdBytes);
      const known = keyRing().find(({ id }) => id.equals(wanted));
      if (known === undefined) return undefined;
      const plain = decrypt(known.key, bytes.subarray(keyIdBytes), digest(binding));
      return isRecord(plain) && Number(plain['expires']) > now() ? plain['data'] : undefined;
    },
  };
}

function keyId(key: Uint8Array): Buffer {
  return crypto().createHash('sha256').update(key).digest().subarray(0, keyIdBytes);
}

function decrypt(key: Uint8Array, bytes: Buffer, binding: Buffer): unknown {
  const decipher = crypto().createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAAD(binding);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return JSON.parse(Buffer.concat([body, decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

function digest(value: unknown): Buffer {
  return crypto().createHash('sha256').update(canonicalJson(value)).digest();
}
