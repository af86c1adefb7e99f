import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { KitError, net } from '#base';
import type { Service } from '#protocol';
import { listen } from '../listen.ts';
import {
  createCors,
  createForwarding,
  createGuard,
  type Guard,
  type GuardOptions,
} from './admit.ts';
import type { Endpoint, EndpointOptions } from './endpoint.ts';
import { createEndpoints, type Endpoints, type FurtherServices } from './further.ts';
import { countConnections, createListener, type Draining, type ListenerOptions } from './node.ts';

/** A certificate and its key, as PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** Where to listen, and all that an endpoint can be told. */
export interface HttpOptions
  extends
    EndpointOptions,
    Omit<GuardOptions, 'anyAddress'>,
    Pick<ListenerOptions, 'pages' | 'observer'> {
  readonly host?: string | undefined;
  /** 0 picks a free one. */
  readonly port?: number | undefined;
  /** Listen on a unix socket instead. */
  readonly unix?: string | undefined;
  readonly path?: string | undefined;
  /** What is served at other paths, each with sessions of its own. */
  readonly services?: FurtherServices | undefined;
  /** Speak https. */
  readonly tls?: TlsIdentity | undefined;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Allow an address that other machines can reach although nothing authenticates them. */
  readonly insecure?: boolean | undefined;
  /** How long a client may take to send the headers of a request; 15 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a client may take to send a whole request; 30 s. Answers may take as long as they need. */
  readonly requestTimeoutMs?: number | undefined;
}

interface DrainOptions {
  /** How long calls under way may take; 1 s. */
  readonly timeoutMs?: number | undefined;
  /** Connections without a request for this long are closed; 500 ms. */
  readonly quietMs?: number | undefined;
}

/** A server that listens, until it is closed. */
export interface HttpListening {
  readonly url: string;
  readonly port: number;
  readonly endpoint: Endpoint;
  /** New connections use this certificate; those that are open go on. */
  renewTls(tls: TlsIdentity): void;
  /**
   * Takes no new connections, ends each open one with its next answer, waits for calls under way, then closes.
   * Gives how many calls had not been answered when time was up.
   */
  drain(options?: DrainOptions): Promise<number>;
  /** Ends every session, stream and connection; idempotent. */
  close(): Promise<void>;
}

const portOf = (server: Server | SecureServer): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Serves any number of clients of either era over HTTP, on loopback unless told otherwise. */
export async function serveHttp(
  service: Service,
  options: HttpOptions = {},
): Promise<HttpListening> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', unix, tls } = options;
  if (unix === undefined && options.insecure !== true) requireLoopback(host);
  const endpoints = createEndpoints(service, options);
  const { first: endpoint } = endpoints;
  const name = net().isIP(host) === 6 ? `[${host}]` : host;
  const draining: Draining = { begun: false, lastRequestMs: 0 };
  const server = await createNodeServer(options, {
    endpoint,
    path,
    guard: unix === undefined ? portGuard(options, name) : () => undefined,
    cors: createCors(options.allowedOrigins ?? []),
    forwarding: createForwarding(options.trustedProxies ?? []),
    pages: options.pages,
    further: options.services && endpoints.further,
    observer: options.observer,
    draining,
  });
  await listen(server, unix === undefined ? { host, port } : { path: unix });
  const boundPort = portOf(server);
  const scheme = tls === undefined ? 'http' : 'https';
  let closing: Promise<void> | undefined;
  let drained: Promise<number> | undefined;
  return {
    port: boundPort,
    url:
      unix === undefined
        ? `${scheme}://${name}:${boundPort}${path}`
        : `${scheme}://localhost${path}`,
    endpoint,
    renewTls: (identity) => renew(server, identity),
    drain: (how) => (drained ??= drain({ server, endpoints, draining }, how)),
    close: () => (closing ??= close(server, endpoints)),
  };
}

