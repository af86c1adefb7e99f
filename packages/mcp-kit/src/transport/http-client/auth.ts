import type { IncomingMessage } from 'node:http';
import type { MaybePromise } from '#base';
import type { HeaderRecord } from './options.ts';

/** A request, as far as it matters who may send it. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: string;
}

/** How a server refused a request: 401 or 403. */
export interface HttpChallenge extends AuthorizedRequest {
  readonly status: number;
  readonly wwwAuthenticate: string | undefined;
  readonly dpopNonce: string | undefined;
  /** What `headers` gave for the request. */
  readonly sent: HeaderRecord;
}

/** Gets requests let in. */
export interface HttpAuth {
  /** Sent with a request, and stronger than `headers` of the same name. */
  headers(request: AuthorizedRequest): MaybePromise<HeaderRecord>;
  /** Does something about a refusal, after which the request is sent again; rejects to fail it with that error. */
  challenged(challenge: HttpChallenge): Promise<'retry' | 'give up'>;
}

/** How often something is done about the refusals of one request: a renewed token, a new one, more scopes, a nonce. */
export const maxChallenges = 4;

/** What a refusal says of who would be let in; undefined for every other answer. */
export function challengeOf(
  response: IncomingMessage,
  request: AuthorizedRequest,
  sent: HeaderRecord,
): HttpChallenge | undefined {
  const { statusCode: status = 0, headers } = response;
  if (status !== 401 && status !== 403) return undefined;
  const nonce = headers['dpop-nonce'];
  return {
    ...request,
    status,
    wwwAuthenticate: headers['www-authenticate'],
    dpopNonce: typeof nonce === 'string' ? nonce : undefined,
    sent,
  };
}
