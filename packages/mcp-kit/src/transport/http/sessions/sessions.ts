import { chain, unref, type MaybePromise } from '#base';
import { classify, Exchange, headerOf, refusalOf, toErrorObject, type Classified } from '#jsonrpc';
import { isLegacyVersion } from '#protocol';
import type { Store } from '#store';
import type { Caller, Incoming } from '../admit.ts';
import type { SessionPlace } from './kept-session.ts';
import { Nodes, type Notice } from './nodes.ts';
import { Reply, type Post } from '../reply.ts';
import {
  asError,
  badRequest,
  eventsHeaders,
  noSession,
  refuse,
  streamHeaders,
  unknownId,
  unsupportedVersion,
  type Refusal,
  type Responder,
} from '../responder.ts';
import { Returning, tooManySessions } from './returning.ts';
import { idsOf, opensSession, share, silent } from './session-messages.ts';
import { Session, type SessionShared } from './session.ts';
import { giveUp } from './session-streams.ts';

export interface SessionLimits {
  /** How long a session may be idle. */
  readonly ttlMs: number;
  /** How often idle sessions are looked for. */
  readonly sweepMs: number;
  readonly maxSessions: number;
  /** Where a store is shared: how long a process is taken to be alive that says nothing. */
  readonly leaseMs: number;
}

/** What all sessions share, but for what is made here. */
interface SessionsOptions extends Omit<SessionShared, 'end' | 'place'> {
  readonly store: Store;
  readonly place: Omit<SessionPlace, 'nodes'> | undefined;
  readonly node: string | undefined;
}

/** When there is no room, a session idle this long gives way to a new one. */
const yieldMs = 60_000;
const madeRoomEveryMs = 1000;

/**
 * Serves legacy requests: each belongs to a session, or opens one. Most clients leave without saying so: time ends the
 * sessions that they do not.
 */
export class Sessions {
  readonly #shared: SessionShared;
  readonly #limits: SessionLimits;
  readonly #open = new Map<string, Session>();
  readonly #returning: Returning;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #madeRoomMs = -Infinity;

