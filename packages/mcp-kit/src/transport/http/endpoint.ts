import { processBudget, silentLogger, type Budget, type Keys, type Logger } from '#base';
import {
  classify,
  defaultLimits,
  headerOf,
  isRecord,
  parseMessage,
  rpcErrors,
  type Headers,
  type Limits,
} from '#jsonrpc';
import { claimsModern, enclose, modernVersion, type Layers, type Service } from '#protocol';
import { createMemoryStore, type Store } from '#store';
import { connectionOptions } from '../serve-channel.ts';
import { admitAll, type Admit, type Caller, type Incoming } from './admit.ts';
import { headerCheck } from './header-check.ts';
import type { SessionPlace } from './sessions/kept-session.ts';
import { defaultPace, Heartbeat, streamBytes, type Pace } from './paced-stream.ts';
import { profileOf, type Profile, type ProfileName } from './profile.ts';
import { Stateless, type AnswerMode } from './reply.ts';
import {
  jsonHeaders,
  methodNotAllowed,
  noRoomNow,
  refuse,
  tooLarge,
  unknownId,
  type Identify,
  type Refusal,
  type Responder,
} from './responder.ts';
import { sessionIds } from './sessions/session-ids.ts';
import { Sessions, type SessionLimits } from './sessions/sessions.ts';

/** How an endpoint answers, whom it lets in, and what it keeps for clients. */
export interface EndpointOptions {
  readonly profile?: ProfileName | Profile | undefined;
  /** Overrides the profile's choice between JSON and event streams. */
  readonly answer?: Profile['answer'] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly pace?: Partial<Pace> | undefined;
  readonly sessions?: Partial<SessionLimits> | undefined;
  /** Keeps sessions and the events that clients may come back for: as long as it lasts, so do they. In memory by default. */
  readonly store?: Store | undefined;
  /** Which of several endpoints with one store it is: sessions of one are not known to another. */
  readonly name?: string | undefined;
  /** How other processes with the store know this one: eight hexadecimal digits that none has had; made by itself. */
  readonly node?: string | undefined;
  /** Keys of 32 bytes, or what has them at any moment, that seal the ids of sessions: the store is then not asked about others. */
  readonly sessionKeys?: Keys | undefined;
  /** How long events are kept. */
  readonly retainMs?: number | undefined;
  /** How soon a client that lost its stream may come back. */
  readonly retryMs?: number | undefined;
  /** What is held for clients is counted here, and new work is refused when it is too much; by default that of the process. */
  readonly budget?: Budget | undefined;
  /** Requests served at the same time, per session; sixteen times as many in all without one. */
  readonly maxInFlight?: number | undefined;
  /** Tells clients apart: sessions and what clients carry for us are then of use to their owner only. */
  readonly identify?: Identify | undefined;
  /** Decides who is let in, before a body is read; it tells clients apart instead of `identify`. */
  readonly admit?: Admit | undefined;
  /** What stands before the service. */
  readonly layers?: Omit<Layers, 'headers'> | undefined;
  readonly logger?: Logger | undefined;
}

/** One MCP endpoint, for any runtime: takes requests apart by era and method. */
export interface Endpoint {
  /** Lets a request in before its body is read. */
  readonly admit: Admit;
  /** Whether there is anything here for who was let in. */
  isFor(caller: Caller): boolean;
  readonly limits: Limits;
  readonly budget: Budget;
  readonly sessionCount: number;
  readonly streamCount: number;
  /** What is under way or waits; looks at every session. */
  load(): Load;
  /** Says why a POST is refused before its body is read. */
  refusePost(headers: Headers): Refusal | undefined;
  post(incoming: Incoming, body: Uint8Array, responder: Responder): void;
  get(incoming: Incoming, responder: Responder): void;
  delete(incoming: Incoming, responder: Responder): void;
  /** Ends every session and stream. */
  close(): Promise<void>;
}

/** How much an endpoint has to do. */
interface Load {
  /** Calls that have not been answered yet. */
  readonly calls: number;
  /** Messages that wait for their session to open a stream. */
  readonly undelivered: number;
  /** Bytes written to event streams that their readers have not taken. */
  readonly unreadBytes: number;
}

/** A body on the network is trusted less than a line from a parent process. */
const maxBodyBytes = 4 * 1024 * 1024;

