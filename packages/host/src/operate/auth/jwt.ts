import { KitError } from 'mcp-kit/internal';
import { publicAlgorithms } from '../settings-schema.ts';
import type { KeySource } from './key-source.ts';
import type { JwtSettings } from '../settings.ts';
import { invalid, verdictOn, type Verdict, type Verify } from './verdict.ts';

/** Then a token is looked at again: the key that signed it may have been taken back. */
const believedMs = 10 * 60_000;

/** Judges tokens by their signature and what they claim: issuer, audience, type and time must all be right. */
export function jwtVerifier(
  settings: Omit<JwtSettings, 'audience'> & { readonly audience: readonly string[] },
  keys: KeySource,
): Verify {
  const { issuer, audience, algorithms = publicAlgorithms, clockToleranceSeconds = 5 } = settings;
  const types = new Set((settings.types ?? ['at+jwt']).map(bareType));
  const options = {
    issuer,
    audience: [...audience],
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const { jwtVerify } = await import('jose');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, options);
      if (!types.has(bareType(protectedHeader.typ ?? '')))
        return invalid('the token is of another type');
      const untilMs = Math.min((payload.exp ?? 0) * 1000, Date.now() + believedMs);
      return verdictOn(issuer, payload, untilMs);
    } catch (error) {
      return judge(error);
    }
  };
}

/** `application/at+jwt` and `at+jwt` are the same. */
function bareType(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

const claims: Readonly<Record<string, string>> = {
  iss: 'the token is of another issuer',
  aud: 'the token is for another audience',
  nbf: 'the token is not valid yet',
  exp: 'the token does not say when it expires',
};

function judge(error: unknown): Verdict {
  // What the network did is not the token's fault.
  if (error instanceof KitError) return { kind: 'unavailable', cause: error };
  if (!(error instanceof Error) || !('code' in error)) return { kind: 'unavailable', cause: error };
  if (error.code === 'ERR_JWT_EXPIRED') return invalid('the token has expired');
  const claim = 'claim' in error ? claims[String(error.claim)] : undefined;
  if (error.code === 'ERR_JWKS_NO_MATCHING_KEY') {
    return invalid('the token is signed with a key that the issuer does not have');
  }
  return invalid(claim ?? 'the token is not valid');
}
