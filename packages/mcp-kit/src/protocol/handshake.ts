import { isPromise, type MaybePromise } from '#base';
import {
  Encoded,
  Exchange,
  isRecord,
  RpcError,
  rpcErrors,
  type Connection,
  type Handlers,
  type Notification,
  type Origin,
  type Params,
} from '#jsonrpc';
import { steer } from './control.ts';
import {
  claimsModern,
  isImplementation,
  metaKeys,
  metaOf,
  readEnvelope,
  requireModernVersion,
  sharedView,
  type ClientView,
} from './envelope.ts';
import { invalidParams } from './model/errors.ts';
import {
  allowsBatch,
  hasTasks,
  modernVersion,
  negotiate,
  requiresErrorId,
} from './model/revisions.ts';
import { isLoggingLevel, type LoggingLevel } from './model/types.ts';
import type { Layer, Serve, Service } from './serve.ts';

/** Where a handshake stands; business methods wait for `ready`. */
export type Phase = 'new' | 'awaiting_initialized_notification' | 'ready';

/** Who hears of changes: one for each legacy session, and for each `subscriptions/listen`. It is changed in place. */
export interface Listener {
  /** One bit for each kind of list. */
  lists: number;
  uris: Set<string> | undefined;
  /** Who it is, as far as it says. */
  client(): ClientView | undefined;
  tell(method: string, params?: Params): void;
}

/** The state of a handshake: plain data, so that it can be stored. */
export interface HandshakeRecord {
  phase: Phase;
  /** Negotiated by `initialize`. */
  client: ClientView | undefined;
  /** `relay`: what serves is legacy itself. `translate`: it is modern. */
  mode: 'relay' | 'translate' | undefined;
}

/** Where a conversation is kept whose client comes and goes. */
interface Place {
  /** Nobody waits for anything. */
  isIdle(): boolean;
}

/** What a conversation needs of the connection that it is held over. */
export type ConversationLink = Pick<
  Connection,
  | 'principal'
  | 'budget'
  | 'keep'
  | 'close'
  | 'notify'
  | 'request'
  | 'nextId'
  | 'cancel'
  | 'progress'
>;

const unbegun: HandshakeRecord = { phase: 'new', client: undefined, mode: undefined };

/** What belongs to no single message: one client at the other end of one connection. Modern messages leave no trace here. */
export class Conversation implements Handlers {
  readonly connection: ConversationLink;
  readonly handshake: HandshakeRecord = { ...unbegun };
  /** The handshake that is under way. */
  opening: Promise<unknown> | undefined;
  /** Made by whoever tells of changes, once the client is ready. */
  listener: Listener | undefined;
  readonly request: Serve;
  /** Told when it ends, or begins anew with another handshake. */
  #ends: (() => void)[] = [];
  /** Whether it has ended: what comes late must not begin anything for it. */
  hasEnded = false;
  readonly #place: Place | undefined;

  constructor(connection: ConversationLink, serve: Serve, place?: Place) {
    this.connection = connection;
    this.request = serve;
    this.#place = place;
  }

  /** Whether the client is away for now: nobody hears what is said, or waits for an answer. */
  isUnattended(): boolean {
    return this.#place?.isIdle() === true;
  }

  notification(message: Notification, origin?: Origin): void {
    const heard = this.request(new Exchange(message, this.connection, origin));
    // Nobody waits for it: whoever serves it tells what went wrong.
    if (isPromise(heard)) heard.catch(() => {});
  }

  refused(exchange: Exchange): unknown {
    return this.request(exchange);
  }

  requiresErrorId(): boolean {
    return requiresErrorId(this.handshake.client?.version);
  }

  acceptsBatch(): boolean {
    return allowsBatch(this.handshake.client?.version);
  }

  /** Forgets the handshake. */
  restart(): void {
    this.closed();
    this.hasEnded = false;
    this.listener = undefined;
    Object.assign(this.handshake, unbegun);
  }

  /** Calls what is given once, when it ends or begins anew with another handshake. */
  onEnded(ended: () => void): void {
    this.#ends.push(ended);
  }

