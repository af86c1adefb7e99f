import { Buffer } from 'node:buffer';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { createDeferred, KitError, net, startTimer } from '#base';
import { hostOf, labelOf, portOf } from './place.ts';

/** Variables of an environment, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL: the one that is named; or the one of an environment, as most programs understand it. */
export function proxyFor(url: URL, proxy: string | URL | Variables | undefined): URL | undefined {
  if (proxy === undefined) return undefined;
  if (typeof proxy === 'string' || proxy instanceof URL) return parseProxy(proxy);
  // What leads to this machine is never meant, whoever reads these variables.
  if (isHere(hostOf(url)) || isExcepted(url, variable(proxy, 'NO_PROXY') ?? '')) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = variable(proxy, name) ?? '';
  return named.trim() === '' ? undefined : parseProxy(named, name);
}

/** In either spelling. A web server may have set `HTTP_PROXY` on the word of whoever asked it. */
function variable(env: Variables, name: string): string | undefined {
  const isForged = name === 'HTTP_PROXY' && env['REQUEST_METHOD'] !== undefined;
  return env[name.toLowerCase()] ?? (isForged ? undefined : env[name]);
}

function parseProxy(given: string | URL, from = 'proxy'): URL {
  const text = String(given).trim();
  // Many write only the host and the port.
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url && /^https?:$/.test(url.protocol) && isDecodable(url)) return url;
  // Not repeated: it may have a password.
  throw new KitError('invalid_argument', `${from} is not the URL of an HTTP proxy`, {
    hint: 'Write it as http://host:port or https://host:port. Proxies of other kinds are not known here.',
  });
}

/** Whether its name and password, with what is escaped in them, are text. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Whether `NO_PROXY` names a place: `*`, a host and what is below it, an address or a range of them, perhaps with a port. */
function isExcepted(url: URL, list: string): boolean {
  const host = hostOf(url);
  return list.split(/[\s,]+/).some((item) => {
    const { name, port } = partsOf(item);
    return (port === undefined || port === portOf(url)) && covers(name, host);
  });
}

/** An address of IPv6 has colons of its own. */
function partsOf(item: string): { readonly name: string; readonly port?: number } {
  const [address = ''] = item.split('/');
  const [, name, port] = (net().isIPv6(address) ? null : /^(.+):(\d+)$/.exec(item)) ?? [];
  return name === undefined ? { name: item } : { name, port: Number(port) };
}

function covers(name: string, host: string): boolean {
  const excepted = name
    .toLowerCase()
    .replace(/^\*?\./, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (name === '*') return true;
  if (excepted === '') return false;
  if (net().isIP(host) !== 0) return inRange(excepted, host);
  return host === excepted || host.endsWith(`.${excepted}`);
}

function inRange(range: string, address: string): boolean {
  const [base = '', prefix] = range.split('/');
  const family = (text: string): 'ipv4' | 'ipv6' => (net().isIPv6(text) ? 'ipv6' : 'ipv4');
  if (net().isIP(base) === 0) return false;
  const list = new (net().BlockList)();
  try {
    list.addSubnet(base, Number(prefix ?? (family(base) === 'ipv6' ? 128 : 32)), family(base));
  } catch {
    // No such prefix.
    return false;
  }
  return list.check(address, family(address));
}

function isHere(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return inRange('127.0.0.0/8', host) || inRange('::1', host);
}

/** How a tunnel is made. */
export interface TunnelOptions {
  /** Where it leads to, with its port. */
  readonly to: string;
  readonly ca: SecureContextOptions['ca'];
  readonly timeoutMs: number;
}

/** Opens a connection through a proxy; what is sent on it is for the place it leads to. */
export function tunnelThrough(proxy: URL, { to, ca, timeoutMs }: TunnelOptions): Promise<Socket> {
  const { request } = process.getBuiltinModule(
    proxy.protocol === 'https:' ? 'node:https' : 'node:http',
  );
  const { promise, resolve, reject } = createDeferred<Socket>();
  const headers: Record<string, string> = { host: to };
  if (proxy.username !== '' || proxy.password !== '') {
    const credentials = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
    headers['proxy-authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  const options: RequestOptions = {
    host: hostOf(proxy),
    port: portOf(proxy),
    method: 'CONNECT',
    path: to,
    headers,
    agent: false,
    // Of the proxy: Node would take the header for its name.
    servername: net().isIP(hostOf(proxy)) === 0 ? hostOf(proxy) : '',
    ca,
  };
  const asking = request(options);
  const fail = (why: string, cause?: unknown): void => {
    asking.destroy();
    reject(notThrough(proxy, to, { why, cause }));
  };
  const timer = startTimer(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
  asking.once('connect', ({ statusCode: status = 0, statusMessage = '' }, socket, head) => {
    if (status < 200 || status >= 300) {
      fail(`HTTP ${status} ${statusMessage}`.trim());
      return;
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  asking.once('error', (error) => fail(error.message, error));
  asking.once('close', () => clearTimeout(timer));
  asking.end();
  return promise;
}

function notThrough(
  proxy: URL,
  to: string,
  { why, cause }: { readonly why: string; readonly cause: unknown },
): KitError {
  return new KitError(
    'unreachable',
    `cannot reach ${to} through the proxy ${labelOf(proxy)}: ${why}`,
    {
      hint: why.startsWith('HTTP 407')
        ? 'The proxy wants a name and a password: http://name:password@host:port.'
        : 'Check the proxy, and whether it lets such connections pass; NO_PROXY names what is reached without.',
      cause,
      details: { ran: false },
    },
  );
}
