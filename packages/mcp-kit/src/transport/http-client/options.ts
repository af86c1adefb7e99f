import { Buffer } from 'node:buffer';
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { chain, KitError, requireTime, silentLogger, type Logger, type MaybePromise } from '#base';
import { defaultLimits, type Limits } from '#jsonrpc';
import { isReservedHeader } from '#protocol';
import type { HttpAuth } from './auth.ts';
import type { Variables } from './proxy.ts';
import type { HttpEvent } from './watch.ts';

/** Headers by name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** How a server behind a URL is reached. */
export interface HttpClientOptions {
  /** Sent with every request, or a function that is asked before each: for tokens that change. */
  readonly headers?: HeaderRecord | (() => MaybePromise<HeaderRecord>) | undefined;
  /** Gets the requests let in, and hears of those that are not: an `Authorizer` of `mcp-kit/auth` is one. */
  readonly auth?: HttpAuth | undefined;
  /** Where event streams are fetched, when not where messages are posted. */
  readonly streamUrl?: string | URL | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Makes the connections, instead of one that keeps them alive; it is not destroyed. `proxy` and `ca` are its own affair. */
  readonly agent?: HttpAgent | HttpsAgent | undefined;
  /**
   * The http or https URL of a proxy, which is asked for a tunnel (`CONNECT`); or an environment, such as `process.env`, whose
   * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say which, if any. This machine is always reached without. None, unless given.
   */
  readonly proxy?: string | URL | Variables | undefined;
  /** Who signs the certificates of servers and proxies, in PEM, instead of those whom Node trusts. */
  readonly ca?: SecureContextOptions['ca'] | undefined;
  /** How long a connection may take to open; 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long telling the server that a session ends may take; 2 s. */
  readonly closeTimeoutMs?: number | undefined;
  /** Requests under way at the same time; others wait. 256. */
  readonly maxConnections?: number | undefined;
  /** Told about failures that nobody waits for. */
  readonly logger?: Logger | undefined;
  /** Sees every request, its answer and its failure. Watching changes nothing. */
  readonly onHttp?: ((event: HttpEvent) => void) | undefined;
}

/** The options with their defaults. */
export interface Settings {
  readonly headers: readonly string[] | (() => MaybePromise<readonly string[]>);
  readonly auth: HttpAuth | undefined;
  readonly limits: Limits;
  readonly agent: HttpAgent | HttpsAgent | undefined;
  readonly proxy: HttpClientOptions['proxy'];
  readonly ca: SecureContextOptions['ca'];
  readonly connectTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly maxConnections: number;
  readonly logger: Logger;
  readonly onHttp: HttpClientOptions['onHttp'];
}

export function settle(options: HttpClientOptions): Settings {
  requireTime('connectTimeoutMs', options.connectTimeoutMs);
  requireTime('closeTimeoutMs', options.closeTimeoutMs);
  return {
    headers: readHeaders(options.headers ?? {}),
    auth: options.auth,
    limits: { ...defaultLimits, ...options.limits },
    agent: options.agent,
    proxy: options.proxy,
    ca: options.ca,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    closeTimeoutMs: options.closeTimeoutMs ?? 2_000,
    maxConnections: options.maxConnections ?? 256,
    logger: options.logger ?? silentLogger,
    onHttp: options.onHttp,
  };
}

/** The address of a server; anything but HTTP is the caller's mistake. */
export function parseUrl(url: string | URL): URL {
  let parsed: URL | undefined;
  try {
    parsed = new URL(url);
  } catch {
    // As bad as one of another kind.
  }
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new KitError('invalid_argument', `not a URL of an HTTP server: ${String(url)}`, {
    hint: 'Use an address that begins with http:// or https://.',
  });
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

function readHeaders(
  headers: HeaderRecord | (() => MaybePromise<HeaderRecord>),
): Settings['headers'] {
  if (typeof headers !== 'function') return listHeaders(headers);
  return () => chain(headers(), listHeaders);
}

/** Names and values in turn; throws when one may not be set. */
export function listHeaders(headers: HeaderRecord): readonly string[] {
  return Object.entries(headers).flatMap(([given, value]) => {
    const name = given.toLowerCase();
    if (isReservedHeader(name)) {
      throw new KitError('invalid_argument', `the header ${given} cannot be set`, {
        hint: 'It follows from the message; leave it out.',
      });
    }
    if (!token.test(name) || typeof value !== 'string' || !fieldValue.test(value)) {
      throw new KitError('invalid_argument', `the header ${JSON.stringify(given)} is not valid`, {
        hint: 'Names are tokens, and values are one line of Latin-1 text.',
      });
    }
    return [name, value];
  });
}

/** What every request to a place says unless told otherwise. */
export function placeHeaders(url: URL): readonly string[] {
  const list = ['host', url.host, 'user-agent', 'mcp-kit'];
  if (url.username === '' && url.password === '') return list;
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  return [...list, 'authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Both lists of names and values, without what the second says anew. */
export function mergeHeaders(
  usual: readonly string[],
  given: readonly string[],
): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < usual.length; at += 2) {
    const [name = '', value = ''] = [usual[at], usual[at + 1]];
    if (!given.some((other, index) => index % 2 === 0 && other === name)) kept.push(name, value);
  }
  return [...kept, ...given];
}
