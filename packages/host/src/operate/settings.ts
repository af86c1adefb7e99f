import { compileSchema, KitError } from 'mcp-kit/internal';
import { settingsSchema } from './settings-schema.ts';

/** Who may call, and how they prove it. */
export interface AuthSettings {
  readonly jwt?: JwtSettings;
  readonly introspection?: IntrospectionSettings;
  /** A file of API keys, as `mcpctl serve --new-api-key` writes it. */
  readonly apiKeys?: string;
  /** What every call needs. */
  readonly scopes?: readonly string[];
  /** What calls of a tool need besides; `delete_*` is every tool that begins so. */
  readonly toolScopes?: Readonly<Record<string, readonly string[]>>;
  /** Scopes that stand for others: `{ "admin": ["read", "write"] }`. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
}

/** Tokens that this server checks by itself. */
export interface JwtSettings {
  readonly issuer: string;
  /** Who tokens must be for; by default the public URL of this server. */
  readonly audience?: string | readonly string[];
  /** Where the issuer has its keys; by default where its metadata says. */
  readonly jwksUri?: string;
  readonly algorithms?: readonly string[];
  /** What tokens must call themselves; `at+jwt`. */
  readonly types?: readonly string[];
  readonly clockToleranceSeconds?: number;
}

/** Tokens that are shown to whoever issued them. */
export interface IntrospectionSettings {
  readonly issuer: string;
  readonly audience?: string | readonly string[];
  /** Where the issuer looks at tokens; by default where its metadata says. */
  readonly url?: string;
  readonly clientId: string;
  /** The variable that holds the secret of this server. */
  readonly clientSecretEnv?: string;
  /** How long an answer is believed; 30 s. */
  readonly cacheSeconds?: number;
}

/** How much may be asked; each is a rate such as `20/s`. */
export interface LimitSettings {
  readonly address?: string;
  readonly principal?: string;
  readonly session?: string;
  /** Each tool by itself, all callers together. */
  readonly tool?: string;
  /** Instead, for single tools. */
  readonly tools?: Readonly<Record<string, string>>;
  /** Calls under way. */
  readonly calls?: number;
  readonly callsPerPrincipal?: number;
  /** What clients may make this process hold, in MiB; a quarter of what the heap may grow to. */
  readonly memoryMiB?: number;
}

/** The `server` section of a configuration: everything about exposing a server to others. */
export interface ServerSettings {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  /** Where clients reach it, through whatever is in front. */
  readonly publicUrl?: string;
  readonly insecure?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly auth?: AuthSettings;
  readonly limits?: LimitSettings;
  /** How long a session may be idle, and how often idle ones are looked for. */
  readonly sessions?: { readonly ttlMs?: number; readonly sweepMs?: number };
  readonly metrics?: { readonly port: number };
  readonly logs?: {
    readonly format?: 'text' | 'json';
    readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  };
  readonly drain?: { readonly delayMs?: number; readonly timeoutMs?: number };
}

/** Settings that are as they should be; otherwise what is wrong, and where. */
export async function readServerSettings(value: unknown): Promise<ServerSettings> {
  const subject = 'server settings';
  const checked = await compileSchema(settingsSchema, { subject, direction: 'input' }).check(value);
  if (!checked.ok) {
    const said = checked.issues.map(({ message }) => message).join('; ');
    throw wrong(said);
  }
  // The schema describes this type.
  const settings = checked.value as ServerSettings;
  checkTogether(settings);
  return settings;
}

function checkTogether({ auth, publicUrl }: ServerSettings): void {
  for (const kind of ['jwt', 'introspection'] as const) {
    const how = auth?.[kind];
    if (how === undefined || how.audience !== undefined || publicUrl !== undefined) continue;
    throw wrong(
      `auth.${kind}: whom tokens are for is not said`,
      'Give audience, or the publicUrl of this server: a token for somebody else must not be accepted.',
    );
  }
  const proves = auth?.jwt ?? auth?.introspection ?? auth?.apiKeys;
  if (auth !== undefined && proves === undefined) {
    throw wrong(
      'auth: nothing says how callers prove who they are',
      'Give jwt, introspection or apiKeys.',
    );
  }
}

function wrong(message: string, hint = 'docs/operate.md lists every setting.'): KitError {
  return new KitError('invalid_config', `server settings: ${message}`, { hint });
}
