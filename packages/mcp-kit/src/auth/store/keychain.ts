import { Buffer } from 'node:buffer';
import { crypto, KitError, type Logger } from '#base';
import { createSeal, type Seal } from './seal.ts';

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
