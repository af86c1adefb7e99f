import type { Options, OptionValues } from '../args.ts';
import { logLevel } from '../global-options.ts';

/** Where a server is reached. */
export const front = {
  port: {
    type: 'string',
    value: 'PORT',
    help: 'Port for HTTP; 0 picks a free one. Default: 7420.',
  },
  host: { type: 'string', value: 'HOST', help: 'Address for HTTP. Default: 127.0.0.1.' },
  path: { type: 'string', value: 'PATH', help: 'Path of the HTTP endpoint. Default: /mcp.' },
  stdio: { type: 'boolean', help: 'Serve on standard input and output instead.' },
  unix: {
    type: 'string',
    value: 'PATH',
    help: 'Serve on a unix socket instead, one message per line.',
  },
} as const satisfies Options;

const place = {
  ...front,
  profile: {
    type: 'string',
    choices: ['spec', 'v2', '2025-06-18'],
    value: 'NAME',
    help: 'Behaviour where the specification leaves room: spec, v2 or 2025-06-18. Default: spec.',
  },
  governed: {
    type: 'boolean',
    help: 'Serve governed tools, which can be tried, repeated and traced: samples that read, and notes.',
  },
  config: {
    type: 'string',
    value: 'FILE',
    help: 'Take settings from the server section of this JSON file; options come before it.',
  },
} as const satisfies Options;

/** Who can reach a server over HTTP. */
export const reach = {
  'public-url': {
    type: 'string',
    value: 'URL',
    help: 'Where clients reach the endpoint, through whatever is in front. Tokens must be for it.',
  },
  insecure: {
    type: 'boolean',
    help: 'Allow a HOST that other machines can reach although nothing authenticates them.',
  },
  'allowed-host': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'Accept this name in the Host header, too. May be repeated.',
  },
  'allowed-origin': {
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'Let web pages of this origin call and read, by CORS. May be repeated.',
  },
  'trusted-proxy': {
    type: 'string',
    multiple: true,
    value: 'ADDRESS',
    help: 'Believe X-Forwarded-For of this address or network. May be repeated.',
  },
  'tls-cert': { type: 'string', value: 'FILE', help: 'Speak https with this certificate (PEM).' },
  'tls-key': { type: 'string', value: 'FILE', help: 'The key of the certificate (PEM).' },
} as const satisfies Options;

/** Whom a server over HTTP lets in. */
export const authorization = {
  'auth-issuer': {
    type: 'string',
    value: 'URL',
    help: 'Take access tokens (JWT) of this authorization server.',
  },
  'auth-audience': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'Whom tokens must be for. Default: the public URL. May be repeated.',
  },
  'auth-jwks': {
    type: 'string',
    value: 'URL',
    help: 'Where the keys of the authorization server are. Default: where its metadata says.',
  },
  'auth-token-type': {
    type: 'string',
    multiple: true,
    value: 'TYPE',
    help: 'What tokens must call themselves (typ). Default: at+jwt. May be repeated.',
  },
  'auth-introspection-client': {
    type: 'string',
    value: 'ID',
    help: 'Ask the authorization server about tokens, as this client; its secret is in MCP_INTROSPECTION_SECRET.',
  },
  'api-keys': {
    type: 'string',
    value: 'FILE',
    help: 'Take the API keys whose hashes are in FILE.',
  },
  scope: {
    type: 'string',
    multiple: true,
    value: 'SCOPE',
    help: 'Every call needs this scope; a new key gets it. May be repeated.',
  },
  'tool-scope': {
    type: 'string',
    multiple: true,
    value: 'TOOL=SCOPE',
    help: 'Calls of this tool need this scope, too; delete_* is all that begin so. May be repeated.',
  },
} as const satisfies Options;

const newKey = {
  'new-api-key': {
    type: 'string',
    value: 'NAME',
    help: 'Add a key to the file of --api-keys, print it once, and end.',
  },
} as const satisfies Options;

