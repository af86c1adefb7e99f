import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import type { ServerSettings } from '@mcp-kit/host/operate';
import { usageError } from '../args.ts';
import type { ServeValues } from './options.ts';
import { inMemory, isRemote } from './state.ts';
import {
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
  return isPlain(merged) ? merged : checkSection(merged);
}

/** What these options say; the section of a file is known, because some options add to what it says. */
function sectionOf(values: ServeValues, base: ServerSettings): ServerSettings | undefined {
  const { host, port, path: at, insecure } = values;
  const metricsPort = numberOf('metrics-port', values);
  return known({
    host: host === undefined ? undefined : readName('--host', host),
    port: port === undefined ? undefined : readPort(port),
    path: at === undefined ? undefined : readPath(at),
    publicUrl: readUrl('public-url', values['public-url']),
    insecure,
    allowedHosts: values['allowed-host']?.map(readAllowedHost),
    allowedOrigins: values['allowed-origin']?.map(readOrigin),
    trustedProxies: values['trusted-proxy'],
    tls: tlsOf(values),
    auth: authOf(values, base.auth),
    limits: limitsOf(values),
    sessions: known({
      ttlMs: numberOf('session-ttl-ms', values),
      sweepMs: numberOf('session-sweep-ms', values),
    }),
    store: values.store === undefined ? undefined : readStore(values.store),
    keys: values.keys === undefined ? undefined : path.resolve(values.keys),
    metrics: metricsPort === undefined ? undefined : { port: metricsPort },
    logs: known({ format: values['log-format'], level: values['log-level'] }),
    drain: known({
      delayMs: numberOf('drain-delay-ms', values),
      timeoutMs: numberOf('drain-ms', values),
    }),
  });
}

type AuthSettings = NonNullable<ServerSettings['auth']>;

function authOf(values: ServeValues, base: AuthSettings = {}): AuthSettings | undefined {
  const keys = values['api-keys'];
  return known({
    jwt: jwtOf(values, base),
    introspection: introspectionOf(values, base),
    apiKeys: keys === undefined ? undefined : path.resolve(keys),
    scopes: values.scope,
    toolScopes: toolScopesOf(values['tool-scope']),
  });
}

/** How tokens are judged by what they say; not at all where there is a client to ask about them. */
function jwtOf(values: ServeValues, base: AuthSettings): AuthSettings['jwt'] {
  if (values['auth-introspection-client'] !== undefined) return undefined;
  const jwt = known({
    issuer: readUrl('auth-issuer', values['auth-issuer']),
    audience: values['auth-audience'],
    jwksUri: readUrl('auth-jwks', values['auth-jwks']),
    types: values['auth-token-type'],
  });
  // Where the issuer is missing, the check of the whole says so.
  return jwt && ({ ...base.jwt, ...jwt } as NonNullable<AuthSettings['jwt']>);
}

/** How tokens are judged by asking who issued them. */
function introspectionOf(values: ServeValues, base: AuthSettings): AuthSettings['introspection'] {
  const clientId = values['auth-introspection-client'];
  if (clientId === undefined) return undefined;
  const named = readUrl('auth-issuer', values['auth-issuer']);
  const issuer = named ?? base.introspection?.issuer ?? base.jwt?.issuer;
  if (issuer === undefined) {
    throw usageError('--auth-introspection-client needs --auth-issuer', 'Say whom to ask.');
  }
  const audience = known({ audience: values['auth-audience'] });
  const asking = { issuer, clientId, clientSecretEnv: secretVariable };
  return { ...base.introspection, ...asking, ...audience };
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

function limitsOf(values: ServeValues): ServerSettings['limits'] {
  const tools: Record<string, string> = {};
  let tool: string | undefined;
  for (const text of values['limit-tool'] ?? []) {
    const at = text.lastIndexOf('=');
    if (at === -1) tool = text;
    else tools[text.slice(0, at)] = text.slice(at + 1);
  }
  return known({
    address: values['limit-address'],
    principal: values['limit-principal'],
    session: values['limit-session'],
    tool,
    tools: Object.keys(tools).length > 0 ? tools : undefined,
    calls: numberOf('max-calls', values),
    callsPerPrincipal: numberOf('max-calls-per-principal', values),
    memoryMiB: numberOf('max-memory-mib', values),
  });
}

/** A folder, unless it is another place. */
function readStore(typed: string): string {
  if (typed === inMemory || isRemote(typed)) return typed;
  if (typed !== '' && !typed.includes('://')) return path.resolve(typed);
  throw usageError(`--store cannot be "${typed}"`, 'Name a folder, redis://HOST:PORT, or memory.');
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
function mergeSections(base: ServerSettings, over: ServerSettings = {}): ServerSettings {
  const groups = ['auth', 'limits', 'sessions', 'logs', 'drain'] as const;
  const merged = groups.map((name) => [name, known<object>({ ...base[name], ...over[name] })]);
  return known({ ...base, ...over, ...Object.fromEntries(merged) }) ?? {};
}

/** The members that have a value; nothing where none has. */
function known<T extends object>(group: {
  readonly [Name in keyof T]: T[Name] | undefined;
}): Partial<T> | undefined {
  const members = Object.entries(group).filter(([, value]) => value !== undefined);
  // Members of the group, with the values that they have there.
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Partial<T>);
}

/** Nothing that the options have not been checked for already: loading a validator would be a waste. */
function isPlain({
  host,
  port,
  path: at,
  insecure,
  allowedHosts,
  allowedOrigins,
  store,
  keys,
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
  return withPaths(await checkSection(section), path.dirname(path.resolve(file)));
}

async function checkSection(section: unknown): Promise<ServerSettings> {
  const { readServerSettings } = await import('@mcp-kit/host/operate');
  return readServerSettings(section);
}

/** Files that a file names are found from where it is. */
function withPaths(settings: ServerSettings, folder: string): ServerSettings {
  const { tls, auth, store, keys } = settings;
  const from = (name: string): string => path.resolve(folder, name);
  const found = {
    tls: tls && { cert: from(tls.cert), key: from(tls.key) },
    auth: auth?.apiKeys === undefined ? auth : { ...auth, apiKeys: from(auth.apiKeys) },
    store: store === undefined || store === inMemory || isRemote(store) ? store : from(store),
    keys: keys === undefined ? undefined : from(keys),
  };
  return { ...settings, ...known(found) };
}