  closed(): void {
    this.hasEnded = true;
    for (const ended of this.#ends.splice(0)) ended();
  }
}

/** The conversation that a message is part of; nothing where it stands alone. */
export function conversationOf({ link }: Exchange): Conversation | undefined {
  return link.handlers instanceof Conversation ? link.handlers : undefined;
}

const defaultLogLevel: LoggingLevel = 'info';

/**
 * The inner edge of a transport: from here on every message has its client. A modern one brings it along; a legacy one
 * has it from the handshake of its conversation. `initialize` is sent on first: what answers it is legacy itself, and everything
 * else is passed on as it is; what does not know the method is asked in modern words, and at once what is known to be `modern`.
 */
export function handshake({ modern = false }: Pick<Service, 'modern'>): Layer {
  return (next) => (exchange) => {
    const { id, params } = exchange.message;
    const conversation = conversationOf(exchange);
    if (id === undefined) return conversation && hear(next, exchange, conversation);
    if (conversation === undefined || claimsModern(params)) {
      exchange.client ??= envelopeOf(params);
      return next(exchange);
    }
    return serveLegacy({ next, modern, exchange, conversation });
  };
}

/** A legacy request, what it is part of, and what serves it. */
interface LegacyRequest {
  readonly next: Serve;
  readonly modern: boolean;
  readonly exchange: Exchange;
  readonly conversation: Conversation;
}

/** What a modern request says about its sender; without it, or in a revision that is not served, the request is a bad one. */
function envelopeOf(params: Params | undefined): ClientView {
  const view = readEnvelope(params);
  requireModernVersion(view.version);
  return view;
}

function serveLegacy(request: LegacyRequest): MaybePromise<unknown> {
  const { next, exchange, conversation } = request;
  const { method, params } = exchange.message;
  const { handshake: record, opening } = conversation;
  if (method === 'initialize') return initialize(request);
  if (opening !== undefined) {
    // A client that does not wait for the answer to its handshake is answered after it.
    const again = (): MaybePromise<unknown> => serveLegacy(request);
    return opening.then(again, again);
  }
  exchange.client = record.client;
  if (record.mode === 'relay') return next(exchange);
  if (method === 'ping') return {};
  if (record.phase !== 'ready') {
    throw new RpcError(rpcErrors.invalidRequest, notReady[record.phase]);
  }
  if (method === 'logging/setLevel') return setLevel(conversation, params?.['level']);
  return next(exchange);
}

/** A notification: steers what is under way, completes the handshake, or is passed on. */
function hear(next: Serve, exchange: Exchange, conversation: Conversation): MaybePromise<unknown> {
  const { connection, handshake: record, opening } = conversation;
  const { message } = exchange;
  if (message.id !== undefined || steer(connection, message)) return undefined;
  if (message.method === 'notifications/initialized') {
    if (opening !== undefined) {
      // Not before the answer has left: the client listens from then on.
      return opening
        .then(() => new Promise((resolve) => setImmediate(resolve)))
        .then(() => hear(next, exchange, conversation));
    }
    if (record.phase !== 'awaiting_initialized_notification') return undefined;
    record.phase = 'ready';
  }
  exchange.client = record.client;
  return next(exchange);
}

function initialize(request: LegacyRequest): MaybePromise<unknown> {
  const { modern, exchange, conversation } = request;
  const params = exchange.message.params ?? {};
  if (typeof params['protocolVersion'] !== 'string') {
    throw invalidParams('protocolVersion must be a string');
  }
  const client = clientIn(params);
  exchange.client = client;
  conversation.restart();
  const outcome = modern ? translate(request, client) : relayOrTranslate(request, client);
  if (!isPromise(outcome)) return outcome;
  const opening = outcome.finally(() => {
    if (conversation.opening === opening) conversation.opening = undefined;
  });
  conversation.opening = opening;
  return opening;
}

/** Sends `initialize` on: the answer says of what era it is that serves. */
function relayOrTranslate(request: LegacyRequest, client: ClientView): MaybePromise<unknown> {
  const { next, exchange, conversation } = request;
  const relay = (result: unknown): unknown => {
    const said = isRecord(result) ? result['protocolVersion'] : undefined;
    begin(conversation, 'relay', sharedView({ ...client, version: negotiate(said) }));
    return result;
  };
  const refused = (error: unknown): MaybePromise<unknown> => {
    if (!(error instanceof RpcError) || error.code !== rpcErrors.methodNotFound) throw error;
    return translate(request, client, error);
  };
  let outcome: MaybePromise<unknown>;
  try {
    outcome = next(exchange);
  } catch (error) {
    return refused(error);
  }
  return isPromise(outcome) ? outcome.then(relay, refused) : relay(outcome);
}

/** Asks what serves in modern words; where it does not know these either, its refusal of the legacy ones stands. */
function translate(
  { next, exchange, conversation }: LegacyRequest,
  client: ClientView,
  refusal?: RpcError,
): MaybePromise<unknown> {
  const discover = exchange.instead('server/discover');
  discover.client = { ...client, era: 'modern', version: modernVersion } satisfies ClientView;
  const discovered = next(discover);
  const answer = (result: unknown): object => {
    begin(conversation, 'translate', client);
    const more = hasTasks(client.version) ? discover.legacyOffer : undefined;
    return initializeResult(result, client.version, more);
  };
  const declined = (error: unknown): never => {
    throw refusal ?? error;
  };
  return isPromise(discovered) ? discovered.then(answer, declined) : answer(discovered);
}

function begin(
  { handshake: record }: Conversation,
  mode: 'relay' | 'translate',
  client: ClientView,
): void {
  record.client = client;
  record.mode = mode;
  record.phase = 'awaiting_initialized_notification';
}

/** The client that `initialize` tells of. Capability sets are open: whatever it declares beyond what we know is kept and ignored. */
function clientIn({ protocolVersion, capabilities, clientInfo }: Params): ClientView {
  return sharedView({
    era: 'legacy',
    version: negotiate(protocolVersion),
    info: isImplementation(clientInfo) ? clientInfo : undefined,
    capabilities: isRecord(capabilities) ? capabilities : {},
    logLevel: defaultLogLevel,
  });
}

/** What a modern server says of itself, as the answer to `initialize`. */
function initializeResult(
  discovered: unknown,
  protocolVersion: string,
  more: object | undefined,
): object {
  const result = discovered instanceof Encoded ? discovered.value : discovered;
  const said = isRecord(result) ? result : {};
  const { capabilities: offered, instructions } = said;
  const capabilities = { ...Object(offered), ...more };
  const serverInfo = metaOf(said)?.[metaKeys.serverInfo];
  return { protocolVersion, capabilities, serverInfo, instructions };
}

function setLevel({ handshake: record }: Conversation, level: unknown): object {
  if (!isLoggingLevel(level)) throw invalidParams(`Unknown logging level: ${String(level)}`);
  if (record.client !== undefined)
    record.client = sharedView({ ...record.client, logLevel: level });
  return {};
}

const notReady = {
  new: 'Not initialized: send initialize first',
  awaiting_initialized_notification: 'Not ready: send notifications/initialized first',
  ready: '',
} satisfies Record<Phase, string>;
