import {
  encodeError,
  noRoom,
  RpcError,
  rpcErrors,
  type ErrorObject,
  type Headers,
  type Id,
  type Limits,
  type Parts,
} from '#jsonrpc';
import { isLegacyVersion, mcpErrors, requiresErrorId, supportedVersions } from '#protocol';

export type { Headers } from '#jsonrpc';

/** Who sends a request, by its headers; nothing where nobody is told apart. */
export type Identify = (headers: Headers) => string | undefined;

/** Is told how each request ends, for those who count. */
export interface Observer {
  /** An answer begins, with this status. */
  answered(status: number): void;
  /** A request is not served. */
  refused(cause: string): void;
}

/** Names and values in turn. */
export type HeaderList = readonly string[];

/** One HTTP request's way out, whatever runtime it came in through. Nothing happens once the client has gone. */
export interface Responder {
  /** Sends the whole answer. */
  respond(status: number, headers: HeaderList, body: string | Parts): void;
  /** Begins an answer whose end is not known yet. */
  openStream(headers: HeaderList): ResponseStream;
  /** The client has left. */
  readonly gone: boolean;
  /** Calls back once if the client leaves before the answer is complete. */
  onGone(listener: () => void): void;
  readonly observer?: Observer | undefined;
}

export interface ResponseStream {
  write(text: string): void;
  /** Bytes written that the client has not taken yet. */
  readonly waiting: number;
  /** Calls back when the client has taken everything, as often as that happens. */
  onDrain(listener: () => void): void;
  /** Calls back once, when nothing can be written any more. */
  onClose(listener: () => void): void;
  end(): void;
  /** Cuts the connection when its client takes nothing for this long; `undefined` stops watching. */
  cutAfterStall(ms: number | undefined): void;
  /** Breaks the connection off. */
  cut(): void;
}

export const jsonHeaders: HeaderList = ['content-type', 'application/json'];

/** For an event stream that is complete when it is sent: there is nothing for a proxy to hold back. */
export const eventsHeaders: HeaderList = ['content-type', 'text/event-stream'];

export const streamHeaders: HeaderList = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
];

/** Why a request is not served: an HTTP status and the JSON-RPC error in its body. */
export interface Refusal {
  readonly status: number;
  readonly error: ErrorObject;
  /** `null` where an id is required and none could be read. */
  readonly id?: Id | null | undefined;
  readonly headers?: HeaderList | undefined;
  /** One word, for those who count; by default what the status means. */
  readonly cause?: string | undefined;
}

const causes: Readonly<Record<number, string>> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method',
  406: 'unacceptable',
  413: 'too_large',
  415: 'content_type',
  429: 'rate',
  503: 'overloaded',
};

export function refuse(responder: Responder, refusal: Refusal): void {
  const { status, error, id, headers = [] } = refusal;
  responder.observer?.refused(causeOf(refusal));
  responder.respond(status, [...jsonHeaders, ...headers], encodeError(id, error));
}

/** One word for those who count. */
export function causeOf({
  status,
  cause,
}: {
  readonly status: number;
  readonly cause?: string | undefined;
}): string {
  return cause ?? causes[status] ?? 'other';
}

/** The same as an error that is thrown. */
export function asError({ status, error, headers, cause }: Refusal): RpcError {
  const thrown = new RpcError(error.code, error.message, error.data);
  thrown.http = { status, headers, cause };
  return thrown;
}

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
