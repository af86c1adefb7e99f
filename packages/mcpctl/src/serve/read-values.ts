import { isIP } from 'node:net';
import { usageError } from '../args.ts';
import { readNumber } from '../arguments/number.ts';
import type { ServeValues } from './options.ts';

export function numberOf(
  option:
    | 'metrics-port'
    | 'drain-ms'
    | 'drain-delay-ms'
    | 'max-calls'
    | 'max-calls-per-principal'
    | 'max-memory-mib'
    | 'session-ttl-ms'
    | 'session-sweep-ms',
  values: ServeValues,
): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  return readNumber(`--${option}`, text, {
    most: 999_999_999,
    hint: 'Use a whole number from 0 to 999999999.',
  });
}

export function readUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\/./.test(text)) return text;
  throw usageError(`--${option} cannot be "${text}"`, 'Write it whole: https://host/path.');
}

export function readPort(port: string, option = '--port'): number {
  const hint = 'Use a number from 0 to 65535; 0 picks a free one.';
  return readNumber(option, port, { most: 65_535, hint });
}

/** As it stands in a Host header. */
export function readAllowedHost(host: string): string {
  const name = readName('--allowed-host', host);
  return isIP(name) === 6 ? `[${name}]` : name;
}

/** An address in brackets, as in a URL, is meant as the address. */
export function readName(option: string, host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0 || /^[A-Za-z0-9._-]+$/.test(bare)) return bare;
  throw usageError(
    `${option} cannot be "${host}"`,
    'Use a host name or an address, without a port.',
  );
}

export function readPath(text: string, option = '--path'): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usageError(
    `${option} cannot be "${text}"`,
    'Start it with "/", without "?", "#" or spaces.',
  );
}

export function readOrigin(origin: string): string {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin === origin.toLowerCase()) return origin;
  throw usageError(
    `--allowed-origin cannot be "${origin}"`,
    'Write it as a browser does: https://host, or https://host:port, without a path.',
  );
}
