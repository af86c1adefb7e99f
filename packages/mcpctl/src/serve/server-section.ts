import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { KitError } from 'mcp-kit/base';
import type { AuthSettings, LimitSettings, ServerSettings } from 'mcp-kit/operate';
import { usageError } from '../args.ts';
import type { ServeValues } from './options.ts';
import {
  given,
  numberOf,
  readAllowedHost,
  readName,
  readOrigin,
  readPath,
  readPort,
  readUrl,
} from './read-values.ts';

/** The variable that holds the secret with which the authorization server is asked about tokens. */
const secretVariable = 'MCP_INTROSPECTION_SECRET';

/** The settings of the file, if there is one, and of the options, which come before it. */
export async function readServerSection(values: ServeValues): Promise<ServerSettings> {
  const base = values.config === undefined ? {} : await readSection(values.config);
  const merged = mergeSections({ port: 7420, ...base }, sectionOf(values, base));
  if (isPlain(merged)) return merged;
  const { readServerSettings } = await import('mcp-kit/operate');
  return readServerSettings(merged);
}

/** What these options say; the section of a file is known, because some options add to what it says. */
function sectionOf(values: ServeValues, base: ServerSettings): ServerSettings {
  const auth = authOf(values, base);
  const limits = limitsOf(values);
  const tls = tlsOf(values);
  const drain = {
    ...given('delayMs', numberOf('drain-delay-ms', values)),
    ...given('timeoutMs', numberOf('drain-ms', values)),
  };
  const logs = { ...given('format', values['log-format']), ...given('level', values['log-level']) };
  const sessions = {
    ...given('ttlMs', numberOf('session-ttl-ms', values)),
    ...given('sweepMs', numberOf('session-sweep-ms', values)),
  };
  const metricsPort = numberOf('metrics-port', values);
  return {
    ...given('host', values.host === undefined ? undefined : readName('--host', values.host)),
    ...given('port', values.port === undefined ? undefined : readPort(values.port)),
    ...given('path', values.path === undefined ? undefined : readPath(values.path)),
    ...given('publicUrl', readUrl('public-url', values['public-url'])),
    ...given('insecure', values.insecure),
    ...given('allowedHosts', values['allowed-host']?.map(readAllowedHost)),
    ...given('allowedOrigins', values['allowed-origin']?.map(readOrigin)),
    ...given('trustedProxies', values['trusted-proxy']),
    ...given('tls', tls),
    ...given('auth', auth),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(sessions).length > 0 && { sessions }),
    ...given('metrics', metricsPort === undefined ? undefined : { port: metricsPort }),
    ...(Object.keys(logs).length > 0 && { logs }),
    ...(Object.keys(drain).length > 0 && { drain }),
  };
}

function authOf(values: ServeValues, base: ServerSettings): AuthSettings | undefined {
  const keys = values['api-keys'];
  const auth = {
    ...tokensOf(values, base.auth ?? {}),
    ...given('apiKeys', keys === undefined ? undefined : path.resolve(keys)),
    ...given('scopes', values.scope),
    ...given('toolScopes', toolScopesOf(values['tool-scope'])),
  };
  return Object.keys(auth).length === 0 ? undefined : auth;
}

/** How tokens are judged: by what they say, or, where there is a client for it, by asking. */
function tokensOf(values: ServeValues, base: AuthSettings): object {
  const issuer = readUrl('auth-issuer', values['auth-issuer']);
  const audience = given('audience', values['auth-audience']);
  const clientId = values['auth-introspection-client'];
  if (clientId === undefined) {
    const jwt = {
      ...given('issuer', issuer),
      ...audience,
      ...given('jwksUri', readUrl('auth-jwks', values['auth-jwks'])),
      ...given('types', values['auth-token-type']),
    };
    return Object.keys(jwt).length === 0 ? {} : { jwt: { ...base.jwt, ...jwt } };
  }
  const known = issuer ?? base.introspection?.issuer ?? base.jwt?.issuer;
  if (known === undefined) {
    throw usageError('--auth-introspection-client needs --auth-issuer', 'Say whom to ask.');
  }
  const asking = { issuer: known, clientId, clientSecretEnv: secretVariable, ...audience };
  return { introspection: { ...base.introspection, ...asking } };
}

function toolScopesOf(texts: readonly string[] | undefined): Record<string, string[]> | undefined {
  if (texts === undefined) return undefined;
  const scopes: Record<string, string[]> = {};
  for (const text of texts) {
    const [, tool = '', scope = ''] = /^([^=\s]+)=(\S+)$/.exec(text) ?? [];
    if (tool === '') throw usageError(`--tool-scope cannot be "${text}"`, 'Write TOOL=SCOPE.');
    (scopes[tool] ??= []).push(scope);
  }
  return scopes;
}

function limitsOf(values: ServeValues): LimitSettings {
  const tools: Record<string, string> = {};
  let tool: string | undefined;
  for (const text of values['limit-tool'] ?? []) {
    const at = text.lastIndexOf('=');
    if (at === -1) tool = text;
    else tools[text.slice(0, at)] = text.slice(at + 1);
  }
  return {
    ...given('address', values['limit-address']),
    ...given('principal', values['limit-principal']),
    ...given('session', values['limit-session']),
    ...given('tool', tool),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...given('calls', numberOf('max-calls', values)),
    ...given('callsPerPrincipal', numberOf('max-calls-per-principal', values)),
    ...given('memoryMiB', numberOf('max-memory-mib', values)),
  };
}

function tlsOf(values: ServeValues): ServerSettings['tls'] {
  const { 'tls-cert': cert, 'tls-key': key } = values;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw usageError('--tls-cert and --tls-key belong together', 'Give both, or neither.');
  }
  return { cert: path.resolve(cert), key: path.resolve(key) };
}

/** Settings of both; those of `over` come first, also within a group. */
function mergeSections(base: ServerSettings, over: ServerSettings): ServerSettings {
  const groups = ['auth', 'limits', 'sessions', 'logs', 'drain'] as const;
  const merged = groups.map((name) => [name, { ...base[name], ...over[name] }] as const);
  const used = merged.filter(([, group]) => Object.keys(group).length > 0);
  return { ...base, ...over, ...Object.fromEntries(used) };
}

/** Nothing that the options have not been checked for already: loading a validator would be a waste. */
function isPlain({
  host,
  port,
  path: at,
  insecure,
  allowedHosts,
  allowedOrigins,
  logs,
  ...more
}: ServerSettings): boolean {
  return Object.keys(more).length === 0;
}

async function readSection(file: string): Promise<ServerSettings> {
  const wrong = (why: string, cause?: unknown): KitError =>
    new KitError('invalid_config', `${file} ${why}`, {
      hint: 'It is a JSON file: { "server": { … } }. docs/operate.md lists every setting.',
      cause,
    });
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw wrong('cannot be read', cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrong('is not JSON', cause);
  }
  const section =
    typeof value === 'object' && value !== null && 'server' in value ? value.server : undefined;
  if (section === undefined) throw wrong('has no server section');
  const { readServerSettings } = await import('mcp-kit/operate');
  return withPaths(await readServerSettings(section), path.dirname(path.resolve(file)));
}

/** Files that a file names are found from where it is. */
function withPaths(settings: ServerSettings, folder: string): ServerSettings {
  const { tls, auth } = settings;
  const from = (name: string): string => path.resolve(folder, name);
  return {
    ...settings,
    ...(tls && { tls: { cert: from(tls.cert), key: from(tls.key) } }),
    ...(auth?.apiKeys !== undefined && { auth: { ...auth, apiKeys: from(auth.apiKeys) } }),
  };
}
