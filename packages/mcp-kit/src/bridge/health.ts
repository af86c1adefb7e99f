import { asUnasked, KitError, withoutFolders, type KitErrorCode } from '#base';
import { RpcError, rpcErrors } from '#jsonrpc';

/** How the server behind a bridge is. */
export interface BridgeHealth {
  /** `degraded` from the moment the server is lost or cannot be reached until it has answered again. */
  readonly status: 'ok' | 'degraded';
  /** Conversations with the server that are open. */
  readonly upstreams: number;
  /** How often a conversation was lost. */
  readonly lost: number;
  /** What the trouble is. */
  readonly reason?: string | undefined;
}

/** What is known of the server from what became of the last requests; `trouble` ends when it has answered something. */
export interface Condition {
  trouble: string | undefined;
  /** How often a conversation was lost. */
  timesLost: number;
  /** When the trouble was last heard of. */
  heardMs: number;
}

/** A conversation was lost. */
export function noteLost(condition: Condition, cause: Error | undefined): void {
  condition.timesLost += 1;
  note(condition, cause?.message ?? 'the server hung up');
}

/** Something failed, perhaps because the server is not well. */
export function noteFailure(condition: Condition, error: unknown): void {
  if (isTrouble(error)) note(condition, error.message);
}

function note(condition: Condition, trouble: string): void {
  condition.trouble = saidOf(trouble);
  condition.heardMs = performance.now();
}

/** What may be over by the next try; whether the request may have run is said beside it. */
const passing: ReadonlySet<KitErrorCode> = new Set<KitErrorCode>([
  'answer_lost',
  'closed',
  'overloaded',
  'process_failed',
  'session_lost',
  'timeout',
  'unreachable',
]);

/** What never got as far as the server. */
const unsent: ReadonlySet<KitErrorCode> = new Set<KitErrorCode>([
  'overloaded',
  'refused_by_policy',
  'unreachable',
]);

/** What a client is told whose request was not sent, because there was no conversation to send it in. */
export function asUnsent(error: unknown): unknown {
  return asRpcError(error instanceof KitError ? asUnasked(error) : error);
}

/** What the client is told: the server's own word, or why there is none and whether to try again. */
export function asRpcError(error: unknown): unknown {
  if (!(error instanceof KitError)) return error;
  const { code, message, hint, details } = error;
  const status = details?.['status'];
  const isIll = code === 'http_status' && typeof status === 'number' && status >= 500;
  const data = {
    code,
    retryable: passing.has(code) || isIll,
    mayHaveRun: details?.['ran'] !== false && !unsent.has(code),
    hint: hint === undefined ? undefined : withoutFolders(hint),
    loginNeeded: details?.['loginNeeded'],
    scopes: details?.['scopes'],
  };
  const said = saidOf(message);
  if (code === 'refused_by_policy') return new RpcError(rpcErrors.invalidRequest, said, data);
  const rpcCode = code === 'overloaded' ? rpcErrors.overloaded : rpcErrors.internal;
  return new RpcError(rpcCode, `Bridge transport error: ${said}`, data);
}

/** A message for those who may be anybody: what a process last said, and where it is, is for whoever runs it. */
function saidOf(message: string): string {
  const [first = ''] = message.split(/; it said:|\n/, 1);
  return withoutFolders(first);
}

/** Whether it says that the server is not well; what the server refuses is its good right. */
function isTrouble(error: unknown): error is KitError {
  if (!(error instanceof KitError) || error.code === 'overloaded') return false;
  if (error.code === 'http_status') return Number(error.details?.['status']) >= 500;
  return passing.has(error.code);
}
