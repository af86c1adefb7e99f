import type { ErrorObject } from './message.ts';

/** The codes every JSON-RPC peer knows, and the one for refused work. */
export const rpcErrors = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  overloaded: -32000,
} as const;

/** What HTTP says beside an error, as long as nothing was sent. */
export interface HttpAside {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[] | undefined;
  /** One word, for those who count; by default what the status means. */
  readonly cause?: string | undefined;
}

/** A failure that crosses the wire as a JSON-RPC `error`. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  http: HttpAside | undefined;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error for what is no request that can be served, and why it is none. */
export function invalidRequest(reason: string): ErrorObject {
  return { code: rpcErrors.invalidRequest, message: `Invalid request: ${reason}` };
}

/** The error when too much is held for clients already. */
export const noRoom: ErrorObject = {
  code: rpcErrors.overloaded,
  message: 'Overloaded: too much is held for clients, retry later',
  data: { limit: 'memory' },
};

/** The same, to be thrown. */
export function noRoomError(): RpcError {
  return unavailable(new RpcError(noRoom.code, noRoom.message, noRoom.data), 'memory');
}

/** Marks what may be asked again a moment later. */
export function unavailable(error: RpcError, cause?: string): RpcError {
  error.http = { status: 503, headers: ['retry-after', '1'], cause };
  return error;
}

/** The one way from anything thrown to what a peer may see: our own bugs stay "Internal error". */
export function toErrorObject(thrown: unknown): ErrorObject {
  if (!(thrown instanceof RpcError)) return { code: rpcErrors.internal, message: 'Internal error' };
  const { code, message, data } = thrown;
  return { code, message, data };
}
