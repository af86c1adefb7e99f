import { isIP } from 'node:net';
import type { LoggerLevel } from 'mcp-kit/base';
import type { ProfileName } from 'mcp-kit/transport/http';
import { usageError, type OptionValues, type Options } from '../args.ts';
import { helpHint } from '../help.ts';

/** What `mcpctl serve` takes. */
export const serveOptions = {
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
  profile: {
    type: 'string',
    choices: ['spec', 'v2', '2025-06-18'],
    value: 'NAME',
    help: 'Behaviour where the specification leaves room: spec, v2 or 2025-06-18. Default: spec.',
  },
  insecure: {
    type: 'boolean',
    help: 'Allow a HOST that other machines can reach. Nothing authenticates them.',
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
    help: 'Accept calls from web pages of this origin, too. May be repeated. CORS headers are not sent: a proxy in front has to.',
  },
  json: { type: 'boolean', help: 'Say where it serves as one line of JSON.' },
  quiet: { type: 'boolean', help: 'Say nothing but errors.' },
  'log-level': {
    type: 'string',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    value: 'LEVEL',
    help: 'What goes to standard error: debug, info, warn, error or silent. Default: warn.',
  },
} as const satisfies Options;

export type ServeValues = OptionValues<typeof serveOptions>;

/** Where to serve. */
export type Place =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'http';
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly insecure: boolean;
      readonly allowedHosts: readonly string[];
      readonly allowedOrigins: readonly string[];
    };

/** A command line that has been understood. */
export interface ServeSettings {
  readonly place: Place;
  readonly profile: ProfileName;
  readonly announce: 'text' | 'json' | 'nothing';
  readonly logLevel: LoggerLevel | 'silent';
}

const httpOnly = ['port', 'host', 'path', 'insecure', 'allowed-host', 'allowed-origin'] as const;
const help = helpHint('serve');

/** Turns options into settings; what contradicts itself is a usage error. */
export function readSettings(values: ServeValues): ServeSettings {
  return {
    place: readPlace(values),
    profile: values.profile ?? 'spec',
    announce: readAnnounce(values),
    logLevel: values['log-level'] ?? 'warn',
  };
}

function readPlace(values: ServeValues): Place {
  if (values.stdio) {
    forbid(values, '--stdio', [...httpOnly, 'unix']);
    return { kind: 'stdio' };
  }
  if (values.unix !== undefined) {
    forbid(values, '--unix', httpOnly);
    return { kind: 'unix', path: values.unix };
  }
  return {
    kind: 'http',
    host: readHost(values.host),
    port: readPort(values.port),
    path: readPath(values.path),
    insecure: values.insecure ?? false,
    allowedHosts: (values['allowed-host'] ?? []).map(readAllowedHost),
    allowedOrigins: (values['allowed-origin'] ?? []).map(readOrigin),
  };
}

function forbid(
  values: ServeValues,
  chosen: string,
  options: readonly (keyof ServeValues)[],
): void {
  const stray = options.find((name) => values[name] !== undefined);
  if (stray === undefined) return;
  throw usageError(`${chosen} and --${stray} exclude each other`, `Leave out one of them. ${help}`);
}

function readAnnounce(values: ServeValues): ServeSettings['announce'] {
  if (values.stdio) {
    forbid(values, '--stdio', ['json']);
    return 'nothing';
  }
  if (values.quiet) {
    forbid(values, '--quiet', ['json']);
    return 'nothing';
  }
  return values.json ? 'json' : 'text';
}

function readPort(port = '7420'): number {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Infinity;
  if (number <= 65_535) return number;
  throw usageError(
    `--port cannot be "${port}"`,
    'Use a number from 0 to 65535; 0 picks a free one.',
  );
}

function readHost(host = '127.0.0.1'): string {
  return readName('--host', host);
}

/** As it stands in a Host header. */
function readAllowedHost(host: string): string {
  const name = readName('--allowed-host', host);
  return isIP(name) === 6 ? `[${name}]` : name;
}

/** An address in brackets, as in a URL, is meant as the address. */
function readName(option: string, host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0 || /^[A-Za-z0-9._-]+$/.test(bare)) return bare;
  throw usageError(
    `${option} cannot be "${host}"`,
    'Use a host name or an address, without a port.',
  );
}

function readPath(path = '/mcp'): string {
  if (/^\/[^\s?#]*$/.test(path)) return path;
  throw usageError(`--path cannot be "${path}"`, 'Start it with "/", without "?", "#" or spaces.');
}

function readOrigin(origin: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin === origin.toLowerCase()) return origin;
  throw usageError(
    `--allowed-origin cannot be "${origin}"`,
    'Write it as a browser does: https://host, or https://host:port, without a path.',
  );
}
