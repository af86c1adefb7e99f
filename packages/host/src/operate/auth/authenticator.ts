import { crypto, isPromise, type MaybePromise } from 'mcp-kit/internal';
import type { Headers } from 'mcp-kit/transport/http';
import { keyPrefix, type ApiKeys } from './api-keys.ts';
import { invalid, type Verdict, type Verify } from './verdict.ts';

export interface AuthenticatorOptions {
  /** Asked for each request, because the file may have been read again. */
  readonly apiKeys?: (() => ApiKeys | undefined) | undefined;
  readonly jwt?: Verify | undefined;
  readonly introspection?: Verify | undefined;
}

/** Finds out who sends a request; at once where that is known already. Never rejects. */
export type Authenticate = (headers: Headers) => MaybePromise<Verdict | 'none'>;

const maxTokenCharacters = 8192;
const maxRemembered = 10_000;
/** A token that was refused is looked at again after this. */
const refusedMs = 10_000;

const bearer = 'bearer ';
const missing = 'none';
const unreadable = invalid('the Authorization header cannot be read');

/** Recognises API keys, tokens it can check, and tokens that somebody else can. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { apiKeys, jwt, introspection } = options;
  const verified = jwt === undefined ? undefined : remembered(jwt);
  const introspected = introspection === undefined ? undefined : remembered(introspection);
  const recent = new Recent();
  return (headers) => {
    const { authorization } = headers;
    const known = headers['x-api-key'] === undefined ? recent.find(authorization) : undefined;
    if (known !== undefined) return known;
    const token = credentialIn(headers);
    if (token === undefined) return missing;
    if (token === '' || token.length > maxTokenCharacters) return unreadable;
    if (token.startsWith(keyPrefix)) return byKey(apiKeys?.(), token);
    const judge = verified !== undefined && isJwt(token) ? verified : (introspected ?? verified);
    if (judge === undefined) return invalid('the API key is not valid');
    const verdict = judge(token);
    if (!isPromise(verdict)) recent.keep(authorization, verdict);
    return verdict;
  };
}

const recentMs = 5000;
const maxRecent = 256;
const tailCharacters = 16;

/** What came a moment ago need not be hashed again. Found by its end, which nobody guesses: there is the signature. */
class Recent {
  readonly #found = new Map<
    string,
    { readonly header: string; readonly verdict: Verdict; readonly untilMs: number }
  >();

  find(header: Headers[string]): Verdict | undefined {
    if (typeof header !== 'string') return undefined;
    const found = this.#found.get(header.slice(-tailCharacters));
    if (found === undefined || found.header !== header) return undefined;
    return Date.now() < found.untilMs ? found.verdict : undefined;
  }

  keep(header: Headers[string], verdict: Verdict): void {
    if (typeof header !== 'string' || verdict.kind !== 'caller') return;
    if (this.#found.size >= maxRecent) this.#found.clear();
    const untilMs = Math.min(verdict.untilMs, Date.now() + recentMs);
    this.#found.set(header.slice(-tailCharacters), { header, verdict, untilMs });
  }
}

function byKey(keys: ApiKeys | undefined, key: string): Verdict {
  const caller = keys?.(key);
  return caller === undefined
    ? invalid('the API key is not valid')
    : { kind: 'caller', caller, untilMs: Infinity };
}

/** What a request proves itself with: nothing when there is none, empty when it cannot be read. */
function credentialIn(headers: Headers): string | undefined {
  const { authorization } = headers;
  const key = headers['x-api-key'];
  if (authorization === undefined) return typeof key === 'string' ? key : undefined;
  // Two credentials are one too many: whoever checks must not check another than is used.
  if (key !== undefined || typeof authorization !== 'string') return '';
  const scheme = authorization.slice(0, bearer.length);
  return scheme.toLowerCase() === bearer ? authorization.slice(bearer.length).trimStart() : '';
}

/** Two dots; what is between them is for the verifier to say. */
function isJwt(token: string): boolean {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return first > 0 && second > first && !token.includes('.', second + 1);
}

/** Judges each token once, however often it comes, until it expires. What is kept is a hash. */
function remembered(verify: Verify): (token: string) => MaybePromise<Verdict> {
  const known = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();
  const asked = new Map<string, Promise<Verdict>>();
  const keep = (name: string, verdict: Verdict): void => {
    if (verdict.kind === 'unavailable') return;
    const untilMs = verdict.kind === 'caller' ? verdict.untilMs : Date.now() + refusedMs;
    known.set(name, { verdict, untilMs });
    if (known.size <= maxRemembered) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  };
  return (token) => {
    const name = crypto().hash('sha256', token, 'base64');
    const found = known.get(name);
    if (found !== undefined && Date.now() < found.untilMs) return found.verdict;
    known.delete(name);
    const under = asked.get(name);
    if (under !== undefined) return under;
    const judged = verify(token)
      .then((verdict) => {
        keep(name, verdict);
        return verdict;
      })
      .finally(() => asked.delete(name));
    asked.set(name, judged);
    return judged;
  };
}
