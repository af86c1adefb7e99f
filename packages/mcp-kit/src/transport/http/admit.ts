import type { BlockList } from 'node:net';
import { KitError, net, type MaybePromise } from '#base';
import { headerOf, rpcErrors, type Headers } from '#jsonrpc';
import type { HeaderList, Identify, Refusal } from './responder.ts';

/** A request as it is known before its body is read. */
export interface Visit {
  readonly headers: Headers;
  /** Where it comes from; behind trusted proxies, where they say that it does. Nothing where the runtime does not tell. */
  readonly address: string | undefined;
}

/** Who sends a request. */
export interface Caller {
  /** Sessions, and what clients carry for us, are its own. Nothing where nobody is told apart. */
  readonly principal: string | undefined;
  /** The program through which the principal calls, where that is known: its sessions are not those of another program. */
  readonly client?: string | undefined;
  /** What it has been allowed; nothing where that is not asked. */
  readonly scopes?: ReadonlySet<string> | undefined;
}

/** Lets a request in before its body is read, and says who sends it. Never rejects. */
export type Admit = (visit: Visit) => MaybePromise<Caller | Refusal>;

/** A request that has been let in. */
export interface Incoming {
  readonly headers: Headers;
  readonly caller: Caller;
}

export function isRefusal(entered: Caller | Refusal): entered is Refusal {
  return 'status' in entered;
}

const nobody: Caller = { principal: undefined };

/** Lets everybody in; `identify` tells them apart. */
export function admitAll(identify?: Identify): Admit {
  return ({ headers }) => (identify === undefined ? nobody : { principal: identify(headers) });
}

export interface GuardOptions {
  /** Host names under which this server may be addressed, besides the loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may call this server, besides loopback ones, as `https://host[:port]`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Bound beyond loopback: addresses are fine as host names, since no DNS answer can forge them. */
  readonly anyAddress?: boolean | undefined;
}

/** Judges a request by its headers alone, before a byte of its body is read. */
export type Guard = (headers: Headers, rawHeaders: readonly string[]) => Refusal | undefined;

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const wrongHost = forbidden('Host not allowed', 'host');
const wrongOrigin = forbidden('Origin not allowed', 'origin');

