import { crypto, KitError } from '#base';
import { Buffer } from 'node:buffer';
import type { Values } from './store.ts';

const bytes = 32;

/** The secret of this name in a store, made by whoever asks first: all who have the store have the same one. */
export async function secretIn({ kv }: { readonly kv: Values }, name: string): Promise<Uint8Array> {
  const at = `secret/${name}`;
  await kv.cas(at, undefined, crypto().randomBytes(bytes).toString('base64'));
  const secret = Buffer.from((await kv.get(at)) ?? '', 'base64');
  if (secret.length === bytes) return secret;
  throw new KitError('invalid_argument', `the store has no secret ${name}, and keeps none`);
}
