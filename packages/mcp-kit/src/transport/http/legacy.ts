import { classify, isRecord, type Classified } from '#jsonrpc';
import { claimsModern, isLegacyVersion } from '#protocol';
import type { AnswerMode } from './accept.ts';
import type { Caller, Gate, Incoming } from './gate.ts';
import type { Profile } from './profile.ts';
import { badRequest, noSession, overloaded, unsupportedVersion } from './refusals.ts';
import { Reply } from './reply.ts';
import {
  eventsHeaders,
  refuse,
  single,
  streamHeaders,
  type Headers,
  type Refusal,
  type Responder,
} from './responder.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

interface Post extends Incoming {
  readonly value: unknown;
  readonly mode: AnswerMode;
}

/** Serves requests of the handshake era: each belongs to a session, or opens one. */
export class Legacy {
  readonly #sessions: Sessions;
  readonly #profile: Profile;
  readonly #gate: Gate;

  constructor(sessions: Sessions, options: { readonly profile: Profile; readonly gate: Gate }) {
    this.#sessions = sessions;
    this.#profile = options.profile;
    this.#gate = options.gate;
  }

  post(post: Post, responder: Responder): void {
    const { value, headers, mode, caller } = post;
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
      const session = this.#session(post, responder);
      if (session === undefined) return;
      const refusal = this.#pass(classified, caller);
      if (refusal !== undefined) refuse(responder, refusal);
      else session.connection.accept(classified, new Reply(session, responder, { mode, headers }));
    }
  }

  #pass(classified: Classified, caller: Caller, before = 0): Refusal | undefined {
    if (classified.kind !== 'request' && classified.kind !== 'notification') return undefined;
    const { message } = classified;
    const refusal = this.#gate.pass(message, caller, before);
    return refusal === undefined || !('id' in message) ? refusal : { ...refusal, id: message.id };
  }

  /** Opens an event stream, or continues one. */
  async get(incoming: Incoming, responder: Responder): Promise<void> {
    const { headers } = incoming;
    if (!isServed(headers, responder)) return;
    const session = this.#session(incoming, responder);
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

  delete(incoming: Incoming, responder: Responder): void {
    if (!isServed(incoming.headers, responder)) return;
    const session = this.#session(incoming, responder);
    if (session === undefined) return;
    this.#sessions.end(session);
    responder.respond(204, [], '');
  }

  /** The session a request names; answers the request itself when there is none. */
  #session({ headers, caller }: Incoming, responder: Responder): Session | undefined {
    const id = single(headers, 'mcp-session-id');
    if (id === undefined) {
      const message = 'The MCP-Session-Id header is required: send initialize first';
      refuse(responder, noSession(this.#profile.missingSession, message));
      return undefined;
    }
    const session = this.#sessions.use(id, caller);
    if (session !== undefined) return session;
    refuse(responder, noSession(this.#profile.unknownSession, 'Session not found'));
    return undefined;
  }

  #initialize(classified: Classified, post: Post, responder: Responder): void {
    const { headers, caller, mode } = post;
    if (classified.kind !== 'request') {
      refuse(responder, badRequest('initialize must be a request with an id'));
      return;
    }
    const refusal = this.#pass(classified, caller);
    if (refusal !== undefined) {
      refuse(responder, refusal);
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
    const reply = new Reply(session, responder, {
      mode,
      headers,
      opens: true,
      onAnswered: drop,
    });
    session.connection.accept(classified, reply);
  }

  #postBatch(post: Post, values: readonly unknown[], responder: Responder): void {
    const { headers, mode, caller } = post;
    const { batches, refusedBatch: status } = this.#profile;
    if (batches === 'negotiated' && single(headers, 'mcp-session-id') !== undefined) {
      const session = this.#session(post, responder);
      if (session === undefined) return;
      if (session.acceptsBatch && !values.some(standsAlone)) {
        let before = 0;
        for (const value of values) {
          const classified = classify(value);
          const refusal = this.#pass(classified, caller, before);
          if (classified.kind === 'request') before += 1;
          if (refusal === undefined) continue;
          refuse(responder, refusal);
          return;
        }
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
