import type { IncomingMessage } from 'node:http';
import { gistOf, KitError } from '#base';
import { classify, isRecord, rpcErrors, type Response, type Unparsed } from '#jsonrpc';
import { mcpErrors } from '#protocol';

/** The connection failed before anything could be sent. */
export function unreachable(place: string, cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  const reason = reasonOf(cause);
  return new KitError('unreachable', `cannot reach ${place}: ${reason}`, {
    hint: /CERT|TLS|SSL|SIGNED|EPROTO/i.test(reason)
      ? 'Check the certificate of the server, and whether the URL should begin with http:// instead.'
      : 'Check that the server is running, and that the address is right.',
    cause,
    details: { ran: false },
  });
}

/** No connection within the time allowed. */
export function connectTimeout(place: string, ms: number): KitError {
  return new KitError('unreachable', `cannot reach ${place}: no connection within ${ms} ms`, {
    hint: 'Check the address and the network, or raise connectTimeoutMs.',
    details: { ran: false },
  });
}

/** The request could not even be made: its headers are wrong, or the caller's agent refuses it. */
export function notSent(place: string, cause: unknown): KitError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isOurs = cause instanceof Error && /^ERR_(?:HTTP|INVALID|UNESCAPED)/.test(code);
  if (!isOurs) return unreachable(place, cause);
  const message = `no request to ${place} can be made: ${cause.message}`;
  return new KitError('invalid_argument', message, { cause, details: { ran: false } });
}

/** What the caller's own function did wrong, when it did not say so itself. */
export function noHeaders(cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  return new KitError('invalid_argument', 'the function that gives the headers failed', {
    hint: 'Its cause says why; nothing was sent.',
    cause,
    details: { ran: false },
  });
}

/** Why nothing could be done about a refusal. */
export function notAuthorized(cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  const message = 'what should get the request let in failed';
  return new KitError('unauthorized', message, { cause, details: { ran: false } });
}

/** The connection broke between the request and the beginning of its answer. */
export function brokenOff(place: string, cause: unknown): KitError {
  const reason = reasonOf(cause);
  if (reason.startsWith('HPE_')) {
    return new KitError('invalid_answer', `${place} does not answer in HTTP: ${reason}`, {
      hint: 'Check the port, and whether the URL should begin with https:// instead.',
      cause,
    });
  }
  return new KitError('answer_lost', `the connection to ${place} broke off: ${reason}`, {
    hint: 'The request may have run. Ask the server before sending it again.',
    cause,
  });
}

/** An answer ended, or its stream did, before the message that was waited for. */
export function endedEarly(method: string, garbled?: string): KitError {
  if (garbled !== undefined) {
    return invalidAnswer(
      method,
      `the stream ended without an answer, after an event that cannot be read: ${garbled}`,
      'The request may have run. Report the event to the author of the server.',
    );
  }
  return new KitError('answer_lost', `the stream ended before the answer to ${method}`, {
    hint: 'The request may have run. Ask the server before sending it again.',
  });
}

/** The server refused because it does not know the session; `mayHaveRun` when it had taken the request before. */
export function sessionLost(method: string, place: string, mayHaveRun = false): KitError {
  return new KitError('session_lost', `${method}: ${place} no longer knows the session`, {
    hint: mayHaveRun
      ? 'The request may have run. Open a new session, and ask before sending it again.'
      : 'Nothing ran. Open a new session and send it again.',
    details: mayHaveRun ? undefined : { ran: false },
  });
}

/** The server has neither taken nor refused what it was told. */
export function notTaken(method: string, ms: number): KitError {
  return new KitError('timeout', `${method}: not taken within ${ms} ms`);
}

/** What nobody waits for did not reach the server. */
export function notDelivered(what: string, why: string, cause?: KitError): KitError {
  const { code = 'overloaded', hint, details } = cause ?? {};
  return new KitError(code, `${what} was not delivered: ${why}`, { hint, details, cause });
}

