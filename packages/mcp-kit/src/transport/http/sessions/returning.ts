import { describeError, isTold } from '#base';
import { RpcError } from '#jsonrpc';
import type { Incoming } from '../admit.ts';
import { sayAgain, takeUp, type SessionPlace } from './kept-session.ts';
import { noSession, overloaded, type Refusal } from '../responder.ts';
import { Session, type SessionShared } from './session.ts';

interface ReturningOptions {
  readonly shared: SessionShared;
  hasRoom(): boolean;
  add(session: Session): void;
}

export const tooManySessions: Refusal = overloaded('Too many sessions, retry later', 60);

/** Sessions that another process has kept, whose clients come here now. */
export class Returning {
  readonly #options: ReturningOptions;
  readonly #underWay = new Map<string, Promise<Session | Refusal>>();

  constructor(options: ReturningOptions) {
    this.#options = options;
  }

  /** Goes on with the session, once for all who come with it at the same time; or says why not. Never rejects. */
  find(place: SessionPlace, id: string, incoming: Incoming): Promise<Session | Refusal> {
    const known = this.#underWay.get(id);
    if (known !== undefined) return known;
    const found = this.#takeUp(place, id, incoming).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, found);
    return found;
  }

  async #takeUp(place: SessionPlace, id: string, incoming: Incoming): Promise<Session | Refusal> {
    const { headers, caller } = incoming;
    const { shared, hasRoom, add } = this.#options;
    const unknown = noSession(shared.profile.unknownSession, 'Session not found');
    try {
      const found = shared.ids.isOurs(id) ? await takeUp(place, id, caller) : undefined;
      if (found === undefined) return unknown;
      if (!hasRoom()) return tooManySessions;
      const session = new Session({ id, found }, shared, caller);
      const { connection } = session;
      await sayAgain(found.record, {
        serve: place.serve,
        connection,
        origin: { headers, ...caller },
      });
      add(session);
      return session;
    } catch (error) {
      if (!isTold(error)) {
        shared.logger.error('a session cannot be taken up', { error: describeError(error) });
      }
      // What is not served as it was is begun anew.
      return error instanceof RpcError ? unknown : cannotBeTakenUp;
    }
  }
}

const cannotBeTakenUp = overloaded('The session cannot be taken up now, retry later', 1);
