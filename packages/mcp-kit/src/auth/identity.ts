import { Buffer } from 'node:buffer';
import type { ClientAuth, CryptoKey } from 'oauth4webapi';
import { crypto, KitError } from '#base';
import type { Issuer } from './issuer.ts';
import { oauth } from './oauth.ts';

/** How a client shows at the token endpoint who it is. */
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A client that an authorization server knows. */
export interface KnownClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Signs who it is, instead of a secret: PKCS #8 in PEM. */
  readonly privateKey?: string | undefined;
  /** `ES256`, unless the key is another; for RSA keys `RS256` or `PS256`, …. */
  readonly algorithm?: string | undefined;
  readonly keyId?: string | undefined;
  readonly method?: AuthMethod | undefined;
}

/** The way in which a client proves itself to an issuer. */
export async function clientAuthOf(client: KnownClient, issuer: Issuer): Promise<ClientAuth> {
  const { None, ClientSecretPost, PrivateKeyJwt } = await oauth();
  const { secret = '', privateKey = '', keyId } = client;
  switch (methodOf(client, issuer)) {
    case 'none':
      return None();
    case 'client_secret_basic':
      return basicSecret(secret);
    case 'client_secret_post':
      return ClientSecretPost(secret);
    case 'private_key_jwt': {
      const key = await importKey(privateKey, client.algorithm);
      return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId });
    }
  }
}

/** Only what must be encoded is: many servers, against the rules, decode nothing. */
function basicSecret(secret: string): ClientAuth {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return (...[, { client_id: id }, , headers]) => {
    const credentials = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
}

function methodOf({ method, secret, privateKey }: KnownClient, { metadata }: Issuer): AuthMethod {
  if (privateKey !== undefined) return 'private_key_jwt';
  if (secret === undefined) return 'none';
  const { token_endpoint_auth_methods_supported: supported } = metadata;
  const preferred = [method, 'client_secret_basic', 'client_secret_post'] as const;
  if (!Array.isArray(supported)) return method ?? 'client_secret_basic';
  // What a registration says may be another than what the server takes: it must be taken.
  return preferred.find((known) => known !== undefined && supported.includes(known)) ?? 'none';
}

const curves: Readonly<Record<string, string>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
};

async function importKey(pem: string, algorithm = 'ES256'): Promise<CryptoKey> {
  const bits = algorithm.slice(2);
  const kinds: Readonly<Record<string, object>> = {
    ES: { name: 'ECDSA', namedCurve: curves[algorithm] },
    RS: { name: 'RSASSA-PKCS1-v1_5', hash: `SHA-${bits}` },
    PS: { name: 'RSA-PSS', hash: `SHA-${bits}` },
    Ed: { name: 'Ed25519' },
  };
  try {
    const der = crypto().createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
    const kind = kinds[algorithm.slice(0, 2)] as { name: string };
    return await crypto().webcrypto.subtle.importKey('pkcs8', der, kind, false, ['sign']);
  } catch (cause) {
    throw new KitError('invalid_argument', `the private key is not one for ${algorithm}`, {
      hint: 'Give it as PKCS #8 in PEM, and the algorithm that it is for.',
      cause,
    });
  }
}
