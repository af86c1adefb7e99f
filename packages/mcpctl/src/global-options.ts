import type { Option, Options } from './args.ts';
import type { Command } from './command.ts';

/** How much is logged. */
export const logLevel = {
  type: 'string',
  choices: ['debug', 'info', 'warn', 'error', 'silent'],
  value: 'LEVEL',
  help: 'What goes to standard error: debug, info, warn, error or silent. Default: warn.',
} as const satisfies Option;

/** What every command prints with. */
const outputOptions = {
  json: { type: 'boolean', help: 'Print one JSON document on one line.' },
  quiet: { type: 'boolean', help: 'No warnings, no times, no progress.' },
  'no-color': { type: 'boolean', help: 'No colour; NO_COLOR=1 does the same.' },
  trace: { type: 'boolean', help: 'Show every message that crosses the wire, on standard error.' },
  'log-level': logLevel,
} as const satisfies Options;

/** Where servers come from. */
const configOptions = {
  root: { type: 'string', value: 'DIR', help: 'Folder of the project. Default: where you are.' },
  config: { type: 'string', value: 'FILE', help: 'Read this file, and no other.' },
  'allow-config-outside-root': {
    type: 'boolean',
    help: 'Allow --config to be outside of --root.',
  },
  'show-argv': { type: 'boolean', help: 'Show the whole command lines of servers.' },
} as const satisfies Options;

/** How a server is talked to. */
const sessionOptions = {
  'timeout-ms': {
    type: 'string',
    value: 'MS',
    help: 'How long a server may take to start, and to answer; progress and its questions to you prolong an answer, up to 10 minutes in all. Default: 60000 and 30000.',
  },
  era: {
    type: 'string',
    choices: ['auto', 'legacy', 'modern'],
    value: 'ERA',
    help: 'Which protocol to speak: auto, legacy (up to 2025-11-25) or modern (2026-07-28). Default: auto.',
  },
  proxy: {
    type: 'string',
    value: 'URL',
    help: 'Reach trusted servers through this proxy, or through none: off. Default: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.',
  },
  'ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Believe trusted servers whose certificates are signed by those in this file (PEM).',
  },
  'max-message-bytes': {
    type: 'string',
    value: 'BYTES',
    help: 'How large a message of a trusted server may be. Default: 16842752.',
  },
} as const satisfies Options;

/** What servers that are not trusted may do, and who is. */
const trustOptions = {
  trust: { type: 'boolean', help: 'Trust every server of the configuration; needs --yes-trust.' },
  'yes-trust': { type: 'boolean', help: 'Confirms --trust.' },
  'allow-http': { type: 'boolean', help: 'Untrusted servers may be reached without TLS.' },
  'allow-localhost': { type: 'boolean', help: 'Untrusted servers may be on this machine.' },
  'allow-private-ip': { type: 'boolean', help: 'Untrusted servers may be in private networks.' },
  'allow-host': {
    type: 'string',
    multiple: true,
    value: 'HOST',
    help: 'Untrusted servers may be at this host only, or below it. May be repeated.',
  },
  'no-dns-check': {
    type: 'boolean',
    help: 'Untrusted servers may have names that lead to addresses which are not allowed.',
  },
  'dns-check': { type: 'boolean', help: 'Check where names lead; the default.' },
  'dns-timeout-ms': {
    type: 'string',
    value: 'MS',
    help: 'How long looking up a name may take. Default: 2000.',
  },
  'dns-fail-open': {
    type: 'boolean',
    help: 'A name that cannot be looked up in time is no refusal.',
  },
  'allow-stdout-log-outside-root': {
    type: 'boolean',
    help: 'Logs of servers may be written outside of --root.',
  },
} as const satisfies Options;

/** A server that is in no file: the user's own word. */
export const targetOptions = {
  url: { type: 'string', value: 'URL', help: 'Use the server at this URL.' },
  header: {
    type: 'string',
    multiple: true,
    value: "'NAME: VALUE'",
    help: 'Send this header with --url. Never printed. May be repeated.',
  },
  unix: { type: 'string', value: 'PATH', help: 'Use the server behind this unix socket.' },
  env: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'Give the command after -- this variable. Never printed. May be repeated.',
  },
  cwd: { type: 'string', value: 'DIR', help: 'Start the command after -- in this folder.' },
} as const satisfies Options;

/** The options every command has, whatever its scope. */
export const commonOptions = {
  help: { type: 'boolean', short: 'h', help: 'Show this help.' },
} as const satisfies Options;

/** The global options, as the help groups them. */
export const globalGroups = {
  Output: outputOptions,
  Configuration: configOptions,
  Session: sessionOptions,
  Trust: trustOptions,
} as const satisfies Readonly<Record<string, Options>>;

/** The options that work before or after every command that works with a configuration. */
export const globalOptions = {
  ...outputOptions,
  ...configOptions,
  ...sessionOptions,
  ...trustOptions,
} as const satisfies Options;

/** Every option that a command takes: its own, and those that its scope adds. */
export function optionsOf({
  scope,
  options,
}: Pick<Command, 'scope' | 'options'>): Options & typeof commonOptions {
  if (scope === 'own') return { ...options, ...commonOptions };
  if (scope === 'config') return { ...globalOptions, ...options, ...commonOptions };
  return { ...globalOptions, ...targetOptions, ...options, ...commonOptions };
}
