import { Buffer } from 'node:buffer';
import { crypto, KitError, type Logger } from '#base';

/** One secret in the keychain of the system. */
export interface KeychainEntry {
  get(): string | undefined | null;
  set(secret: string): void;
}

/** The package that reaches the keychains of systems. It is used where it is installed, and never installed by us. */
const packageName: string = '@napi-rs/keyring';

/** The seal whose key is in the keychain of the system; undefined where there is none that can be used. */
export async function findSeal(logger: Logger): Promise<Seal | undefined> {
  let keyring: { readonly Entry: KeyringEntryConstructor };
  try {
    keyring = (await import(packageName)) as typeof keyring;
  } catch {
    return undefined;
  }
  try {
    // The other store that Linux may have forgets everything when the machine is turned off.
    const options = { linux: { store: 'secret-service' } };
    const entry = new keyring.Entry('mcp-kit', 'credentials', options);
    return sealFrom({
      get: () => entry.getPassword(),
      set: (secret) => entry.setPassword(secret),
    });
  } catch (error) {
    // No service that keeps secrets runs here, as over SSH and in containers, or it is locked.
    logger.info(`the keychain of the system cannot be used: ${String(error)}`);
    return undefined;
  }
}

type KeyringEntryConstructor = new (
  service: string,
  account: string,
  options: object,
) => { getPassword(): string | null; setPassword(secret: string): void };

const keyBytes = 32;

/** The seal whose key an entry of a keychain holds; the first time, one is made and put there. */
export function sealFrom(entry: KeychainEntry): Seal {
  const known = keyIn(entry);
  if (known !== undefined) return createSeal(known);
  entry.set(crypto().randomBytes(keyBytes).toString('base64url'));
  // Whoever did the same at the same time may have had the last word.
  const agreed = keyIn(entry);
  if (agreed !== undefined) return createSeal(agreed);
  throw new KitError(
    'invalid_config',
    'the keychain of the system does not keep what is put there',
  );
}

function keyIn(entry: KeychainEntry): Uint8Array | undefined {
  const key = Buffer.from(entry.get() ?? '', 'base64url');
  return key.length === keyBytes ? key : undefined;
}

/** Closes texts so that only whoever has the key can read them; each under a name that it cannot be moved from. */
export interface Seal {
  close(text: string, name: string): string;
  /** The text; undefined when it was closed with another key, or under another name. */
  open(sealed: string, name: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

/** A seal with a key of 32 bytes. */
export function createSeal(key: Uint8Array): Seal {
  return {
    close: (text, name) => {
      const nonce = crypto().randomBytes(nonceBytes);
      const cipher = crypto().createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(name));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open: (sealed, name) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const nonce = bytes.subarray(0, nonceBytes);
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      try {
        const options = { authTagLength: tagBytes };
        const decipher = crypto().createDecipheriv('aes-256-gcm', key, nonce, options);
        decipher.setAAD(Buffer.from(name));
        decipher.setAuthTag(tag);
        const body = bytes.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