async function createNodeServer(
  options: HttpOptions,
  listening: ListenerOptions,
): Promise<Server | SecureServer> {
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 30_000, tls } = options;
  const settings = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Timeouts are noticed only when connections are looked at.
    connectionsCheckingInterval: Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 3),
    keepAlive: true,
  };
  // Loaded here: whoever serves over pipes need not wait for it.
  const server =
    tls === undefined
      ? (await import('node:http')).createServer(settings)
      : await createSecureServer({ ...settings, ...tls });
  // Hosts keep connections for a while between calls; closing first would race with their next request.
  server.keepAliveTimeout = 75_000;
  countConnections(server, listening.endpoint.budget, tls !== undefined);
  server.on('request', createListener(listening));
  return server;
}

async function createSecureServer(settings: TlsIdentity & object): Promise<SecureServer> {
  const { createServer } = await import('node:https');
  try {
    return createServer({ ...settings, minVersion: 'TLSv1.2' });
  } catch (cause) {
    throw badCertificate(cause);
  }
}

function renew(server: Server | SecureServer, tls: TlsIdentity): void {
  if (!('setSecureContext' in server)) {
    throw new KitError('invalid_argument', 'this server does not speak https', {
      hint: 'Give it tls when it starts.',
    });
  }
  try {
    server.setSecureContext({ ...tls, minVersion: 'TLSv1.2' });
  } catch (cause) {
    throw badCertificate(cause);
  }
}

function badCertificate(cause: unknown): KitError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new KitError('invalid_argument', `the certificate and its key cannot be used: ${why}`, {
    hint: 'Both are PEM, and the key is the one of the certificate.',
    cause,
  });
}

function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new KitError('unsafe_bind', `${host} can be reached from other machines`, {
    hint: 'Bind to 127.0.0.1, or accept the risk with the insecure option.',
  });
}

/** The address it was told to serve is a name of this server like any other. */
function portGuard(options: HttpOptions, name: string): Guard {
  const { host = name, allowedHosts = [] } = options;
  return createGuard({
    ...options,
    allowedHosts: [name, ...allowedHosts],
    anyAddress: !isLoopback(host),
  });
}

/** Whether a host is this machine, by its name or address. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '::1' || (net().isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** How long answers under way may still take when the server closes. */
const closeGraceMs = 1000;
/** The same when they have had their time already. */
const lastGraceMs = 200;
const lookEveryMs = 20;

/** Ends every session, stream and connection. */
async function close(
  server: Server,
  endpoints: Endpoints,
  graceMs: number = closeGraceMs,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await endpoints.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/** Lets what is under way end, then closes; gives how many calls were not answered in time. */
async function drain(
  what: { readonly server: Server; readonly endpoints: Endpoints; readonly draining: Draining },
  { timeoutMs = 1000, quietMs = 500 }: DrainOptions = {},
): Promise<number> {
  const { server, endpoints, draining } = what;
  const begunMs = performance.now();
  draining.begun = true;
  draining.lastRequestMs = begunMs;
  // Not by the method of HTTP servers: that one closes idle connections at once, and a request may be on its way on each.
  await stopAccepting(server);
  const isOver = async (): Promise<boolean> => (await connectionsOf(server)) === 0;
  const isQuiet = (): boolean => performance.now() - draining.lastRequestMs >= quietMs;
  const isLate = (): boolean => performance.now() - begunMs >= timeoutMs;
  while (!isLate() && !(await isOver()) && !(endpoints.load().calls === 0 && isQuiet())) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  const { calls } = endpoints.load();
  await close(server, endpoints, lastGraceMs);
  return calls;
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}

/**
 * Closes the door when nobody stands in it: the system has connections that Node has not taken yet, and would reset them. In a
 * turn Node first takes who is there, so that after turns in which nobody came nobody waits.
 */
async function stopAccepting(server: Server): Promise<void> {
  let quietTurns = 0;
  const arrived = (): void => {
    quietTurns = -1;
  };
  server.on('connection', arrived);
  while (quietTurns < 2) {
    await new Promise((resolve) => setImmediate(resolve));
    quietTurns += 1;
  }
  server.off('connection', arrived);
  net().Server.prototype.close.call(server);
}
