import { Buffer } from 'node:buffer';
import { crypto, isRecord, KitError } from 'mcp-kit/internal';
import type { Caller } from 'mcp-kit/transport/http';

/** What is kept of a key: enough to recognise it, too little to use it. */
interface ApiKeyEntry {
  readonly id: string;
  /** `sha256:` and the digest of the key in hexadecimal. */
  readonly hash: string;
  readonly scopes?: readonly string[] | undefined;
  /** A date, as in `2027-01-31` or `2027-01-31T12:00:00Z`. */
  readonly expires?: string | undefined;
}

interface KnownKey {
  readonly digest: Uint8Array;
  readonly caller: Caller;
  readonly expiresMs: number;
}

/** How keys begin, so that they are recognised, by us and by those who look for leaked secrets. */
export const keyPrefix = 'mcpk_';
const idPattern = /^[a-z0-9-]{1,64}$/;
const keyPattern = /^mcpk_([a-z0-9-]{1,64})_[\w-]{43}$/;

/** A new key: the text for its owner, to be shown once, and the entry to keep. A hash without salt is enough for 256 random bits. */
export function createApiKey(
  id: string,
  more: Pick<ApiKeyEntry, 'scopes' | 'expires'> = {},
): { readonly key: string; readonly entry: ApiKeyEntry } {
  if (!idPattern.test(id)) {
    throw new KitError('invalid_argument', `not a name for a key: ${JSON.stringify(id)}`, {
      hint: 'Use 1 to 64 lower-case letters, digits and "-".',
    });
  }
  const key = `${keyPrefix}${id}_${crypto().randomBytes(32).toString('base64url')}`;
  return {
    key,
    entry: { id, hash: `sha256:${Buffer.from(digestOf(key)).toString('hex')}`, ...more },
  };
}

/** Says whose key a text is; nothing when it is nobody's, or no longer. */
export type ApiKeys = (key: string, nowMs?: number) => Caller | undefined;

/** Recognises keys by their entries: `{ "keys": […] }`. */
export function readApiKeys(value: unknown): ApiKeys {
  const list = isRecord(value) ? value['keys'] : undefined;
  if (!Array.isArray(list)) throw wrong('there is no list of keys');
  const known = new Map<string, KnownKey>();
  for (const item of list) {
    const entry = readEntry(item);
    if (known.has(entry.id)) throw wrong(`the key ${entry.id} is there twice`);
    known.set(entry.id, {
      digest: Buffer.from(entry.hash.slice('sha256:'.length), 'hex'),
      caller: { principal: `key ${entry.id}`, scopes: new Set(entry.scopes) },
      expiresMs: entry.expires === undefined ? Infinity : Date.parse(entry.expires),
    });
  }
  const nobody = Buffer.alloc(32);
  return (key, nowMs = Date.now()) => {
    const id = keyPattern.exec(key)?.[1];
    if (id === undefined) return undefined;
    const found = known.get(id);
    // A name that nobody has takes as long as one that somebody has.
    const same = crypto().timingSafeEqual(digestOf(key), found?.digest ?? nobody);
    return found !== undefined && same && nowMs < found.expiresMs ? found.caller : undefined;
  };
}

function digestOf(key: string): Uint8Array {
  return crypto().hash('sha256', key, 'buffer');
}

function readEntry(item: unknown): ApiKeyEntry {
  const { id, hash, scopes, expires } = isRecord(item) ? item : {};
  if (typeof id !== 'string' || !idPattern.test(id)) {
    throw wrong(`a key has no name that can be used: ${JSON.stringify(id)}`);
  }
  if (typeof hash !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(hash)) {
    throw wrong(`the key ${id} has no hash`);
  }
  if (scopes !== undefined && !isTexts(scopes)) throw wrong(`the scopes of ${id} are not texts`);
  if (expires !== undefined && (typeof expires !== 'string' || Number.isNaN(Date.parse(expires)))) {
    throw wrong(`the key ${id} expires on a day that is none`);
  }
  return { id, hash, scopes, expires };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function wrong(message: string): KitError {
  return new KitError('invalid_config', `API keys: ${message}`, {
    hint: 'Make keys with: mcpctl serve --api-keys FILE --new-api-key NAME',
  });
}
