import { encodeError, rpcErrors } from '#jsonrpc';
import type { Refusal } from '#transport/http';

/** What a limit counts by. */
export type LimitName = 'address' | 'principal' | 'session' | 'tool';

/** Made once for each wait, because refusing must cost next to nothing. */
const made: Record<LimitName, Map<number, Refusal>> = {
  address: new Map(),
  principal: new Map(),
  session: new Map(),
  tool: new Map(),
};
const mostMade = 1000;

/** Waits below a second are told apart by this, and rounded up to it. */
const stepMs = 10;

/** How often was too often, and when to come back. */
export function tooMany(limit: LimitName, waitMs: number): Refusal {
  const unitMs = waitMs < 1000 ? stepMs : 1000;
  const roundMs = Math.ceil(waitMs / unitMs) * unitMs;
  const known = made[limit].get(roundMs);
  if (known !== undefined) return known;
  const seconds = Math.ceil(roundMs / 1000);
  const message = `Too many requests for one ${limit}: retry in ${seconds} s`;
  const data = { limit, retryAfterMs: seconds * 1000 };
  const error = { code: rpcErrors.overloaded, message, data };
  const refusal = {
    status: 429,
    error,
    text: encodeError(undefined, error),
    headers: ['retry-after', String(seconds)],
    cause: `rate_${limit}`,
    // What is too much for a tool is the doing of all.
    ...(limit !== 'tool' && { sameForMs: Math.min(roundMs, 1000) - stepMs }),
  };
  if (made[limit].size >= mostMade) made[limit].clear();
  made[limit].set(roundMs, refusal);
  return refusal;
}

/** So many calls at a time are enough. */
export function tooBusy(limit: 'calls' | 'calls_per_principal'): Refusal {
  const message = 'Too many calls under way: retry later';
  return {
    status: 503,
    error: { code: rpcErrors.overloaded, message, data: { limit } },
    headers: ['retry-after', '1'],
    cause: limit,
  };
}

/** Whoever says who callers are cannot be asked now. */
export const cannotTell: Refusal = {
  status: 503,
  error: { code: rpcErrors.overloaded, message: 'Tokens cannot be checked now: retry later' },
  headers: ['retry-after', '5'],
  cause: 'auth_unavailable',
};

/** What a client that is refused needs to know to get a token (RFC 6750, RFC 9728). */
export interface Challenges {
  /** Nothing was shown. */
  missing(): Refusal;
  invalid(why: string): Refusal;
  insufficient(needed: readonly string[]): Refusal;
}

export function createChallenges(options: {
  /** Where the metadata of this server is, known once it listens; nothing where no tokens are issued for it. */
  readonly metadataUrl: () => string | undefined;
  readonly scopes: readonly string[];
}): Challenges {
  const { metadataUrl, scopes } = options;
  const challenge = (parts: Readonly<Record<string, string | undefined>>): readonly string[] => {
    const all = { ...parts, resource_metadata: metadataUrl() };
    const said = Object.entries(all).filter(([, value]) => value !== undefined && value !== '');
    const shown = said.map(([name, value]) => `${name}="${value}"`).join(', ');
    return ['www-authenticate', shown === '' ? 'Bearer realm="mcp"' : `Bearer ${shown}`];
  };
  const refusal = (status: 401 | 403, message: string, headers: readonly string[]): Refusal => ({
    status,
    error: { code: rpcErrors.invalidRequest, message },
    headers,
  });
  const scope = scopes.join(' ');
  return {
    missing: () => refusal(401, 'Authorization is required', challenge({ scope })),
    invalid: (why) => {
      const error = { error: 'invalid_token', error_description: why, scope };
      return { ...refusal(401, `Unauthorized: ${why}`, challenge(error)), cause: 'invalid_token' };
    },
    insufficient: (needed) => {
      const wanted = needed.join(' ');
      const error_description = 'the token does not allow this';
      const parts = { error: 'insufficient_scope', scope: wanted, error_description };
      const message = `Forbidden: this needs the scopes ${wanted}`;
      return { ...refusal(403, message, challenge(parts)), cause: 'insufficient_scope' };
    },
  };
}
