import type { Caller } from 'mcp-kit/transport/http';

/** What is found out about a credential. */
export type Verdict =
  | { readonly kind: 'caller'; readonly caller: Caller; readonly untilMs: number }
  /** It is worth nothing; the words are for whoever sent it. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** It could not be found out now. */
  | { readonly kind: 'unavailable'; readonly cause: unknown };

/** Judges one token. Never rejects. */
export type Verify = (token: string) => Promise<Verdict>;

export const invalid = (why: string): Verdict => ({ kind: 'invalid', why });

type Claims = Readonly<Record<string, unknown>>;

/** What the claims of a genuine token lead to. One that is bound to a key (RFC 9449, RFC 8705) was sent without showing it. */
export function verdictOn(issuer: string, claims: Claims, untilMs: number): Verdict {
  if (claims['cnf'] !== undefined) return invalid('the token is bound to a key that was not shown');
  const caller = callerOf(issuer, claims);
  if (caller === undefined) return invalid('the token names nobody');
  return { kind: 'caller', caller, untilMs };
}

/**
 * Who a token speaks for: an issuer has no spaces, so no two of them can name the same. Nor can a program that speaks for itself
 * have the name of a person, whatever it is called.
 */
function callerOf(issuer: string, claims: Claims): Caller | undefined {
  const { sub, client_id: program } = claims;
  const subject = sub ?? program;
  if (typeof subject !== 'string' || subject === '') return undefined;
  const client = program ?? claims['azp'];
  return {
    principal: sub === undefined ? `client ${issuer} ${subject}` : `${issuer} ${subject}`,
    scopes: scopesIn(claims),
    client: typeof client === 'string' ? client : undefined,
  };
}

/** Scopes as RFC 9068 writes them, or as a list, as some issuers do. */
function scopesIn(claims: Claims): ReadonlySet<string> {
  const said = claims['scope'] ?? claims['scp'];
  const list: unknown[] =
    typeof said === 'string' ? said.split(' ') : Array.isArray(said) ? said : [];
  return new Set(list.filter((item): item is string => typeof item === 'string' && item !== ''));
}

/** Whether a token is for one of these. */
export function isFor(audience: unknown, expected: readonly string[]): boolean {
  const named = Array.isArray(audience) ? audience : [audience];
  return named.some((name) => typeof name === 'string' && expected.includes(name));
}
