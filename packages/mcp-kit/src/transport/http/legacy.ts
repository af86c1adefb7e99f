import { classify, isRecord, type Classified } from '#jsonrpc';
import { claimsModern, isLegacyVersion, type Serve } from '#protocol';
import { inOrder } from './accept.ts';
import type { Incoming } from './admit.ts';
import type { Profile } from './profile.ts';
import {
  badRequest,
  noSession,
  overloaded,
  refuseSeen,
  unknownId,
  unsupportedVersion,
} from './refusals.ts';
import { Reply, type Post } from './reply.ts';
import {
  eventsHeaders,
  refuse,
  single,
  streamHeaders,
  type Headers,
  type Refusal,
  type Responder,
} from './responder.ts';
import { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** Serves requests of the handshake era: each belongs to a session, or opens one. */
export class Legacy {
  readonly #sessions: Sessions;
  readonly #profile: Profile;
  readonly #serve: Serve;

  constructor(
    sessions: Sessions,
    { profile, serve }: { readonly profile: Profile; readonly serve: Serve },
  ) {
    this.#sessions = sessions;
    this.#profile = profile;
    this.#serve = serve;
  }

  post(given: Post, responder: Responder): void {
    const { value, bytes, headers } = given;
    const mode = inOrder(given.mode, this.#profile);
    const post = mode === given.mode ? given : { ...given, mode };
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
      this.#initialize(classified, post, responder);
    } else {
      const session = this.#session(post);
      if (session instanceof Session) {
        session.connection.accept(classified, new Reply(session, responder, post), bytes);
      } else {
        this.#refuse(session, classified, { post, responder });
      }
    }
  }

  /** Refuses a message that has been read. */
  #refuse(
    refusal: Refusal,
    classified: Classified,
    { post, responder }: { readonly post: Post; readonly responder: Responder },
  ): void {
    const isRequest = classified.kind === 'request';
    const read = isRequest && { request: classified.message, refusal };
    refuse(responder, read ? refuseSeen(read, post, this.#serve) : refusal);
  }

  /** Opens an event stream, or continues one. */
  async get(incoming: Incoming, responder: Responder): Promise<void> {
    const { headers } = incoming;
    const session = unservedVersion(headers) ?? this.#session(incoming);
    if (!(session instanceof Session)) {
      refuse(responder, session);
      return;
    }
    if (!session.ready) {
      refuse(responder, badRequest('Not ready: send notifications/initialized first'));
      return;
    }
    const lastEventId = single(headers, 'last-event-id');
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
    const session = unservedVersion(incoming.headers) ?? this.#session(incoming);
    if (!(session instanceof Session)) {
      refuse(responder, session);
      return;
    }
    this.#sessions.end(session);
    responder.respond(204, [], '');
  }

  /** The session a request names, or why there is none. */
  #session({ headers, caller }: Incoming): Session | Refusal {
    const id = single(headers, 'mcp-session-id');
    if (id === undefined) {
      const message = 'The MCP-Session-Id header is required: send initialize first';
      return noSession(this.#profile.missingSession, message);
    }
    const found = this.#sessions.use(id, caller);
    return found ?? noSession(this.#profile.unknownSession, 'Session not found');
  }

  #initialize(classified: Classified, post: Post, responder: Responder): void {
    const { headers, bytes, caller } = post;
    if (classified.kind !== 'request') {
      const refusal = badRequest('initialize must be a request with an id');
      refuse(responder, { ...refusal, id: unknownId(headers) });
      return;
    }
    const session = this.#sessions.create(caller);
    if (session === undefined) {
      refuse(responder, overloaded('Too many sessions, retry later', 60));
      return;
    }
    // A handshake that is refused, or whose client did not wait for its answer, leaves nothing behind.
    const drop = (): void => {
      if (!session.initialized) this.#sessions.end(session);
    };
    responder.onGone(drop);
    const reply = new Reply(session, responder, { ...post, onOpened: drop });
    session.connection.accept(classified, reply, bytes);
  }

  #postBatch(post: Post, values: readonly unknown[], responder: Responder): void {
    const { headers, bytes } = post;
    const { batches, refusedBatch: status } = this.#profile;
    if (batches === 'negotiated' && single(headers, 'mcp-session-id') !== undefined) {
      const session = this.#session(post);
      if (!(session instanceof Session)) {
        refuse(responder, session);
        return;
      }
      if (session.acceptsBatch && !values.some(standsAlone)) {
        session.connection.message(values, new Reply(session, responder, post), bytes);
        return;
      }
    }
    const id = unknownId(headers);
    refuse(responder, { ...badRequest('Batches are not accepted'), status, id });
  }
}

/** Why the version that a header names, if there is one, is none of this era. */
function unservedVersion(headers: Headers): Refusal | undefined {
  const version = headers['mcp-protocol-version'];
  const isServed = version === undefined || isLegacyVersion(version);
  return isServed ? undefined : unsupportedVersion(String(version));
}

/** Whether a message has no place in a batch: one that needs no session, or that opens one. */
function standsAlone(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { method, params } = value;
  return method === 'initialize' || (isRecord(params) && claimsModern(params));
}
