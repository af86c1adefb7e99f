import type { Fetch, EgressPolicy } from 'mcp-kit/auth';
import { files, KitError, type Logger } from 'mcp-kit/internal';
import { readApiKeys, type ApiKeys } from './api-keys.ts';
import { createAuthenticator, type Authenticate } from './authenticator.ts';
import { introspectionVerifier } from './introspection.ts';
import { jwtVerifier } from './jwt.ts';
import { KeySource } from './key-source.ts';
import type { AuthSettings, IntrospectionSettings, JwtSettings } from '../settings.ts';
import type { Verify } from './verdict.ts';

export interface AuthOptions {
  /** Whom tokens are for where the settings do not say. */
  readonly publicUrl: string | undefined;
  readonly logger: Logger;
  /** How issuers are reached. */
  readonly egress?: EgressPolicy | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How callers prove who they are, made ready. */
export interface Authentication {
  readonly authenticate: Authenticate;
  readonly issuers: readonly string[];
  /** Why tokens cannot be checked now. */
  reasons(): readonly string[];
  /** Reads the file of keys again; the old ones stay when that fails. */
  reload(): Promise<void>;
}

export async function createAuthentication(
  settings: AuthSettings,
  options: AuthOptions,
): Promise<Authentication> {
  const { apiKeys: file, jwt, introspection } = settings;
  let apiKeys: ApiKeys | undefined;
  const reload = async (): Promise<void> => {
    if (file !== undefined) apiKeys = await readKeyFile(file);
  };
  await reload();
  const keys = jwt === undefined ? undefined : await keysOf(jwt, options);
  // Sooner than the first token: who asks whether this server is ready gets the truth.
  void keys?.refresh().catch(() => {});
  const asking = introspection && (await introspecting(introspection, options));
  return {
    authenticate: createAuthenticator({
      apiKeys: () => apiKeys,
      jwt: jwt && keys && jwtVerifier({ ...jwt, audience: audienceOf(jwt, options) }, keys),
      introspection: asking?.verify,
    }),
    issuers: [
      ...new Set([jwt?.issuer, introspection?.issuer].filter((name) => name !== undefined)),
    ],
    reasons: () => [keys, asking].flatMap((source) => source?.reasons() ?? []),
    reload,
  };
}

function audienceOf(
  { audience }: Pick<JwtSettings, 'audience'>,
  { publicUrl }: AuthOptions,
): readonly string[] {
  if (audience === undefined) {
    if (publicUrl !== undefined) return [publicUrl];
    throw new KitError('invalid_config', 'whom tokens are for is not said', {
      hint: 'Give audience, or the publicUrl of this server.',
    });
  }
  return typeof audience === 'string' ? [audience] : audience;
}

async function keysOf({ issuer, jwksUri }: JwtSettings, options: AuthOptions): Promise<KeySource> {
  const fetch = await fetchFor(issuer, options);
  const locate = (): Promise<string> => placeOf('jwks_uri', { issuer, fetch, named: jwksUri });
  return new KeySource({ fetch, locate, logger: options.logger });
}

/** An issuer that did not answer counts as away for this long; then somebody has to try. */
const awayMs = 5000;

interface Introspecting {
  readonly verify: Verify;
  reasons(): readonly string[];
}

async function introspecting(
  settings: IntrospectionSettings,
  options: AuthOptions,
): Promise<Introspecting> {
  const { issuer, url: named, clientSecretEnv } = settings;
  const fetch = await fetchFor(issuer, options);
  const clientSecret = clientSecretEnv === undefined ? '' : options.env[clientSecretEnv];
  if (clientSecret === undefined) {
    throw new KitError('invalid_config', `the variable ${clientSecretEnv} is not set`, {
      hint: 'It holds the secret with which this server asks about tokens.',
    });
  }
  let place: Promise<string> | undefined;
  const locate = (): Promise<string> => {
    place ??= placeOf('introspection_endpoint', { issuer, fetch, named }).catch(
      (error: unknown) => {
        place = undefined;
        throw error;
      },
    );
    return place;
  };
  const audience = audienceOf(settings, options);
  const verify = introspectionVerifier({ ...settings, audience, fetch, locate, clientSecret });
  let failedMs = -Infinity;
  return {
    verify: async (token) => {
      const verdict = await verify(token);
      failedMs = verdict.kind === 'unavailable' ? performance.now() : -Infinity;
      return verdict;
    },
    reasons: () =>
      performance.now() - failedMs < awayMs ? ['the issuer cannot be asked about tokens'] : [],
  };
}

/** A way to an issuer, and to what it names: no redirects elsewhere, bounded in size and time. */
async function fetchFor(issuer: string, { egress }: AuthOptions): Promise<Fetch> {
  const { createFetch, defaultEgress } = await import('mcp-kit/auth');
  return createFetch(egress ?? defaultEgress(new URL(issuer)));
}

/** Where the settings say, or else where the metadata of the issuer says. */
async function placeOf(
  member: 'jwks_uri' | 'introspection_endpoint',
  from: { readonly issuer: string; readonly fetch: Fetch; readonly named: string | undefined },
): Promise<string> {
  if (from.named !== undefined) return from.named;
  const { findIssuer } = await import('mcp-kit/auth');
  const { metadata } = await findIssuer(from.fetch, from.issuer);
  const found = metadata[member];
  if (found !== undefined) return found;
  throw new KitError('invalid_answer', `the metadata of ${from.issuer} has no ${member}`);
}

async function readKeyFile(file: string): Promise<ApiKeys> {
  try {
    return readApiKeys(JSON.parse(await files().readFile(file, 'utf8')));
  } catch (cause) {
    if (cause instanceof KitError) throw cause;
    const why = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new KitError('invalid_config', `API keys: ${file} ${why}`, {
      hint: 'Make it with: mcpctl serve --api-keys FILE --new-api-key NAME',
      cause,
    });
  }
}
