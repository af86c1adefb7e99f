import type { TokenEndpointResponse } from 'oauth4webapi';
import { KitError } from '#base';
import { splitScopes } from './challenge.ts';
import type { Fetch } from './fetch.ts';
import { clientAuthOf, type KnownClient } from './identity.ts';
import type { Issuer } from './issuer.ts';
import { oauth, oauthErrorOf, sendOptions, oauthFailure } from './oauth.ts';
import type { ProofKey } from './proof.ts';

/** What an issuer gave. */
export interface Tokens {
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken?: string | undefined;
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** What it is good for, where the issuer says so. */
  readonly scopes?: readonly string[] | undefined;
  readonly subject?: Subject | undefined;
}

/** Who has logged in, as the issuer says. */
export interface Subject {
  readonly id: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** A request to a token endpoint. */
export interface TokenRequest {
  readonly fetch: Fetch;
  readonly issuer: Issuer;
  readonly client: KnownClient;
  /** What is sent says who asks: the client proves nothing. */
  readonly isVouched?: true | undefined;
  readonly grant: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** The key that the tokens shall be bound to. */
  readonly key?: ProofKey | undefined;
  /** Types that are no access tokens and are meant nevertheless. */
  readonly otherTypes?: readonly string[] | undefined;
}

/** Asks for tokens. What the issuer objects to is an error with its code in `details.oauthError`. */
export async function requestTokens(request: TokenRequest): Promise<Tokens> {
  const what = `no token of ${request.issuer.name}`;
  const ask = async (nonce?: string): Promise<TokenEndpointResponse> => {
    const sent = { nonce, latest: nonce };
    try {
      return await exchange(request, sent);
    } catch (error) {
      const failure = await oauthFailure(error, what);
      const isNew = sent.latest !== undefined && sent.latest !== nonce;
      if (oauthErrorOf(failure) === 'use_dpop_nonce' && nonce === undefined && isNew) {
        return ask(sent.latest);
      }
      throw failure;
    }
  };
  return tokensOf(await ask(), request);
}

/** The number an issuer wants to see in the next proof. */
interface Nonces {
  readonly nonce: string | undefined;
  latest: string | undefined;
}

async function exchange(request: TokenRequest, nonces: Nonces): Promise<TokenEndpointResponse> {
  const { issuer, client, isVouched, grant, parameters, key, otherTypes = [] } = request;
  const { genericTokenEndpointRequest, processGenericTokenEndpointResponse } = await oauth();
  const { metadata } = issuer;
  const us = { client_id: client.id };
  const proof = isVouched ? () => {} : await clientAuthOf(client, issuer);
  const given = Object.entries(parameters).filter((entry) => entry[1] !== undefined);
  const url = metadata.token_endpoint ?? '';
  const headers = new Headers();
  if (key !== undefined) {
    headers.set('dpop', key.prove({ method: 'POST', url, nonce: nonces.nonce }));
  }
  const answer = await genericTokenEndpointRequest(
    metadata,
    us,
    proof,
    grant,
    given as [string, string][],
    { ...(await sendOptions(request.fetch)), headers },
  );
  nonces.latest = answer.headers.get('dpop-nonce') ?? undefined;
  const recognizedTokenTypes = Object.fromEntries(otherTypes.map((type) => [type, () => {}]));
  return processGenericTokenEndpointResponse(metadata, us, answer, { recognizedTokenTypes });
}

async function tokensOf(answer: TokenEndpointResponse, request: TokenRequest): Promise<Tokens> {
  const { access_token: accessToken, token_type: type, expires_in: seconds } = answer;
  const { refresh_token: refreshToken, scope } = answer;
  const { getValidatedIdTokenClaims } = await oauth();
  const claims = getValidatedIdTokenClaims(answer);
  const scopes = splitScopes(scope);
  if (type === 'dpop' && request.key === undefined) {
    throw new KitError('invalid_answer', `${request.issuer.name} bound a token to an unknown key`);
  }
  return {
    accessToken,
    tokenType: type === 'dpop' ? 'dpop' : 'bearer',
    refreshToken,
    expiresAt: seconds === undefined ? undefined : Date.now() + seconds * 1000,
    scopes,
    subject: claims && subjectOf(claims),
  };
}

function subjectOf(claims: { readonly sub: string; readonly [other: string]: unknown }): Subject {
  const { sub: id, name, email } = claims;
  return {
    id,
    name: typeof name === 'string' ? name : undefined,
    email: typeof email === 'string' ? email : undefined,
  };
}
