import {
  Exchange,
  noRoom,
  refusalOf,
  RpcError,
  rpcErrors,
  toErrorObject,
  type Limits,
  type Link,
  type Request,
} from '#jsonrpc';
import {
  isLegacyVersion,
  mcpErrors,
  requiresErrorId,
  supportedVersions,
  type Serve,
} from '#protocol';
import type { Incoming } from './admit.ts';
import { asError, type Headers, type Refusal } from './responder.ts';

/** Refuses a request that has been read: whoever keeps account of all sees it go by, and may add to it. */
export function refuseSeen(
  { request, refusal }: { readonly request: Request; readonly refusal: Refusal },
  { headers, caller }: Incoming,
  serve: Serve,
): Refusal {
  const { principal, scopes } = caller;
  const exchange = new Exchange(request, { ...silent, principal }, { headers, scopes });
  exchange.refusal = asError(refusal);
  return { ...refusal, error: toErrorObject(refusalOf(exchange, serve)) };
}

/** Nothing is told to whoever is refused besides that. */
const silent: Link = {
  notify: () => undefined,
  request: () => Promise.reject(new RpcError(rpcErrors.internal, 'The request was refused')),
};

export function badRequest(message: string): Refusal {
  return { status: 400, error: { code: rpcErrors.invalidRequest, message } };
}

/** What stands for an id that cannot be read, in the revision that a request names. */
export function unknownId(headers: Headers): null | undefined {
  const version = headers['mcp-protocol-version'] ?? '2025-03-26';
  return isLegacyVersion(version) && requiresErrorId(version) ? null : undefined;
}

export function noSession(status: 400 | 404, message: string): Refusal {
  const code = status === 404 ? mcpErrors.sessionNotFound : rpcErrors.invalidRequest;
  return { status, error: { code, message } };
}

export function unsupportedVersion(version: string): Refusal {
  const message = `Unsupported protocol version: ${version} (supported: ${supportedVersions.join(', ')})`;
  return badRequest(message);
}

export function methodNotAllowed(message: string): Refusal {
  return {
    status: 405,
    error: { code: rpcErrors.invalidRequest, message },
    headers: ['allow', 'POST, GET, DELETE'],
  };
}

export function tooLarge({ maxBytes }: Limits): Refusal {
  return {
    status: 413,
    error: { code: rpcErrors.invalidRequest, message: `Body larger than ${maxBytes} bytes` },
  };
}

export function overloaded(message: string, retryAfterSeconds: number): Refusal {
  return {
    status: 503,
    error: { code: rpcErrors.overloaded, message },
    headers: ['retry-after', String(retryAfterSeconds)],
  };
}

/** Too much is held for clients already. */
export const noRoomNow: Refusal = {
  status: 503,
  error: noRoom,
  headers: ['retry-after', '1'],
  cause: 'memory',
};
