import { isPromise } from '#base';
import { classify, isRecord, RpcError, rpcErrors, type Id, type Link } from '#jsonrpc';
import { overloaded, refuse, type Refusal, type Responder } from '../responder.ts';
import type { SessionPlace } from './kept-session.ts';
import type { Session } from './session.ts';

const notPassed: Refusal = overloaded('The answer cannot be passed on now, retry later', 1);

/** A body that came for a session. */
interface Shared {
  readonly session: Session;
  readonly values: readonly unknown[];
  readonly responder: Responder;
}

/** Goes on with what of a body is not for other nodes, if there is any, once they have the rest. */
export function share(
  { nodes }: Pick<SessionPlace, 'nodes'>,
  { session, values, responder }: Shared,
  goOn: (own: readonly unknown[]) => void,
): void {
  const go = (own: readonly unknown[]): void => {
    if (own.length === 0 && values.length > 0) responder.respond(202, [], '');
    else goOn(own);
  };
  const own = nodes.share(session, values);
  if (!isPromise(own)) go(own);
  else void own.then(go, () => refuse(responder, notPassed));
}

/** The requests in a body. */
export function idsOf(value: unknown): readonly Id[] {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.flatMap((message) => {
    const classified = classify(message);
    return classified.kind === 'request' ? [classified.message.id] : [];
  });
}

/** Nothing is told to whoever is refused besides that. */
export const silent: Link = {
  notify: () => undefined,
  request: () => Promise.reject(new RpcError(rpcErrors.internal, 'The request was refused')),
};

/** Whether it is a message that has no place in a batch. */
export function opensSession(value: unknown): boolean {
  return isRecord(value) && value['method'] === 'initialize';
}
