import { KitError } from '#base';
import type { Credentials, KeptClient } from '../credentials.ts';
import type { KnownClient } from '../identity.ts';
import type { Issuer } from '../issuer.ts';
import type { Setup } from '../options.ts';
import { proofKeyOf } from '../proof.ts';
import { requestTokens } from '../tokens.ts';

/** Whether credentials can be renewed without anybody. */
export function canRefresh({ refreshToken }: Credentials): boolean {
  return refreshToken !== undefined;
}

/** Asks for new tokens in return for the refresh token, which may be good only once. */
export async function refresh(
  setup: Setup,
  kept: Credentials,
  issuer: Issuer,
): Promise<Credentials> {
  const tokens = await requestTokens({
    fetch: setup.fetch,
    issuer,
    client: clientOf(setup, kept.client),
    grant: 'refresh_token',
    parameters: { refresh_token: kept.refreshToken, resource: kept.resource },
    key: kept.key && proofKeyOf(kept.key),
  });
  return {
    ...kept,
    ...tokens,
    // What is not said anew stays as it was.
    refreshToken: tokens.refreshToken ?? kept.refreshToken,
    scopes: tokens.scopes ?? kept.scopes,
    subject: tokens.subject ?? kept.subject,
    obtainedAt: Date.now(),
  };
}

/** The client that the tokens were given to; secrets that the user gave are not kept, but given each time. */
export function clientOf({ options }: Setup, client: KeptClient): KnownClient {
  // One that was named only for the login may do without a secret.
  if (client.kind !== 'known' || options.client === undefined) return client;
  if (options.client.id === client.id) return options.client;
  throw new KitError('unauthorized', `the tokens belong to client ${client.id}`, {
    hint: 'Another client is configured now: log in again.',
    details: { oauthError: 'invalid_client' },
  });
}
