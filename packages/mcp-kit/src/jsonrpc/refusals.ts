import { isPromise, type Budget } from '#base';
import { RpcError, rpcErrors } from './error.ts';
import type { Exchange } from './exchange.ts';
import type { ErrorObject } from './message.ts';

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

function unavailable(error: RpcError, cause?: string): RpcError {
  error.http = { status: 503, headers: ['retry-after', '1'], cause };
  return error;
}

const largeAnswer = 64 * 1024;

/** Whether an answer can be sent: what nobody reads is held, so that a large one needs room as well. */
export function hasRoomFor(answer: string, budget: Budget | undefined): boolean {
  return answer.length < largeAnswer || budget?.admits('unread', answer.length) !== false;
}

/** Why a request is refused, once the layers that count all requests have seen it: they throw it, perhaps with more to it. */
export function refusalOf(exchange: Exchange, see?: (exchange: Exchange) => unknown): unknown {
  try {
    const seen = see?.(exchange);
    if (isPromise(seen)) seen.catch(() => {});
    return exchange.refusal;
  } catch (error) {
    return error;
  }
}

type Reason = 'closed' | 'duplicate' | 'full' | 'noRoom';

/** The errors of requests that are not served. */
export const refusals: Readonly<Record<Reason, () => RpcError>> = {
  closed: () => new RpcError(rpcErrors.overloaded, 'The connection is closing'),
  duplicate: () => new RpcError(rpcErrors.invalidRequest, 'A request with this id is under way'),
  full: () =>
    unavailable(
      new RpcError(rpcErrors.overloaded, 'Overloaded: too many requests under way, retry later'),
    ),
  noRoom: noRoomError,
};