/** A stream must keep what a client's connection may hold unread when it breaks: some megabytes in each kernel. */
const maxLogBytes = 32 * 1024 * 1024;
const maxStoreBytes = 64 * 1024 * 1024;

const defaultSessions: SessionLimits = {
  ttlMs: 3_600_000,
  sweepMs: 300_000,
  maxSessions: 100_000,
  leaseMs: 3000,
};

/** Bodies up to this size are read in any case: they may be what ends other work. */
const smallBody = 4 * 1024;

/** Makes the endpoint of a service, for a runtime that brings requests to it. */
export function createEndpoint(service: Service, options: EndpointOptions = {}): Endpoint {
  const { logger = silentLogger, maxInFlight = 1024, budget = processBudget() } = options;
  const store = options.store ?? createEventStore(budget);
  const limits = { ...defaultLimits, maxBytes: maxBodyBytes, ...options.limits };
  const profile = profileOf(options);
  const heartbeat = new Heartbeat(profile.heartbeat);
  const pace = { ...defaultPace, ...options.pace };
  const { retryMs = 1000, retainMs = 5 * 60_000, node, sessionKeys } = options;
  const serve = enclose(service, { ...options.layers, headers: headerCheck(service) });
  const streams = { log: store.log, heartbeat, pace, retryMs, retainMs };
  const shared = { serve, ids: sessionIds(sessionKeys), profile, logger, budget, ...streams };
  const connection = connectionOptions({ maxInFlight, logger, budget });
  const sessionLimits = { ...defaultSessions, ...options.sessions };
  const place = placeOf(service, options, { ttlMs: sessionLimits.ttlMs, logger });
  const sessions = new Sessions({ ...shared, connection, store, place, node }, sessionLimits);
  const together = { ...connection, maxInFlight: 16 * maxInFlight };
  const stateless = new Stateless({ ...shared, connection: together });

  return {
    limits,
    budget,
    get sessionCount() {
      return sessions.size;
    },
    get streamCount() {
      return heartbeat.size;
    },
    load() {
      const { calls, undelivered } = sessions.load();
      const { serving } = stateless.connection.inFlight;
      return { calls: calls + serving, undelivered, unreadBytes: heartbeat.unreadBytes };
    },
    admit: options.admit ?? admitAll(options.identify),
    isFor: ({ principal }) => service.isFor?.(principal) ?? true,
    refusePost: (headers) => refusedPost(headers, limits, budget),
    post({ headers, caller }, body, responder) {
      const mode = chooseMode(headerOf(headers, 'accept'), profile);
      const parsed = parseMessage(body, limits);
      if (mode === undefined) refuse(responder, unacceptable(profile));
      else if (!parsed.ok) {
        const error = { code: parsed.code, message: parsed.reason };
        refuse(responder, { status: 400, error, id: unknownId(headers) });
      } else {
        const { value } = parsed;
        const post = { value, bytes: body.length, headers, caller, mode };
        if (speaksModern(headers, value)) stateless.post(classify(value), post, responder);
        else sessions.post({ ...post, mode: inOrder(mode, profile) }, responder);
      }
    },
    get(incoming, responder) {
      const { headers } = incoming;
      if (!wantsStream(headers) && profile.plainGet === 'describe') {
        const description = { transport: 'streamable-http', ...service.describe() };
        responder.respond(200, jsonHeaders, JSON.stringify(description));
      } else if (!wantsStream(headers) || headers['mcp-protocol-version'] === modernVersion) {
        refuse(responder, methodNotAllowed('GET opens the event stream of a session'));
      } else if (!budget.admits('sessions', streamBytes)) {
        refuse(responder, noRoomNow);
      } else {
        sessions.get(incoming, responder).catch((error: unknown) => {
          logger.error('GET failed', { error: String(error) });
          responder.respond(500, [], '');
        });
      }
    },
    delete(incoming, responder) {
      const isStateless = incoming.headers['mcp-protocol-version'] === modernVersion;
      if (isStateless) refuse(responder, methodNotAllowed('This revision has no sessions'));
      else sessions.delete(incoming, responder);
    },
    async close() {
      sessions.endAll();
      // Subscriptions that the server has just completed say their last word within this turn.
      await new Promise((resolve) => setImmediate(resolve));
      await stateless.connection.close();
      heartbeat.endAll();
    },
  };
}