  constructor({ store, node: id, ...shared }: SessionsOptions, limits: SessionLimits) {
    const { place, logger } = shared;
    const hear = (notice: Notice): void => this.#hear(notice);
    const nodes =
      place &&
      new Nodes({ store, id, endpoint: place.endpoint, logger, leaseMs: limits.leaseMs }, hear);
    this.#shared = {
      ...shared,
      place: place && nodes && { ...place, nodes },
      end: (session) => void this.end(session),
    };
    this.#limits = limits;
    this.#returning = new Returning({
      shared: this.#shared,
      hasRoom: () => this.#hasRoom(),
      add: (session) => this.#add(session),
    });
  }

  get size(): number {
    return this.#open.size;
  }

  post(post: Post, responder: Responder): void {
    const { value, bytes, headers } = post;
    const unserved = unservedVersion(headers);
    if (Array.isArray(value)) {
      if (unserved === undefined) this.#postBatch(post, value, responder);
      else refuse(responder, { id: unknownId(headers), ...unserved });
      return;
    }
    const classified = classify(value);
    if (unserved !== undefined) {
      this.#refuse(unserved, classified, { post, responder });
    } else if (classified.kind === 'invalid') {
      refuse(responder, {
        ...badRequest(`Invalid request: ${classified.reason}`),
        id: classified.id ?? unknownId(headers),
      });
    } else if ('method' in classified.message && classified.message.method === 'initialize') {
      const initialize = (): void => this.#initialize(classified, post, responder);
      void chain(this.#shared.place?.nodes.join(), initialize);
    } else {
      void chain(this.#session(post), (session) => {
        if (session instanceof Session) {
          const accept = (): void =>
            session.connection.accept(classified, this.#replyIn(session, post, responder), bytes);
          const { place } = this.#shared;
          if (place === undefined) accept();
          else share(place, { session, values: [value], responder }, accept);
        } else {
          this.#refuse(session, classified, { post, responder });
        }
      });
    }
  }

  #replyIn(session: Session, post: Post, responder: Responder): Reply {
    if (this.#shared.place === undefined) return new Reply(session, responder, post);
    return new Reply(session, responder, { ...post, ids: idsOf(post.value) });
  }

  /** Refuses a message that has been read: whoever keeps account of all sees a request go by, and may add to it. */
  #refuse(
    refusal: Refusal,
    classified: Classified,
    { post, responder }: { readonly post: Post; readonly responder: Responder },
  ): void {
    if (classified.kind !== 'request') {
      refuse(responder, refusal);
      return;
    }
    const { principal, scopes } = post.caller;
    const origin = { headers: post.headers, scopes };
    const exchange = new Exchange(classified.message, { ...silent, principal }, origin);
    exchange.refusal = asError(refusal);
    const error = toErrorObject(refusalOf(exchange, this.#shared.serve));
    refuse(responder, { ...refusal, error });
  }

  /** Opens an event stream, or continues one. */
  async get(incoming: Incoming, responder: Responder): Promise<void> {
    const { headers } = incoming;
    const session = unservedVersion(headers) ?? (await this.#session(incoming));
    if (!(session instanceof Session)) {
      refuse(responder, session);
      return;
    }
    if (responder.gone) return;
    if (!session.ready) {
      refuse(responder, badRequest('Not ready: send notifications/initialized first'));
      return;
    }
    const lastEventId = headerOf(headers, 'last-event-id');
    if (lastEventId === undefined) {
      session.listen(responder.openStream(streamHeaders));
      return;
    }
    const rest = session.restOfAnswer(lastEventId);
    if (rest !== undefined) {
      if (rest === '') responder.respond(204, [], '');
      else responder.respond(200, eventsHeaders, rest);
      return;
    }
    const found = await session.locate(lastEventId);
    // Whoever left while we looked must not take the stream from a connection that is alive.
    if (responder.gone) return;
    if (found === undefined) {
      refuse(responder, badRequest('Last-Event-ID: unknown, or no longer kept'));
    } else if (found.stream.endsAt(found.after)) {
      // The way of event streams to say "do not come back": an empty one would be opened again and again.
      responder.respond(204, [], '');
    } else {
      session.resume(found, responder.openStream(streamHeaders));
    }
  }

  delete(incoming: Incoming, responder: Responder): void {
    const named = unservedVersion(incoming.headers) ?? this.#session(incoming);
    void chain(named, (session) => {
      if (session instanceof Session) {
        void chain(this.end(session), () => responder.respond(204, [], ''));
      } else {
        refuse(responder, session);
      }
    });
  }

  /** The session a request names, or why there is none; never rejects. */
  #session(incoming: Incoming): MaybePromise<Session | Refusal> {
    const { headers, caller } = incoming;
    const id = headerOf(headers, 'mcp-session-id');
    if (id === undefined) {
      const message = 'The MCP-Session-Id header is required: send initialize first';
      return noSession(this.#shared.profile.missingSession, message);
    }
    const { place } = this.#shared;
    if (place === undefined) return this.#use(id, caller) ?? this.#unknown();
    return chain(place.nodes.join(), () => this.#kept(place, id, incoming));
  }

  #kept(place: SessionPlace, id: string, incoming: Incoming): MaybePromise<Session | Refusal> {
    const { caller } = incoming;
    const known = this.#use(id, caller);
    if (known !== undefined) {
      return chain(known.look(incoming), (isThere) => {
        if (isThere) return known;
        this.#leave(known);
        return this.#unknown();
      });
    }
    if (this.#open.has(id)) return this.#unknown();
    // Whoever waits with others is let in for their own part.
    return this.#returning.find(place, id, incoming).then((found) => {
      if (!(found instanceof Session)) return found;
      return this.#use(id, caller) ?? this.#unknown();
    });
  }

  #unknown(): Refusal {
    return noSession(this.#shared.profile.unknownSession, 'Session not found');
  }

  #initialize(classified: Classified, post: Post, responder: Responder): void {
    const { headers, bytes, caller } = post;
    if (classified.kind !== 'request') {
      const refusal = badRequest('initialize must be a request with an id');
      refuse(responder, { ...refusal, id: unknownId(headers) });
      return;
    }
    const session = this.#create(caller);
    if (session === undefined) {
      refuse(responder, tooManySessions);
      return;
    }
    // A handshake that is refused, or whose client did not wait for its answer, leaves nothing behind.
    const drop = (): void => {
      if (!session.initialized) void this.end(session);
    };
    const reply = new Reply(session, responder, { ...post, onOpened: drop });
    session.connection.accept(classified, reply, bytes);
    if (!session.initialized) responder.onGone(drop);
  }

  #postBatch(post: Post, values: readonly unknown[], responder: Responder): void {
    const { headers, bytes } = post;
    const { batches, refusedBatch: status } = this.#shared.profile;
    const refuseBatch = (): void => {
      const id = unknownId(headers);
      refuse(responder, { ...badRequest('Batches are not accepted'), status, id });
    };
    if (batches !== 'negotiated' || headerOf(headers, 'mcp-session-id') === undefined) {
      refuseBatch();
      return;
    }
    void chain(this.#session(post), (session) => {
      if (!(session instanceof Session)) refuse(responder, session);
      else if (!session.acceptsBatch || values.some(opensSession)) refuseBatch();
      else {
        const accept = (own: readonly unknown[]): void =>
          session.connection.message(own, this.#replyIn(session, post, responder), bytes);
        const { place } = this.#shared;
        if (place === undefined) accept(values);
        else share(place, { session, values, responder }, accept);
      }
    });
  }

  /** A session for a client that has not initialized yet; nothing when there are too many, or no more are to come. */
  #create(caller: Caller): Session | undefined {
    if (!this.#hasRoom()) return undefined;
    const session = new Session({ id: this.#shared.ids.create() }, this.#shared, caller);
    this.#add(session);
    return session;
  }

  #hasRoom(): boolean {
    if (this.#open.size >= this.#limits.maxSessions) this.#makeRoom();
    return !this.#closed && this.#open.size < this.#limits.maxSessions;
  }

  #add(session: Session): void {
    this.#open.set(session.id, session);
    const { ttlMs, sweepMs } = this.#limits;
    this.#timer ??= unref(setInterval(() => this.#sweep(ttlMs), sweepMs));
  }

  /** The session, which is not idle now; knowing its id does not make it the caller's own. */
  #use(id: string, caller: Caller): Session | undefined {
    const session = this.#open.get(id);
    if (session?.isOf(caller) !== true) return undefined;
    const now = performance.now();
    const isOver = now - session.lastSeenMs > this.#limits.ttlMs && session.isIdle();
    // Whoever serves it may have ended it, too.
    if (isOver || !session.connection.open) {
      this.#lapse(session);
      return undefined;
    }
    session.touch();
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

  end(session: Session): MaybePromise<unknown> {
    const forgotten = session.forget();
    session.tellOthers({ session: session.id, ended: true });
    this.#leave(session);
    return forgotten;
  }

  /** Takes what another node tells. */
  #hear(notice: Notice): void {
    const session = this.#open.get(notice.session);
    const isHeard = session?.hear(notice) === true;
    if (session !== undefined && 'ended' in notice) this.#leave(session);
    if (isHeard || !('follows' in notice) || notice.isOver) return;
    giveUp(this.#shared, notice.session, notice.follows);
  }

  /** Lets go of a session; where it is kept, its client can go on with it elsewhere. */
  #leave(session: Session): void {
    this.#open.delete(session.id);
    void session.connection.close();
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sweep(idleMs: number): void {
    const now = performance.now();
    for (const session of this.#open.values()) {
      // Idleness begins when the last call or stream ends, not when it began.
      if (!session.connection.open) this.#lapse(session);
      else if (!session.isIdle()) session.touch();
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
    // Where it is kept it may be used elsewhere, and its time ends it there.
    if (this.#shared.place !== undefined && connection.open) this.#leave(session);
    else void this.end(session);
  }

  /** Not for every client that is turned away: a look at all sessions is not free. */
  #makeRoom(): void {
    const now = performance.now();
    if (now - this.#madeRoomMs < madeRoomEveryMs) return;
    this.#madeRoomMs = now;
    this.#sweep(yieldMs);
  }

  /** Lets go of all there are, and opens no more. */
  endAll(): void {
    this.#closed = true;
    for (const session of this.#open.values()) this.#leave(session);
    this.#shared.place?.nodes.close();
  }
}

/** Why the version that a header names, if there is one, is not a legacy one. */
function unservedVersion(headers: Incoming['headers']): Refusal | undefined {
  const version = headers['mcp-protocol-version'];
  const isServed = version === undefined || isLegacyVersion(version);
  return isServed ? undefined : unsupportedVersion(String(version));
}
