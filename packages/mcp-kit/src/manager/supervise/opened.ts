import type { Session, SessionOptions } from '#client';
import type { Toolbox } from '../tools/toolbox.ts';

/** What the supervisor wants to hear from a session it is given. */
export type SessionHooks = Required<
  Pick<SessionOptions, 'breaker' | 'onLost' | 'onOpened' | 'signal'>
>;

/** A session with a server, and what guards it. */
export interface Opened {
  readonly session: Session;
  readonly toolbox: Toolbox;
}

/** Opens a session with the server. */
export type Open = (hooks: SessionHooks) => Promise<Opened>;