/** The conversation was over before the server had taken what it was told. */
export function hungUp(method: string): KitError {
  return new KitError('closed', `${method}: the connection was closed before it was taken`);
}

/** Something else came than an answer. */
export function invalidAnswer(method: string, what: string, hint?: string): KitError {
  return new KitError('invalid_answer', `${method}: ${what}`, { hint });
}

/** An answer that is not JSON, or over a limit. */
export function unreadable(method: string, { code, reason }: Unparsed): KitError {
  const hint =
    code === rpcErrors.invalidRequest
      ? 'Raise limits.maxBytes, limits.maxDepth or limits.maxElements to accept such answers.'
      : undefined;
  const what = reason.replace(/^[\w ]+: /, '');
  return invalidAnswer(method, `the answer cannot be read: ${what}`, hint);
}

/** A redirect that is not followed. */
export function redirected(status: number, why: string, hint: string): KitError {
  return new KitError('http_status', `HTTP ${status}: ${why}`, { hint, details: { status } });
}

/** What the server said with an HTTP status instead of with a message. */
export function refusal(response: IncomingMessage, body: string): KitError {
  const { statusCode: status = 0, statusMessage = '', headers } = response;
  const text = gistOf(body) || statusMessage;
  const challenge = headers['www-authenticate'];
  const authServer = single(headers['mcp-auth-server']);
  const retryAfter = secondsOf(headers['retry-after']);
  const details = { status, body, challenge, authServer, retryAfter };
  const code = status === 401 || status === 403 ? 'unauthorized' : 'http_status';
  return new KitError(code, `HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
    hint: hintOf(status, details),
    details,
  });
}

function hintOf(
  status: number,
  said: { readonly challenge?: string | undefined; readonly authServer?: string | undefined },
): string | undefined {
  const { challenge, authServer } = said;
  const hints = [
    challenge && `WWW-Authenticate: ${challenge}`,
    authServer && `Mcp-Auth-Server: ${authServer}`,
  ].filter(Boolean);
  if (hints.length > 0) return hints.join('; ');
  if (status === 401 || status === 403) return 'Send the credentials the server wants as headers.';
  if (status === 404 || status === 405) return 'Check that this is the URL of an MCP endpoint.';
  if (status === 429) return 'Too many requests: try again later.';
  if (status >= 500) return 'The server is ill: look at its log, or try again later.';
  return undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `Retry-After` in seconds, whichever way it is said. */
function secondsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? String(cause.code) : '';
  // When every address of a name fails, the message is empty; when TLS does, it ends with a line break.
  return (
    code === '' || cause.message.includes(code) ? cause.message : `${code} ${cause.message}`
  ).trim();
}

/** The JSON-RPC error in the body of a refusal, if there is one. Some servers invent an id for it. */
export function errorIn(body: string): Response | undefined {
  if (!body.includes('"error"')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined;
    const said = classify({ jsonrpc: '2.0', error: value['error'] });
    return said.kind === 'response' ? said.message : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a refusal within a session says that there is no such session; some use 404 for a method they do not know. */
export function isLostBy(status: number, said: Response | undefined): boolean {
  if (status === 404) return said?.error?.code !== rpcErrors.methodNotFound;
  return status === 400 && isForgotten(said);
}

/** Servers say it in their own words; many in those of the SDK's examples, with status 400. */
const forgotten =
  /\b(?:no valid|invalid) session\b|\bnot initialized\b|\bsession\b.*\b(?:not found|unknown|invalid|expired|terminated)\b/i;

/** Who says it does so at once; the expression takes quadratic time. */
const maxSaid = 1000;

/** Whether a refusal means that the session is unknown, although its status does not say so. */
export function isForgotten(said: Response | undefined): boolean {
  const error = said?.error;
  if (error === undefined || error === null) return false;
  return (
    error.code === mcpErrors.sessionNotFound || forgotten.test(error.message.slice(0, maxSaid))
  );
}
