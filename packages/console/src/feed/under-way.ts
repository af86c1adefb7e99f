import { isId, isRecord } from 'mcp-kit/internal';
import type { Call, Entry, Heard } from './entry.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Which wire a message has crossed, and which way. Ids mean something within one conversation only. */
export interface Place {
  readonly server: string;
  readonly side: 'client' | 'server';
  readonly conversation: number | undefined;
  readonly direction: 'received' | 'sent';
}

/** What is under way, so that it can be said what belongs together. */
export interface UnderWay {
  /** A call of a client has begun; requests to servers carry its trace, where it has one. */
  began(call: Call): void;
  ended(call: Call): void;
  /** The call that a message belongs to, and what it answers. */
  place(message: Fields, place: Place): Pick<Heard, 'call' | 'answers' | 'method'>;
  /** A request was noted that `place` was asked of: it may be answered. */
  heard(entry: Entry, message: Fields, place: Place): void;
}

/** The most that is remembered of what has no end in sight. */
const maxOpen = 10_000;

/** A conversation with a server, or what one says to clients. */
interface Talk {
  /** Requests without an answer yet, by id. */
  readonly sent: Map<unknown, Entry>;
  readonly received: Map<unknown, Entry>;
  /** Calls by the token under which progress is told. */
  readonly tokens: Map<unknown, Call>;
}

export function createUnderWay(): UnderWay {
  const calls = new Set<Call>();
  const byTrace = new Map<string, Call>();
  const talks = new Map<number | string, Talk>();
  const talkAt = ({ conversation, server }: Place): Talk => {
    const key = conversation ?? server;
    const known = talks.get(key);
    if (known !== undefined) return known;
    const talk = { sent: new Map(), received: new Map(), tokens: new Map() };
    bounded(talks).set(key, talk);
    return talk;
  };
  const findCall = (message: Fields, place: Place): Call | undefined => {
    const { method, params } = message;
    const { server, side } = place;
    const { traceparent } = metaIn(params);
    const traced = traceparent === undefined ? undefined : byTrace.get(traceIn(traceparent));
    if (traced !== undefined) return traced;
    if (method === 'notifications/progress' && isRecord(params)) {
      const { progressToken: token } = params;
      if (side === 'server') return talkAt(place).tokens.get(token);
      return only(calls, (call) => call.token === token && call.server === server);
    }
    if (side === 'client') return only(calls, (call) => call.server === server);
    // Where nothing else says so, the oldest request of its kind that has not been sent on.
    const item = isRecord(params) ? (params['name'] ?? params['uri']) : undefined;
    for (const call of calls) {
      if (call.server === undefined && call.method === method && call.item === item) return call;
    }
    return undefined;
  };
  return {
    began(call) {
      bounded(calls).add(call);
      if (call.traceId !== undefined) bounded(byTrace).set(call.traceId, call);
    },
    ended(call) {
      calls.delete(call);
      if (call.traceId !== undefined) byTrace.delete(call.traceId);
    },
    place(message, place) {
      const { method, id } = message;
      const isOwn = place.side === 'server' && place.direction === 'sent';
      if (typeof method !== 'string') {
        const talk = talkAt(place);
        const open = talk[place.direction === 'sent' ? 'received' : 'sent'];
        const answers = open.get(id);
        open.delete(id);
        talk.tokens.delete(tokenIn(answers?.message));
        return { call: answers?.call, answers, method: answers?.method };
      }
      const isAsked = place.side === 'server' && !isOwn && id !== undefined;
      const call = isAsked ? undefined : findCall(message, place);
      if (isOwn && call !== undefined) call.server = place.server;
      return { call, method };
    },
    heard(entry, message, place) {
      const { id } = message;
      if (!isId(id)) return;
      const talk = talkAt(place);
      bounded(talk[place.direction]).set(id, entry);
      const token = tokenIn(message);
      if (entry.call !== undefined && token !== undefined) {
        bounded(talk.tokens).set(token, entry.call);
      }
    },
  };
}

const nothing: Fields = {};

function metaIn(params: unknown): Fields {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) ? meta : nothing;
}

/** Under which name whoever sent a request hears of its progress. */
function tokenIn(message: unknown): unknown {
  return isRecord(message) ? metaIn(message['params'])['progressToken'] : undefined;
}

/** The trace in what a request says of it. */
function traceIn(traceparent: unknown): string {
  return typeof traceparent === 'string' ? traceparent.slice(3, 35) : '';
}

/** The same, empty where it has become too much: what is in it then has no end in sight. */
function bounded<T extends { readonly size: number; clear(): void }>(kept: T): T {
  if (kept.size >= maxOpen) kept.clear();
  return kept;
}

function only(calls: Iterable<Call>, isMeant: (call: Call) => boolean): Call | undefined {
  let found: Call | undefined;
  for (const call of calls) {
    if (!isMeant(call)) continue;
    if (found !== undefined) return undefined;
    found = call;
  }
  return found;
}
