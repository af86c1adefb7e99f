import { net } from '#base';
import { rpcErrors } from '#jsonrpc';
import { countOf } from './repeated.ts';
import { single, type Headers, type Refusal } from './responder.ts';

export interface GuardOptions {
  /** Host names under which this server may be addressed, besides the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call this server, besides loopback ones, as `https://host[:port]`. */
  readonly allowedOrigins?: readonly string[];
  /** Bound beyond loopback: addresses are fine as host names, since no DNS answer can forge them. */
  readonly anyAddress?: boolean;
}

/** Judges a request by its headers alone, before a byte of its body is read. */
export type Guard = (headers: Headers, rawHeaders: readonly string[]) => Refusal | undefined;

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Keeps web pages out: a browser tells the truth in Host and Origin, also when DNS lies to it. */
export function createGuard(options: GuardOptions = {}): Guard {
  const names = new Set(
    [...loopbackNames, ...(options.allowedHosts ?? [])].map((name) => name.toLowerCase()),
  );
  const origins = new Set((options.allowedOrigins ?? []).map((origin) => origin.toLowerCase()));
  const isAllowedHost = (host: string): boolean => {
    const name = hostName(host);
    if (name === undefined) return false;
    return names.has(name) || (options.anyAddress === true && isAddress(name));
  };
  const isAllowedOrigin = (origin: string): boolean => {
    const lower = origin.toLowerCase();
    if (origins.has(lower)) return true;
    const authority = /^https?:\/\/([^/?#@]+)$/.exec(lower)?.[1];
    const name = authority === undefined ? undefined : hostName(authority);
    return name !== undefined && names.has(name);
  };
  return (headers, rawHeaders) => {
    const host = single(headers, 'host');
    if (host === undefined || countOf(rawHeaders, 'host') > 1 || !isAllowedHost(host)) {
      return forbidden('Host not allowed', 'host');
    }
    const { origin } = headers;
    if (origin === undefined) return undefined;
    return typeof origin === 'string' && isAllowedOrigin(origin)
      ? undefined
      : forbidden('Origin not allowed', 'origin');
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
