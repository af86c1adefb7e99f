import { Buffer } from 'node:buffer';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { crypto } from '#base';

/** What a proof is about (RFC 9449). */
interface Proven {
  readonly method: string;
  readonly url: string;
  readonly accessToken?: string | undefined;
  readonly nonce?: string | undefined;
}

/** A key that tokens are bound to. */
export interface ProofKey {
  /** The private key, to be kept as carefully as the tokens. */
  readonly jwk: JsonWebKey;
  /** A proof for one request; no two are alike. */
  prove(proven: Proven): string;
}

/** A new key. */
export function createProofKey(): ProofKey {
  const { privateKey } = crypto().generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return proofKeyOf(privateKey.export({ format: 'jwk' }));
}

/** A key that was kept. */
export function proofKeyOf(jwk: JsonWebKey): ProofKey {
  const key = crypto().createPrivateKey({ key: jwk, format: 'jwk' });
  const { kty, crv, x, y } = jwk;
  const header = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } });
  return { jwk, prove: (proven) => sign(key, `${header}.${encode(claimsOf(proven))}`) };
}

function claimsOf({ method, url, accessToken, nonce }: Proven): object {
  const { origin, pathname } = new URL(url);
  return {
    jti: crypto().randomUUID(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor(Date.now() / 1000),
    ath: accessToken === undefined ? undefined : digestOf(accessToken),
    nonce,
  };
}

function digestOf(token: string): string {
  return crypto().createHash('sha256').update(token).digest('base64url');
}

function sign(key: KeyObject, text: string): string {
  const signature = crypto().sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
