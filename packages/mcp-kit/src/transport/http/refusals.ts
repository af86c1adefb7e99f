import { rpcErrors, type Limits } from '#jsonrpc';
import { mcpErrors, supportedVersions } from '#protocol';
import type { Refusal } from './responder.ts';

export function badRequest(message: string): Refusal {
  return { status: 400, error: { code: rpcErrors.invalidRequest, message } };
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