/** Where the sessions of an endpoint are kept, where that is said. */
function placeOf(
  service: Service,
  { store, name = '' }: EndpointOptions,
  kept: Pick<SessionPlace, 'ttlMs' | 'logger'>,
): Omit<SessionPlace, 'nodes'> | undefined {
  return store && { ...kept, kv: store.kv, endpoint: name, serve: enclose(service) };
}

/** Why a body is not read, by what is said of it. */
function refusedPost(headers: Headers, limits: Limits, budget: Budget): Refusal | undefined {
  const wrongType = wrongContentType(headers);
  if (wrongType !== undefined) return wrongType;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) return tooLarge(limits);
  return announced <= smallBody || budget.admits('bodies', announced) ? undefined : noRoomNow;
}

function createEventStore({ limit }: Budget): Store {
  const maxBytes = Math.min(maxStoreBytes, Math.floor(limit / 4));
  return createMemoryStore({ maxLogBytes, maxBytes });
}

/** What nearly every client sends. */
const usual = 'application/json, text/event-stream';

/** Chooses the form of an answer to a POST; nothing when the client accepts none we have. */
export function chooseMode(accept: string | undefined, profile: Profile): AnswerMode | undefined {
  if (profile.answer === 'json' || profile.answer === 'sse') return profile.answer;
  if (accept === usual) return 'either';
  if (accept === undefined || accept === '') return profile.acceptRequired ? undefined : 'json';
  const ranges = readRanges(accept);
  const json = rankOf(ranges, ['application/json', 'application/*', '*/*']);
  const sse = rankOf(ranges, ['text/event-stream', 'text/*', '*/*']);
  if (json === 0 && sse === 0) return profile.unacceptable === 'serve' ? 'json' : undefined;
  if (json === 0) return 'sse';
  if (sse === 0) return 'json';
  return profile.answer === 'accept-order' && sse > json ? 'sse' : 'either';
}

/** Where the order of the Accept header decides, it does so also about answers that something precedes. */
function inOrder(mode: AnswerMode, { answer }: Profile): AnswerMode {
  return mode === 'either' && answer === 'accept-order' ? 'json' : mode;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRanges(accept: string): readonly Range[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q=[01](?:\.\d{0,3})?$/.test(parameter));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
}

/** How welcome a type is, 0 when it is not: by the most specific range that names it, and of equals the first is first. */
function rankOf(ranges: readonly Range[], names: readonly string[]): number {
  for (const name of names) {
    const at = ranges.findIndex((range) => range.type === name);
    const quality = ranges[at]?.quality;
    if (quality !== undefined) return quality === 0 ? 0 : quality - at * 1e-9;
  }
  return 0;
}

/** Whether GET asks for an event stream. */
export function wantsStream(headers: Headers): boolean {
  const accept = headerOf(headers, 'accept');
  return accept !== undefined && rankOf(readRanges(accept), ['text/event-stream']) > 0;
}

function unacceptable(profile: Profile): Refusal {
  return {
    status: profile.unacceptable === 'serve' ? 406 : profile.unacceptable,
    error: {
      code: rpcErrors.invalidRequest,
      message: 'Accept must list application/json and text/event-stream',
    },
  };
}

/** A POST must say that it carries JSON, which no web page can without asking first. */
export function wrongContentType(headers: Headers): Refusal | undefined {
  const type = headers['content-type'];
  if (type === 'application/json') return undefined;
  if (typeof type === 'string' && /^application\/json\s*(?:;|$)/i.test(type)) return undefined;
  return {
    status: 415,
    error: { code: rpcErrors.invalidRequest, message: 'Content-Type must be application/json' },
  };
}

/** A message is modern when its header or its body says so, or that of one beside it; what they disagree on is settled later. */
function speaksModern(headers: Headers, value: unknown): boolean {
  if (headers['mcp-protocol-version'] === modernVersion) return true;
  return Array.isArray(value) ? value.some(isModern) : isModern(value);
}

function isModern(value: unknown): boolean {
  const params = isRecord(value) ? value['params'] : undefined;
  return isRecord(params) && claimsModern(params);
}
