import { rpcErrors } from 'mcp-kit/internal';
import type { Refusal } from 'mcp-kit/transport/http';

/** What a limit counts by. */
export type LimitName = 'address' | 'principal' | 'session' | 'tool';

/** How often was too often, and when to come back. */
export function tooMany(limit: LimitName, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1000);
  const message = `Too many requests for one ${limit}: retry in ${seconds} s`;
  const data = { limit, retryAfterMs: seconds * 1000 };
  return {
    status: 429,
    error: { code: rpcErrors.overloaded, message, data },
    headers: ['retry-after', String(seconds)],
    cause: `rate_${limit}`,
  };
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
