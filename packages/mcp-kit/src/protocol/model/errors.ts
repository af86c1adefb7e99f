import { RpcError, rpcErrors } from '#jsonrpc';
import type { ClientCapabilities } from './types.ts';

/** The codes MCP adds to JSON-RPC. */
export const mcpErrors = {
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Marks what something behind a method has said: its code means what it means there, and is none of the request. */
export function markWithin(error: RpcError): RpcError {
  error.http = { status: 200 };
  return error;
}

/** Marks what is wrong with a request itself, whatever it asks for. */
export function badRequest(error: RpcError): RpcError {
  error.http = { status: 400 };
  return error;
}

/** The HTTP status of a modern answer that is a JSON-RPC error. */
export function httpStatusOf(error: unknown): number {
  if (!(error instanceof RpcError)) return 200;
  if (error.http !== undefined) return error.http.status;
  switch (error.code) {
    case rpcErrors.methodNotFound:
      return 404;
    case mcpErrors.headerMismatch:
    case mcpErrors.missingClientCapability:
    case mcpErrors.unsupportedVersion:
      return 400;
    case rpcErrors.overloaded:
      return 503;
    default:
      return 200;
  }
}

/** The error of parameters that do not fit their method. */
export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(rpcErrors.invalidParams, message, data);
}

/** The error of a method that is not known. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(rpcErrors.methodNotFound, `Method not found: ${method}`);
}

/** The error of a resource that is not there. */
export function resourceNotFound(uri: string): RpcError {
  return new RpcError(mcpErrors.resourceNotFound, `Resource not found: ${uri}`, { uri });
}

/** The modern error of a request that needs what its client has not declared. */
export function missingClientCapability(required: ClientCapabilities): RpcError {
  const names = Object.keys(required).join(', ');
  return new RpcError(
    mcpErrors.missingClientCapability,
    `This needs a client that supports: ${names}`,
    { requiredCapabilities: required },
  );
}
