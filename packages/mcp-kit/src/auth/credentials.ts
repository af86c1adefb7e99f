import type { JsonWebKey } from 'node:crypto';
import { isRecord } from '#jsonrpc';
import type { KnownClient } from './identity.ts';
import type { CredentialStore } from './store/store.ts';
import type { Tokens } from './tokens.ts';

/** A client as it is kept; its secrets only when we registered it ourselves. */
export interface KeptClient extends KnownClient {
  readonly kind: 'known' | 'document' | 'registered';
  /** The only address that the issuer sends browsers back to. */
  readonly redirectUri?: string | undefined;
  /** When its secret ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** What lets us into a server: tokens, and what they are bound to. */
export interface Credentials extends Tokens {
  readonly issuer: string;
  readonly resource?: string | undefined;
  readonly client: KeptClient;
  /** All scopes that were ever asked for, so that asking for more loses none. */
  readonly asked?: readonly string[] | undefined;
  /** The private key that the tokens are bound to. */
  readonly key?: JsonWebKey | undefined;
  readonly obtainedAt: number;
}

/** The credentials for a server, in a store. */
export interface SavedCredentials {
  read(): Promise<Credentials | undefined>;
  write(credentials: Credentials): Promise<void>;
  /** Puts the second in the place of the first, unless that is no longer there; resolves to what is there. */
  replace(before: Credentials, after: Credentials | undefined): Promise<Credentials | undefined>;
  remove(): Promise<void>;
  /** The client we registered with an issuer. */
  client(issuer: string): Promise<KeptClient | undefined>;
  keepClient(issuer: string, client: KeptClient | undefined): Promise<void>;
}

/** What is kept for a server and one account, if there are several. An address has no spaces, so no two of them have one name. */
export function nameOf(server: string, account: string | undefined): string {
  return account === undefined ? `server ${server}` : `server ${server} ${account}`;
}

/** Whose credentials are kept for a server, beside those of its own user. */
export async function accountsIn(
  store: CredentialStore,
  server: string,
): Promise<readonly string[]> {
  const start = nameOf(server, '');
  const names = (await store.names()).filter((name) => name.startsWith(start));
  return names.map((name) => name.slice(start.length)).sort();
}

export function savedCredentials(
  store: CredentialStore,
  server: string,
  account?: string,
): SavedCredentials {
  const name = nameOf(server, account);
  // Whoever keeps tokens of several has browsers come back elsewhere, and is another client.
  const clientName = account === undefined ? 'client' : 'client of accounts';
  return {
    read: async () => credentialsIn(await store.read(name)),
    write: async (credentials) => void (await store.update(name, () => credentials)),
    remove: async () => void (await store.update(name, () => undefined)),
    replace: async (before, after) =>
      credentialsIn(
        await store.update(name, (kept) => {
          const now = credentialsIn(kept);
          return now !== undefined && isSame(now, before) ? after : now;
        }),
      ),
    client: async (issuer) => clientIn(await store.read(`${clientName} ${issuer}`)),
    keepClient: async (issuer, client) => {
      await store.update(`${clientName} ${issuer}`, () => client);
    },
  };
}

/** Whether both hold the same tokens. */
export function isSame(one: Credentials, other: Credentials): boolean {
  return one.accessToken === other.accessToken && one.refreshToken === other.refreshToken;
}

/** What is kept, if it is what we keep; a field that only helps is not looked at. */
function credentialsIn(kept: unknown): Credentials | undefined {
  if (!isRecord(kept) || clientIn(kept['client']) === undefined) return undefined;
  const { issuer, accessToken, tokenType, obtainedAt } = kept;
  const isWhole =
    typeof issuer === 'string' &&
    typeof accessToken === 'string' &&
    typeof obtainedAt === 'number' &&
    (tokenType === 'bearer' || (tokenType === 'dpop' && isRecord(kept['key'])));
  return isWhole ? (kept as unknown as Credentials) : undefined;
}

function clientIn(kept: unknown): KeptClient | undefined {
  return isRecord(kept) && typeof kept['id'] === 'string'
    ? (kept as unknown as KeptClient)
    : undefined;
}
