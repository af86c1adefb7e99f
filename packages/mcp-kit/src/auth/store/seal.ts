import { Buffer } from 'node:buffer';
import { crypto } from '#base';

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
