import { crypto, unref } from '#base';
import { Buffer } from 'node:buffer';
import type { Caller } from './admit.ts';
import { Session, type SessionShared } from './session.ts';

export interface SessionLimits {
  /** How long a session may be idle. */
  readonly ttlMs: number;
  /** How often idle sessions are looked for. */
  readonly sweepMs: number;
  readonly maxSessions: number;
}

/** When there is no room, a session idle this long gives way to a new one. */
const yieldMs = 60_000;
const madeRoomEveryMs = 1000;

/** The sessions of one endpoint. Most clients leave without saying so: time ends what they do not. */
export class Sessions {
  readonly #shared: SessionShared;
  readonly #limits: SessionLimits;
  readonly #open = new Map<string, Session>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #madeRoomMs = -Infinity;

  constructor(shared: Omit<SessionShared, 'end'>, limits: SessionLimits) {
    this.#shared = { ...shared, end: (session) => this.end(session) };
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A session for a client that has not initialized yet; nothing when there are too many, or no more are to come. */
  create(caller: Caller): Session | undefined {
    if (this.#open.size >= this.#limits.maxSessions) this.#makeRoom();
    if (this.#closed || this.#open.size >= this.#limits.maxSessions) return undefined;
    const session = new Session(newSessionId(), this.#shared, caller);
    this.#open.set(session.id, session);
    const { ttlMs, sweepMs } = this.#limits;
    this.#timer ??= unref(setInterval(() => this.sweep(ttlMs), sweepMs));
    return session;
  }

  /** The session, which is not idle now; knowing its id does not make it the caller's own. */
  use(id: string, caller: Caller): Session | undefined {
    const session = this.#open.get(id);
    if (session?.isOf(caller) !== true) return undefined;
    const now = performance.now();
    const isOver = now - session.lastSeenMs > this.#limits.ttlMs && session.isIdle();
    // Whoever serves it may have ended it, too.
    if (isOver || !session.connection.open) {
      this.#lapse(session);
      return undefined;
    }
    session.lastSeenMs = now;
    return session;
  }

  /** What is under way or waits, in all sessions together. */
  load(): { readonly calls: number; readonly undelivered: number } {
    let calls = 0;
    let undelivered = 0;
    for (const session of this.#open.values()) {
      calls += session.connection.inFlight.serving;
      undelivered += session.undelivered;
    }
    return { calls, undelivered };
  }

  end(session: Session): void {
    this.#open.delete(session.id);
    void session.connection.close();
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  sweep(idleMs: number): void {
    const now = performance.now();
    for (const session of this.#open.values()) {
      // Idleness begins when the last call or stream ends, not when it began.
      if (!session.connection.open) this.#lapse(session);
      else if (!session.isIdle()) session.lastSeenMs = now;
      else if (session.isLeft || session.lastSeenMs <= now - idleMs) this.#lapse(session);
    }
  }

  /** Ends what its client has not ended, and says so. */
  #lapse(session: Session): void {
    const { isLeft, lastSeenMs, connection } = session;
    const why = connection.open ? (isLeft ? 'its streams have closed' : 'idle') : 'ended here';
    const idleMs = Math.round(performance.now() - lastSeenMs);
    // Whoever knows an id can use it: a log has no more of it than tells sessions apart.
    this.#shared.logger.info('session ended', { session: session.id.slice(0, 8), why, idleMs });
    this.end(session);
  }

  /** Not for every client that is turned away: a look at all sessions is not free. */
  #makeRoom(): void {
    const now = performance.now();
    if (now - this.#madeRoomMs < madeRoomEveryMs) return;
    this.#madeRoomMs = now;
    this.sweep(yieldMs);
  }

  /** Ends all there are, and opens no more. */
  endAll(): void {
    this.#closed = true;
    for (const session of this.#open.values()) this.end(session);
  }
}

/** Through bytes, because Node glues the id together from pieces that would all be kept: ten times its size. */
function newSessionId(): string {
  return Buffer.from(crypto().randomUUID(), 'latin1').toString('latin1');
}
