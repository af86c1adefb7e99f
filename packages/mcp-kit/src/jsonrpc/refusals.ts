import type { Budget } from '#base';
import { RpcError, rpcErrors } from './error.ts';
import type { ErrorObject } from './message.ts';

/** What is said when too much is held for clients already. */
export const noRoom: ErrorObject = {
  code: rpcErrors.overloaded,
  message: 'Overloaded: too much is held for clients, retry later',
  data: { limit: 'memory' },
};

/** The same, to be thrown. */
export function noRoomError(): RpcError {
  return new RpcError(noRoom.code, noRoom.message, noRoom.data);
}

const largeAnswer = 64 * 1024;

/** Whether an answer can be sent: what nobody reads is held, so that a large one needs room as well. */
export function hasRoomFor(answer: string, budget: Budget | undefined): boolean {
  return answer.length < largeAnswer || budget?.admits('unread', answer.length) !== false;
}

type Reason = 'closed' | 'duplicate' | 'full' | 'noRoom';

/** What is said to a request that is not served. */
export const refusals: Readonly<Record<Reason, ErrorObject>> = {
  closed: { code: rpcErrors.overloaded, message: 'The connection is closing' },
  duplicate: { code: rpcErrors.invalidRequest, message: 'A request with this id is under way' },
  full: {
    code: rpcErrors.overloaded,
    message: 'Overloaded: too many requests under way, retry later',
  },
  noRoom,
};
