import { KitError } from '#base';
import type { Credentials } from '../credentials.ts';
import { proofOfClient, type KnownClient } from '../identity.ts';
import type { Issuer } from '../issuer.ts';
import type { Surroundings } from '../options.ts';
import { proofKeyOf } from '../proof.ts';
import { requestTokens } from '../tokens.ts';

/** Whether credentials can be renewed without anybody. */
export function canRefresh({ refreshToken }: Credentials): boolean {
  return refreshToken !== undefined;
}

/** Asks for new tokens in return for the refresh token, which may be good only once. */
export async function refresh(
  around: Surroundings,
  kept: Credentials,
  issuer: Issuer,
): Promise<Credentials> {
  const client = clientOf(around, kept);
  const tokens = await requestTokens({
    fetch: around.fetch,
    issuer,
    clientId: client.id,
    proof: await proofOfClient(client, issuer),
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
export function clientOf({ options }: Surroundings, { client }: Credentials): KnownClient {
  // One that was named only for the login may do without a secret.
  if (client.kind !== 'known' || options.client === undefined) return client;
  if (options.client.id === client.id) return options.client;
  throw new KitError('unauthorized', `the tokens belong to client ${client.id}`, {
    hint: 'Another client is configured now: log in again.',
    details: { oauthError: 'invalid_client' },
  });
}
