import { classify, isRecord, type Classified } from '#jsonrpc';
import { claimsModern, isLegacyVersion } from '#protocol';
import type { AnswerMode } from './accept.ts';
import type { Profile } from './profile.ts';
import { badRequest, noSession, overloaded, unsupportedVersion } from './refusals.ts';
import { Reply } from './reply.ts';
import {
  eventsHeaders,
  refuse,
  single,
  streamHeaders,
  type Headers,
  type Identify,
  type Responder,
} from './responder.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

interface Post {
  readonly value: unknown;
  readonly headers: Headers;
  readonly mode: AnswerMode;
}

/** Serves requests of the handshake era: each belongs to a session, or opens one. */
export class Legacy {
  readonly #sessions: Sessions;
  readonly #profile: Profile;
  readonly #identify: Identify;

  constructor(
    sessions: Sessions,
    options: { readonly profile: Profile; readonly identify: Identify },
  ) {
    this.#sessions = sessions;
    this.#profile = options.profile;
    this.#identify = options.identify;
  }

  post(post: Post, responder: Responder): void {
    const { value, headers, mode } = post;
    if (!isServed(headers, responder)) return;
    if (Array.isArray(value)) {
      this.#postBatch(post, value, responder);
      return;
    }
    const classified = classify(value);
    if (classified.kind === 'invalid') {
      refuse(responder, {
        ...badRequest(`Invalid request: ${classified.reason}`),
        id: classified.id,
      });
    } else if ('method' in classified.message && classified.message.method === 'initialize') {
      this.#initialize(classified, post, responder);
    } else {
      const session = this.#session(headers, responder);
      session?.connection.accept(classified, new Reply(session, responder, { mode, headers }));
    }
  }

  /** Opens an event stream, or continues one. */
  async get(headers: Headers, responder: Responder): Promise<void> {
    if (!isServed(headers, responder)) return;
    const session = this.#session(headers, responder);
    if (session === undefined) return;
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

  delete(headers: Headers, responder: Responder): void {
    if (!isServed(headers, responder)) return;
    const session = this.#session(headers, responder);
    if (session === undefined) return;
    this.#sessions.end(session);
    responder.respond(204, [], '');
  }

  /** The session a request names; answers the request itself when there is none. */
  #session(headers: Headers, responder: Responder): Session | undefined {
    const id = single(headers, 'mcp-session-id');
    if (id === undefined) {
      const message = 'The MCP-Session-Id header is required: send initialize first';
      refuse(responder, noSession(this.#profile.missingSession, message));
      return undefined;
    }
    const session = this.#sessions.use(id);
    // Knowing a session's id does not make it one's own.
    if (session !== undefined && session.connection.principal === this.#identify(headers)) {
      return session;
    }
    refuse(responder, noSession(this.#profile.unknownSession, 'Session not found'));
    return undefined;
  }

  #initialize(classified: Classified, { headers, mode }: Post, responder: Responder): void {
    if (classified.kind !== 'request') {
      refuse(responder, badRequest('initialize must be a request with an id'));
      return;
    }
    const session = this.#sessions.create(this.#identify(headers));
    if (session === undefined) {
      refuse(responder, overloaded('Too many sessions, retry later', 60));
      return;
    }
    session.connection.accept(
      classified,
      new Reply(session, responder, { mode, headers, opens: true }),
    );
    // A refused handshake leaves nothing behind.
    if (!session.initialized) this.#sessions.end(session);
  }

  #postBatch({ headers, mode }: Post, values: readonly unknown[], responder: Responder): void {
    const { batches, refusedBatch: status } = this.#profile;
    if (batches === 'negotiated' && single(headers, 'mcp-session-id') !== undefined) {
      const session = this.#session(headers, responder);
      if (session === undefined) return;
      if (session.acceptsBatch && !values.some(standsAlone)) {
        session.connection.message(values, new Reply(session, responder, { mode, headers }));
        return;
      }
    }
    refuse(responder, { ...badRequest('Batches are not accepted'), status });
  }
}

/** Whether the version header, if there is one, names a version of this era; answers the request itself when not. */
function isServed(headers: Headers, responder: Responder): boolean {
  const version = headers['mcp-protocol-version'];
  if (version === undefined || isLegacyVersion(version)) return true;
  refuse(responder, unsupportedVersion(String(version)));
  return false;
}

/** Whether a message has no place in a batch: one that needs no session, or that opens one. */
function standsAlone(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { method, params } = value;
  return method === 'initialize' || (isRecord(params) && claimsModern(params));
}
