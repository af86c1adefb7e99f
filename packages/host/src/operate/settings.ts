import { compileSchema, KitError } from 'mcp-kit/internal';
import { settingsSchema } from './settings-schema.ts';

/** Who may call, and how they prove it. */
export interface AuthSettings {
  readonly jwt?: JwtSettings | undefined;
  readonly introspection?: IntrospectionSettings | undefined;
  /** A file of API keys, as `mcpctl serve --new-api-key` writes it. */
  readonly apiKeys?: string | undefined;
  /** What every call needs. */
  readonly scopes?: readonly string[] | undefined;
  /** What calls of a tool need besides; `delete_*` is every tool that begins so. */
  readonly toolScopes?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Scopes that stand for others: `{ "admin": ["read", "write"] }`. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Tokens that this server checks by itself. */
export interface JwtSettings {
  readonly issuer: string;
  /** Who tokens must be for; by default the public URL of this server. */
  readonly audience?: string | readonly string[] | undefined;
  /** Where the issuer has its keys; by default where its metadata says. */
  readonly jwksUri?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  /** What tokens must call themselves; `at+jwt`. */
  readonly types?: readonly string[] | undefined;
  readonly clockToleranceSeconds?: number | undefined;
}

/** Tokens that are shown to whoever issued them. */
export interface IntrospectionSettings {
  readonly issuer: string;
  readonly audience?: string | readonly string[] | undefined;
  /** Where the issuer looks at tokens; by default where its metadata says. */
  readonly url?: string | undefined;
  readonly clientId: string;
  /** The variable that holds the secret of this server. */
  readonly clientSecretEnv?: string | undefined;
  /** How long an answer is believed; 30 s. */
  readonly cacheSeconds?: number | undefined;
}

/** How much may be asked; each is a rate such as `20/s`. */
export interface LimitSettings {
  readonly address?: string | undefined;
  readonly principal?: string | undefined;
  readonly session?: string | undefined;
  /** Each tool by itself, all callers together. */
  readonly tool?: string | undefined;
  /** Instead, for single tools. */
  readonly tools?: Readonly<Record<string, string>> | undefined;
  /** Calls under way. */
  readonly calls?: number | undefined;
  readonly callsPerPrincipal?: number | undefined;
  /** What clients may make this process hold, in MiB; a quarter of what the heap may grow to. */
  readonly memoryMiB?: number | undefined;
}

/** The `server` section of a configuration: everything about exposing a server to others. */
export interface ServerSettings {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  /** Where clients reach it, through whatever is in front. */
  readonly publicUrl?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly trustedProxies?: readonly string[] | undefined;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly auth?: AuthSettings | undefined;
  readonly limits?: LimitSettings | undefined;
  /** How long a session may be idle, and how often idle ones are looked for. */
  readonly sessions?:
    | { readonly ttlMs?: number | undefined; readonly sweepMs?: number | undefined }
    | undefined;
  /** Where state is kept: `memory`, or a folder in which it outlives the process. Opened by the command, not by `operateHttp`. */
  readonly store?: string | undefined;
  /** A file of keys for what clients carry, as `mcpctl keys new` makes it; without, the store has some. Opened by the command. */
  readonly keys?: string | undefined;
  /** Raised with settings that must agree: processes of a former generation serve on, and no more of them begin. */
  readonly generation?: number | undefined;
  readonly metrics?: { readonly port: number } | undefined;
  readonly logs?:
    | {
        readonly format?: 'text' | 'json' | undefined;
        readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined;
      }
    | undefined;
  readonly drain?:
    | { readonly delayMs?: number | undefined; readonly timeoutMs?: number | undefined }
    | undefined;
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