/** How much is asked of a server over HTTP. */
export const limits = {
  'limit-address': {
    type: 'string',
    value: 'RATE',
    help: 'Requests of one address, as 20/s, 600/min or 20/s burst 40.',
  },
  'limit-principal': { type: 'string', value: 'RATE', help: 'Requests of one caller.' },
  'limit-session': { type: 'string', value: 'RATE', help: 'Requests in one session.' },
  'limit-tool': {
    type: 'string',
    multiple: true,
    value: '[TOOL=]RATE',
    help: 'Calls of each tool, or of this one, by all callers. May be repeated.',
  },
  'max-calls': { type: 'string', value: 'N', help: 'Calls under way at the same time.' },
  'max-calls-per-principal': { type: 'string', value: 'N', help: 'The same, of one caller.' },
  'max-memory-mib': {
    type: 'string',
    value: 'N',
    help: 'What clients may make it hold, in MiB. Default: a quarter of the heap.',
  },
} as const satisfies Options;

/** How a server over HTTP is run. */
export const operation = {
  store: {
    type: 'string',
    value: 'PLACE',
    help: 'Keep sessions, and what is promised to clients, in this folder, over restarts, or in redis://HOST:PORT. Default: memory.',
  },
  workers: {
    type: 'string',
    value: 'N',
    help: 'Serve by N processes that share port and store; one that dies is replaced. Only for mcpctl serve.',
  },
  keys: {
    type: 'string',
    value: 'FILE',
    help: 'Seal what clients carry with the keys of FILE, which mcpctl keys makes. Default: keys that the store keeps.',
  },
  'metrics-port': {
    type: 'string',
    value: 'PORT',
    help: 'Show numbers for Prometheus, and health, at this port of 127.0.0.1.',
  },
  'session-ttl-ms': {
    type: 'string',
    value: 'MS',
    help: 'End sessions that were idle for this long. Default: an hour; ten minutes for a bridge.',
  },
  'session-sweep-ms': {
    type: 'string',
    value: 'MS',
    help: 'How often idle sessions are looked for. Default: five minutes; one for a bridge.',
  },
  'drain-ms': {
    type: 'string',
    value: 'MS',
    help: 'How long calls under way may take after SIGTERM. Default: 1000.',
  },
  'drain-delay-ms': {
    type: 'string',
    value: 'MS',
    help: 'Say for this long that it is not ready, before it takes no more. Default: 0.',
  },
} as const satisfies Options;

const logs = {
  'log-format': {
    type: 'string',
    choices: ['text', 'json'],
    value: 'FORMAT',
    help: 'How logs are written: text, or json with a line per call at info. Default: text.',
  },
  'log-level': logLevel,
} as const satisfies Options;

const output = {
  json: { type: 'boolean', help: 'Say where it serves as one line of JSON.' },
  quiet: { type: 'boolean', help: 'Say nothing but errors.' },
} as const satisfies Options;

/** What `mcpctl serve` takes, as its help groups it. */
export const serveGroups = {
  Where: place,
  'Who can reach it': reach,
  Authorization: { ...authorization, ...newKey },
  Limits: limits,
  Operation: { ...operation, ...logs },
  Output: output,
} as const satisfies Readonly<Record<string, Options>>;

/** What `mcpctl serve` takes. */
export const serveOptions = {
  ...place,
  ...reach,
  ...authorization,
  ...newKey,
  ...limits,
  ...operation,
  ...logs,
  ...output,
} as const satisfies Options;

export type ServeValues = OptionValues<typeof serveOptions>;

/** Options by which a server over HTTP is run, whatever it serves. */
const operatorOptions = { ...reach, ...authorization, ...limits, ...operation } as const;

/** Their names. */
export const operatorNames = Object.keys(operatorOptions) as (keyof typeof operatorOptions)[];

/** Options that say something about HTTP only. */
export const httpOnly: readonly (keyof ServeValues)[] = [
  'port',
  'host',
  'path',
  'config',
  'new-api-key',
  ...operatorNames,
];
