import { isPromise, KitError, type KitErrorCode, type MaybePromise } from '#base';
import {
  isRecord,
  noRoomError,
  RpcError,
  rpcErrors,
  type Connection,
  type Exchange,
  type Notification,
  type Params,
  type Refused,
} from '#jsonrpc';
import {
  allowsBatch,
  claimsModern,
  emptyLists,
  invalidParams,
  isImplementation,
  isLoggingLevel,
  isUri,
  methodNotFound,
  negotiate,
  readEnvelope,
  requireModernVersion,
  steer,
  requiresErrorId,
  weightOfUri,
  type ClientCapabilities,
  type Envelope,
  type Implementation,
  type LegacyVersion,
  type LoggingLevel,
  type Peer,
  type Phase,
  type ServerCapabilities,
  type Service,
} from '#protocol';
import { Context, type ClientView } from './context.ts';
import type { Handler } from './feature.ts';
import { directInputs } from './inputs.ts';

/** What all conversations of a server share. */
export interface ConversationShared {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly methods: ReadonlyMap<string, Handler>;
  readonly refused: Refused | undefined;
  readonly serve: Service['serve'];
  /** Holds the peers that have completed the handshake. */
  readonly peers: Set<ServerPeer>;
  readonly greet: () => void;
  /** Gives equal views the same object. */
  readonly share: (view: ClientView) => ClientView;
}

const maxSubscribed = 1000;
const defaultLogLevel: LoggingLevel = 'info';

/** One conversation: the state of its handshake, if there was one. Modern messages leave no trace here. */
export class ServerPeer implements Peer {
  readonly #connection: Connection;
  readonly #shared: ConversationShared;
  #phase: Phase = 'new';
  #client: ClientView | undefined;
  #subscribed: Set<string> | undefined;

  constructor(connection: Connection, shared: ConversationShared) {
    this.#connection = connection;
    this.#shared = shared;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get version(): LegacyVersion | undefined {
    // Only `initialize` sets a client, with a version that was negotiated.
    return this.#client?.version as LegacyVersion | undefined;
  }

  requiresErrorId(): boolean {
    return requiresErrorId(this.version);
  }

  acceptsBatch(): boolean {
    return allowsBatch(this.version);
  }

  request(exchange: Exchange): MaybePromise<unknown> {
    const { method, params } = exchange.request;
    if (claimsModern(params)) return this.#shared.serve(exchange, this.#readEnvelope(exchange));
    if (method === 'initialize') return this.#initialize(params);
    if (method === 'ping') return {};
    if (this.#phase !== 'ready' || this.#client === undefined) {
      const error = new RpcError(rpcErrors.invalidRequest, notReady[this.#phase]);
      throw this.refused?.(error, exchange) ?? error;
    }
    const handler = this.#shared.methods.get(method);
    if (handler === undefined) return this.#own(method, params ?? {});
    try {
      const outcome = handler(params ?? {}, new Context(exchange, this.#client, directInputs));
      return isPromise(outcome) ? outcome.catch(refuseUnsupported) : outcome;
    } catch (error) {
      return refuseUnsupported(error);
    }
  }

  get refused(): Refused | undefined {
    return this.#shared.refused;
  }

  #readEnvelope(exchange: Exchange): Envelope {
    try {
      const envelope = readEnvelope(exchange.request.params);
      requireModernVersion(envelope.version);
      return envelope;
    } catch (error) {
      throw error instanceof RpcError ? (this.refused?.(error, exchange) ?? error) : error;
    }
  }

  notification(message: Notification): void {
    if (steer(this.#connection, message)) return;
    if (
      message.method === 'notifications/initialized' &&
      this.#phase === 'awaiting_initialized_notification'
    ) {
      this.#phase = 'ready';
      this.#shared.peers.add(this);
    }
  }

  closed(): void {
    this.#shared.peers.delete(this);
  }

  /** Sends a notification that belongs to no request. */
  notify(method: string, params?: Params): void {
    void this.#connection.notify(method, params);
  }

  resourceUpdated(uri: string): void {
    if (this.#subscribed?.has(uri)) this.notify('notifications/resources/updated', { uri });
  }

  #initialize(params: Params | undefined): object {
    const { info, capabilities: offered, instructions, greet } = this.#shared;
    if (typeof params?.['protocolVersion'] !== 'string') {
      throw invalidParams('protocolVersion must be a string');
    }
    const declared = params['capabilities'];
    // Capability sets are open: whatever a client declares beyond what we know is kept and ignored.
    const capabilities: ClientCapabilities = isRecord(declared) ? declared : {};
    const clientInfo = params['clientInfo'];
    const version = negotiate(params['protocolVersion']);
    this.#client = this.#shared.share({
      era: 'legacy',
      version,
      info: isImplementation(clientInfo) ? clientInfo : undefined,
      capabilities,
      logLevel: defaultLogLevel,
    });
    this.#phase = 'awaiting_initialized_notification';
    for (const uri of this.#subscribed ?? []) this.#connection.keep(-weightOfUri(uri));
    this.#subscribed = undefined;
    this.#shared.peers.delete(this);
    greet();
    return {
      protocolVersion: version,
      capabilities: offered,
      serverInfo: info,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  /** The methods that change this conversation, and nothing else. */
  #own(method: string, params: Params): object {
    switch (method) {
      case 'logging/setLevel':
        this.#setLevel(params['level']);
        return {};
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        if (this.#shared.capabilities.resources?.subscribe !== true) break;
        this.#subscribe(method, params['uri']);
        return {};
      default:
    }
    const empty = emptyLists.get(method);
    if (empty === undefined) throw methodNotFound(method);
    return empty;
  }

  #setLevel(level: unknown): void {
    if (!isLoggingLevel(level)) throw invalidParams(`Unknown logging level: ${String(level)}`);
    if (this.#client === undefined) return;
    this.#client = this.#shared.share({ ...this.#client, logLevel: level });
  }

  #subscribe(method: string, uri: unknown): void {
    if (!isUri(uri)) throw invalidParams('uri must be a string, and not an enormous one');
    const subscribed = (this.#subscribed ??= new Set());
    if (method === 'resources/unsubscribe') {
      if (subscribed.delete(uri)) this.#connection.keep(-weightOfUri(uri));
      return;
    }
    if (subscribed.has(uri)) return;
    if (subscribed.size >= maxSubscribed) {
      throw new RpcError(rpcErrors.overloaded, `More than ${maxSubscribed} subscriptions`);
    }
    if (!this.#connection.keep(weightOfUri(uri))) throw noRoomError();
    subscribed.add(uri);
  }
}

const notReady = {
  new: 'Not initialized: send initialize first',
  awaiting_initialized_notification: 'Not ready: send notifications/initialized first',
  ready: '',
} satisfies Record<Phase, string>;

/** What a question to the client can run into, none of which is a bug of ours. */
const clientLimits: ReadonlySet<string> = new Set<KitErrorCode>([
  'capability_missing',
  'invalid_answer',
  'timeout',
]);

function refuseUnsupported(error: unknown): never {
  throw error instanceof KitError && clientLimits.has(error.code)
    ? new RpcError(rpcErrors.invalidRequest, error.message)
    : error;
}