/** Keeps web pages out: a browser tells the truth in Host and Origin, also when DNS lies to it. */
export function createGuard(options: GuardOptions = {}): Guard {
  const { allowedHosts = [], allowedOrigins = [], anyAddress = false } = options;
  const names = new Set([...loopbackNames, ...allowedHosts].map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isAllowedHost = (host: string): boolean => {
    const name = hostName(host);
    return name !== undefined && (names.has(name) || (anyAddress && isAddress(name)));
  };
  const isAllowedOrigin = (origin: string): boolean => {
    const lower = origin.toLowerCase();
    if (origins.has(lower)) return true;
    const authority = /^https?:\/\/([^/?#@]+)$/.exec(lower)?.[1];
    const name = authority === undefined ? undefined : hostName(authority);
    return name !== undefined && names.has(name);
  };
  // Nearly every request has the host of the one before.
  let allowed: string | undefined;
  return (headers, rawHeaders) => {
    const host = headerOf(headers, 'host');
    if (host === undefined || countOf(rawHeaders, 'host') > 1) return wrongHost;
    if (host !== allowed && !isAllowedHost(host)) return wrongHost;
    allowed = host;
    const { origin } = headers;
    if (origin === undefined) return undefined;
    return typeof origin === 'string' && isAllowedOrigin(origin) ? undefined : wrongOrigin;
  };
}

/** The name without its port; nothing when it is not of the form name[:port]. */
function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:[\]/?#@\s]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}

function isAddress(name: string): boolean {
  return net().isIP(name.startsWith('[') ? name.slice(1, -1) : name) !== 0;
}

function forbidden(message: string, cause: string): Refusal {
  return { status: 403, error: { code: rpcErrors.invalidRequest, message }, cause };
}

/** How often a header was sent: of some, Node keeps the first, and a proxy in front may have believed another. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}

/** The headers, in which two credentials are not one: whoever asks for a single one finds none. */
export function withAllCredentials(headers: Headers, rawHeaders: readonly string[]): Headers {
  if (headers['authorization'] === undefined || countOf(rawHeaders, 'authorization') < 2) {
    return headers;
  }
  const all = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'authorization');
  return { ...headers, authorization: all };
}

/** Where a request comes from: what the connection says, or the proxies that are believed. */
export type Forwarding = (peer: string | undefined, headers: Headers) => string | undefined;

/** The address of requests over a unix socket. */
const unix = 'unix';

/**
 * Believes `X-Forwarded-For` of the listed addresses and networks only, and in it only what they have written:
 * the last address that is none of theirs. `unix` stands for whoever connects to a unix socket.
 */
export function createForwarding(trusted: readonly string[]): Forwarding {
  if (trusted.length === 0) return (peer) => plain(peer);
  const { BlockList: Networks } = net();
  const networks = new Networks();
  for (const text of trusted) if (text !== unix) addNetwork(networks, text);
  const isTrusted = (address: string): boolean =>
    address === unix ? trusted.includes(unix) : holds(networks, address);
  return (peer, headers) => {
    let address = plain(peer);
    if (!isTrusted(address)) return address;
    const hops = (headerOf(headers, 'x-forwarded-for') ?? '').split(',');
    for (const hop of hops.toReversed()) {
      const named = addressIn(hop);
      // What is not an address was not written by a proxy that can be believed.
      if (named === undefined) return address;
      address = named;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

function addNetwork(networks: BlockList, text: string): void {
  const [address = '', prefix, more] = text.split('/');
  const family = net().isIP(address);
  const bits = prefix === undefined ? undefined : Number(/^\d{1,3}$/.exec(prefix)?.[0] ?? NaN);
  const widest = family === 6 ? 128 : 32;
  const fits = bits === undefined || (bits >= 0 && bits <= widest);
  if (family === 0 || !fits || more !== undefined) {
    throw new KitError('invalid_argument', `not an address or network: ${JSON.stringify(text)}`, {
      hint: 'Write 10.0.0.7, 10.0.0.0/8, fd00::/8, or unix.',
    });
  }
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) networks.addAddress(address, type);
  else networks.addSubnet(address, bits, type);
}

function holds(networks: BlockList, address: string): boolean {
  const family = net().isIP(address);
  return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An address as one of several hops; some proxies add a port. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim();
  if (net().isIP(text) !== 0) return plain(text);
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return bare !== undefined && net().isIP(bare) !== 0 ? plain(bare) : undefined;
}

/** A listener for both families names IPv4 clients in the style of IPv6. */
function plain(address: string | undefined): string {
  if (address === undefined) return unix;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** What lets pages of other origins read what this server answers. */
export interface Cors {
  /** The headers that every answer to this request carries besides its own. */
  headersFor(headers: Headers): HeaderList | undefined;
  /** The answer to a browser that asks before it sends a request; nothing when this is no such question. */
  preflight(headers: Headers): HeaderList | undefined;
}

const exposed = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after';
const rememberSeconds = 600;

/** Speaks for pages of the listed origins, and says nothing to those of others. */
export function createCors(origins: readonly string[]): Cors {
  const listed = new Set(origins.map((origin) => origin.toLowerCase()));
  const headersFor = (headers: Headers): HeaderList | undefined => {
    const origin = headerOf(headers, 'origin');
    if (origin === undefined || !listed.has(origin.toLowerCase())) return undefined;
    return [
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      exposed,
      'vary',
      'origin',
    ];
  };
  return {
    headersFor,
    preflight(headers) {
      if (headers['access-control-request-method'] === undefined) return undefined;
      if (headersFor(headers) === undefined) return undefined;
      const asked = headerOf(headers, 'access-control-request-headers') ?? '';
      const allowed = ['access-control-allow-methods', 'POST, GET, DELETE'];
      allowed.push('access-control-max-age', String(rememberSeconds));
      // Which headers repeat arguments depends on the tool, so the origin is what decides.
      if (/^[\w\-, ]+$/.test(asked)) allowed.push('access-control-allow-headers', asked);
      return allowed;
    },
  };
}
