import {
  Exchange,
  noRoom,
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
  type Service,
} from '#protocol';
import type { Incoming } from './gate.ts';
import { single, type Headers, type Refusal } from './responder.ts';

/** A request that has been read. */
export interface ReadRequest extends Pick<Incoming, 'headers' | 'caller'> {
  readonly request: Request;
}

/** The refusal as it shall be said: where somebody keeps account of all requests, it is theirs to add to it. */
export function accountedFor(
  refusal: Refusal,
  { request, headers, caller }: ReadRequest,
  { refused }: Service,
): Refusal {
  if (refused === undefined) return refusal;
  const { code, message, data } = refusal.error;
  const link: Link = { ...silent, principal: caller.principal };
  const origin = { header: (name: string) => single(headers, name) };
  const error = refused(new RpcError(code, message, data), new Exchange(request, link, origin));
  const { text: _withoutIt, ...said } = refusal;
  return { ...said, error: toErrorObject(error) };
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
