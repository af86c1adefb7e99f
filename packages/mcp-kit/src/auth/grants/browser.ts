import { KitError } from '#base';
import type { Credentials, KeptClient } from '../credentials.ts';
import { textsIn } from '../documents.ts';
import { needsPerson } from '../failures.ts';
import type { Issuer } from '../issuer.ts';
import type { BrowserLogin } from '../login/interaction.ts';
import { oauth, oauthErrorOf, oauthFailure } from '../oauth.ts';
import type { Setup } from '../options.ts';
import { becomeClient } from '../registration.ts';
import { bound, type Situation } from '../situation.ts';
import { requestTokens } from '../tokens.ts';
import { clientOf } from './refresh.ts';

/** Lets a person log in with a browser: an authorization code, with PKCE. */
export async function logInByBrowser(setup: Setup, situation: Situation): Promise<Credentials> {
  const { options, egress, saved } = setup;
  const { issuer } = situation;
  const { begin } = options.interact ?? {};
  if (begin === undefined) throw needsPerson(setup);
  assertSafe(
    issuer,
    egress.check(issuer.metadata.authorization_endpoint ?? '', 'authorization_endpoint'),
  );
  const kept = await saved.client(issuer.name);
  const wish = { must: options.redirectUri, better: kept?.redirectUri };
  const login = await begin.call(options.interact, wish);
  try {
    const client = await becomeClient(issuer, wishesOf(setup, login.redirectUri), setup);
    return await askAndExchange({ setup, situation, login, client });
  } catch (error) {
    if (mayBeForgotten(error)) await forgetClient(setup, issuer.name);
    throw error;
  } finally {
    await login.close();
  }
}

/** Whether the issuer may no longer know the client: it says so, or said so to a person who then did not come back. */
function mayBeForgotten(error: unknown): boolean {
  const code = oauthErrorOf(error);
  if (code === 'invalid_client' || code === 'unauthorized_client') return true;
  return error instanceof KitError && (error.code === 'timeout' || error.code === 'aborted');
}

/** The next login registers a client anew, unless it is one that the user gave. */
export async function forgetClient(
  { saved, proven, options }: Setup,
  issuer: string,
): Promise<void> {
  if (options.client !== undefined) return;
  proven.delete(issuer);
  await saved.keepClient(issuer, undefined);
}

interface Visit {
  readonly setup: Setup;
  readonly situation: Situation;
  readonly login: BrowserLogin;
  readonly client: KeptClient;
}

async function askAndExchange({ setup, situation, login, client }: Visit): Promise<Credentials> {
  const { issuer, resource, scopes, key } = situation;
  const { redirectUri } = login;
  const { generateRandomCodeVerifier, generateRandomState, calculatePKCECodeChallenge } =
    await oauth();
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const url = pageOf(issuer, {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    scope: scopes?.join(' '),
    // Some issuers give no refresh token unless the person is asked.
    prompt: scopes?.includes('offline_access') ? 'consent' : undefined,
  });
  const back = await login.visit(url, setup.options.signal);
  const code = await codeIn(back, { issuer, clientId: client.id, state });
  const tokens = await requestTokens({
    fetch: setup.fetch,
    issuer,
    client: clientOf(setup, client),
    grant: 'authorization_code',
    parameters: { code, redirect_uri: redirectUri, code_verifier: verifier, resource },
    key,
  });
  return bound(tokens, situation, client);
}

/** Which client we want to be. */
export function wishesOf(
  { options }: Setup,
  redirectUri: string | undefined,
): Parameters<typeof becomeClient>[1] {
  const grant =
    redirectUri === undefined
      ? 'urn:ietf:params:oauth:grant-type:device_code'
      : 'authorization_code';
  return {
    known: options.client,
    metadataUrl: options.clientMetadataUrl,
    name: options.clientName ?? 'mcp-kit',
    redirectUri,
    grants: [grant, 'refresh_token'],
  };
}

function pageOf(
  { metadata }: Issuer,
  parameters: Readonly<Record<string, string | undefined>>,
): URL {
  const url = new URL(metadata.authorization_endpoint ?? '');
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The code in the address that a browser came back to, if it is the answer to what was asked, of whom it was asked. */
async function codeIn(
  back: URL,
  asked: { readonly issuer: Issuer; readonly clientId: string; readonly state: string },
): Promise<string> {
  const { validateAuthResponse } = await oauth();
  const { issuer, clientId, state } = asked;
  try {
    const client = { client_id: clientId };
    const answer = validateAuthResponse(issuer.metadata, client, back, state);
    const code = answer.get('code');
    if (code !== null) return code;
  } catch (error) {
    throw await oauthFailure(error, `no login at ${issuer.name}`);
  }
  throw new KitError('invalid_answer', `no login at ${issuer.name}: it sent no code`);
}

function assertSafe({ name, metadata }: Issuer, refused: KitError | undefined): void {
  if (refused !== undefined) throw refused;
  if (textsIn(metadata, 'code_challenge_methods_supported')?.includes('S256')) return;
  throw new KitError('refused_by_policy', `${name} does not protect logins with PKCE (S256)`, {
    hint: 'Its metadata must say code_challenge_methods_supported: tell whoever runs it.',
  });
}
