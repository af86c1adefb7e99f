import type { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { KitError, net } from '#base';
import { rpcErrors } from '#jsonrpc';
import type { Service } from '#protocol';
import { listen } from '../listen.ts';
import { Pieces } from '../pieces.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
import { createGuard, type Guard, type GuardOptions } from './guard.ts';
import { NodeResponder } from './node-responder.ts';
import { methodNotAllowed, tooLarge } from './refusals.ts';
import { refuse } from './responder.ts';

export interface HttpOptions extends EndpointOptions, Omit<GuardOptions, 'anyAddress'> {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port?: number;
  /** Listen on a unix socket instead. */
  readonly unix?: string;
  readonly path?: string;
  /** Allow an address that other machines can reach although nothing authenticates them. */
  readonly insecure?: boolean;
  /** How long a client may take to send the headers of a request; 15 s. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take to send a whole request; 30 s. Answers may take as long as they need. */
  readonly requestTimeoutMs?: number;
}

export interface HttpListening {
  readonly url: string;
  readonly port: number;
  readonly endpoint: Endpoint;
  /** Ends every session, stream and connection; idempotent. */
  close(): Promise<void>;
}

/** How long answers under way may still take when the server closes. */
const closeGraceMs = 1000;

/** Serves any number of clients of either era over HTTP, on loopback unless told otherwise. */
export async function serveHttp(
  service: Service,
  options: HttpOptions = {},
): Promise<HttpListening> {
  const { host = '127.0.0.1', port = 0, path = '/mcp', unix } = options;
  if (unix === undefined && options.insecure !== true) requireLoopback(host);
  const endpoint = createEndpoint(service, options);
  const name = net().isIP(host) === 6 ? `[${host}]` : host;
  const guard = unix === undefined ? portGuard(options, name) : () => undefined;
  // Loaded here: whoever serves over pipes need not wait for it.
  const { createServer } = await import('node:http');
  const { headersTimeoutMs = 15_000, requestTimeoutMs = 30_000 } = options;
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // Timeouts are noticed only when connections are looked at.
      connectionsCheckingInterval: Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 3),
      keepAlive: true,
    },
    createListener({ endpoint, guard, path }),
  );
  // Hosts keep connections for a while between calls; closing first would race with their next request.
  server.keepAliveTimeout = 75_000;
  await listen(server, unix === undefined ? { host, port } : { path: unix });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : 0;
  let closing: Promise<void> | undefined;
  return {
    port: boundPort,
    url: unix === undefined ? `http://${name}:${boundPort}${path}` : `http://localhost${path}`,
    endpoint,
    close: () => (closing ??= close(server, endpoint)),
  };
}

export interface ListenerOptions {
  readonly endpoint: Endpoint;
  readonly guard: Guard;
  readonly path: string;
}

/** Serves requests of a `node:http` server that somebody else created. */
export function createListener({ endpoint, guard, path }: ListenerOptions): RequestListener {
  return (request, response) => {
    const responder = new NodeResponder(response);
    const { headers, rawHeaders, url = '', method } = request;
    const refusal = guard(headers, rawHeaders);
    if (refusal !== undefined) {
      refuse(responder, refusal);
    } else if (url !== path && url.split('?', 1)[0] !== path) {
      const error = { code: rpcErrors.invalidRequest, message: `Nothing here: try ${path}` };
      refuse(responder, { status: 404, error });
    } else if (method === 'POST') {
      post(endpoint, request, responder);
    } else if (method === 'GET') {
      endpoint.get(headers, responder);
    } else if (method === 'DELETE') {
      endpoint.delete(headers, responder);
    } else {
      refuse(responder, methodNotAllowed(`${method} is not supported`));
    }
  };
}

function post(endpoint: Endpoint, request: IncomingMessage, responder: NodeResponder): void {
  const { headers } = request;
  const refusal = endpoint.refusePost(headers);
  if (refusal !== undefined) {
    refuse(responder, refusal);
    return;
  }
  const { maxBytes } = endpoint.limits;
  const body = new Pieces();
  const collect = (chunk: Buffer): void => {
    body.add(chunk);
    if (body.size <= maxBytes) return;
    // What still comes is read and thrown away: a client that is writing does not look for an answer.
    request.off('data', collect).off('end', serve);
    body.clear();
    refuse(responder, tooLarge(endpoint.limits));
  };
  const serve = (): void => endpoint.post(headers, body.take(), responder);
  request.on('data', collect).on('end', serve);
}

async function close(server: Server, endpoint: Endpoint): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await endpoint.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
  await closed;
  clearTimeout(timer);
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

export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '::1' || (net().isIP(host) === 4 && host.startsWith('127.'))
  );
}
