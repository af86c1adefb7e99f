import { Buffer } from 'node:buffer';
import type { Fetch } from 'mcp-kit/auth';
import { isRecord, KitError } from 'mcp-kit/internal';
import type { IntrospectionSettings } from '../settings.ts';
import { invalid, isFor, verdictOn, type Verdict, type Verify } from './verdict.ts';

export interface IntrospectionOptions extends Omit<IntrospectionSettings, 'audience'> {
  readonly audience: readonly string[];
  readonly fetch: Fetch;
  readonly locate: () => Promise<string>;
  readonly clientSecret: string;
}

/** Judges tokens by asking whoever issued them (RFC 7662). */
export function introspectionVerifier(options: IntrospectionOptions): Verify {
  const { fetch, locate, clientId, clientSecret } = options;
  const named = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const authorization = `Basic ${Buffer.from(named).toString('base64')}`;
  return async (token) => {
    try {
      const answer = await fetch(await locate(), {
        method: 'POST',
        headers: { authorization, accept: 'application/json' },
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
      });
      if (answer.status !== 200) {
        throw new KitError('http_status', `introspection: HTTP ${answer.status}`);
      }
      return judge(await answer.json(), options);
    } catch (cause) {
      return { kind: 'unavailable', cause };
    }
  };
}

function judge(said: unknown, options: IntrospectionOptions): Verdict {
  const { issuer, audience, cacheSeconds = 30 } = options;
  if (!isRecord(said) || said['active'] !== true) return invalid('the token is not valid');
  const { exp, iss = issuer, aud } = said;
  if (iss !== issuer) return invalid('the token is of another issuer');
  if (!isFor(aud, audience)) return invalid('the token is for another audience');
  const expiresMs = typeof exp === 'number' ? exp * 1000 : Infinity;
  if (expiresMs <= Date.now()) return invalid('the token has expired');
  return verdictOn(issuer, said, Math.min(expiresMs, Date.now() + cacheSeconds * 1000));
}
