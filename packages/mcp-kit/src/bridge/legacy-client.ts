import { describeError, isPromise, ShortLivedMap, type MaybePromise } from '#base';
import type { Session } from '#client';
import {
  isId,
  isRecord,
  noRoomError,
  RpcError,
  rpcErrors,
  type Connection,
  type Exchange,
  type Id,
  type Notification,
  type Params,
} from '#jsonrpc';
import { invalidParams, isLoggingLevel, isUri, weightOfUri, type LoggingLevel } from '#protocol';
import { Early } from './early.ts';
import { asRpcError } from './health.ts';
import { notificationOf, passing, Questions, relay } from './relay.ts';
import { forLegacyClient, initializeResult, untouched, withoutSubscription } from './translate.ts';
import { openForHandshake, sessionOptions, Upstream, type Shared } from './upstream.ts';

const maxWatched = 1000;

/** A client that has said `initialize`: a conversation with the server of its own, in whichever era the server knows. */
export class LegacyClient {
  readonly #connection: Connection;
  readonly #shared: Shared;
  readonly #upstream: Upstream;
  readonly #requested: unknown;
  /** Requests of the client under way, in the order they came. */
  readonly #exchanges = new ShortLivedMap<Id, Exchange>();
  readonly #questions: Questions;
  readonly #early: Early;
  /** Resources of whose changes the client wants to hear: its conversation must not be put to sleep. */
  readonly #watched = new Set<string>();
  #letSleep: (() => void) | undefined;
  /** What the client has set. */
  #level: LoggingLevel | undefined;
  readonly #translation = forLegacyClient(new Set());

  constructor(connection: Connection, params: Params, shared: Shared) {
    this.#connection = connection;
    this.#shared = shared;
    this.#requested = params['protocolVersion'];
    this.#questions = new Questions(connection, shared.tell);
    this.#early = new Early(connection);
    this.#upstream = new Upstream(
      async (options) => {
        const session = await openForHandshake(shared.target, params, {
          options: {
            ...sessionOptions(shared.options),
            ...options,
            era: shared.options.era ?? 'auto',
            onNotification: (notification) => this.#hear(notification),
          },
          ask: (method, asked, signal) => this.#ask(method, { ...asked }, signal),
        });
        await this.#restoreLevel(session);
        return session;
      },
      shared,
      connection.principal,
    );
    this.#upstream.giveWay = () => this.#giveWay();
    this.#upstream.onRestored = ({ tools, prompts, resources }) => {
      if (tools?.listChanged) this.#missed('notifications/tools/list_changed');
      if (prompts?.listChanged) this.#missed('notifications/prompts/list_changed');
      if (resources?.listChanged) this.#missed('notifications/resources/list_changed');
      for (const uri of this.#watched) this.#missed('notifications/resources/updated', { uri });
    };
  }

  /** What the client is told of the server. */
  async open(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const session = await this.#upstream.open();
      if (session.era === 'legacy') return session.greeting;
      return { ...initializeResult(session, this.#requested) };
    } catch (error) {
      throw asRpcError(error);
    }
  }

  /** The client has heard it: from now on it may be told and asked. */
  becomeReady(): void {
    for (const notification of this.#early.end()) void this.#hear(notification);
  }

  async request(exchange: Exchange): Promise<unknown> {
    const { id = 0 } = exchange.message;
    this.#exchanges.set(id, exchange);
    try {
      const session = this.#upstream.session ?? (await this.#upstream.open());
      return await this.#upstream.run(() => this.#pass(session, exchange));
    } catch (error) {
      throw asRpcError(error);
    } finally {
      // After it was cancelled, its id may be that of another.
      if (this.#exchanges.get(id) === exchange) this.#exchanges.take(id);
      this.#questions.ended(exchange);
    }
  }

  /** Passes on what the client tells the server. */
  tell({ method, params }: Notification): void {
    const { session } = this.#upstream;
    // The stateless era asks for roots whenever it needs them.
    const isUnknown = session?.era === 'modern' && method === 'notifications/roots/list_changed';
    if (session === undefined || isUnknown) return;
    session.notify(method, params).catch((error: unknown) => {
      this.#shared.logger.warn(`${method} was not passed on`, { error: describeError(error) });
    });
  }

  close(): Promise<void> {
    this.#early.end();
    return this.#upstream.close();
  }

  async #pass(session: Session, exchange: Exchange): Promise<unknown> {
    const { tell, toolNames } = this.#shared;
    const own = this.#passOwn(session, exchange);
    if (own !== undefined) return own;
    const translation = session.era === 'legacy' ? untouched : this.#translation;
    const options = passing(exchange, tell);
    const result = await relay(session, { exchange, translation, options });
    if (exchange.message.method === 'tools/list') toolNames.learn(result);
    return result;
  }

  /** The methods that change the conversation: the session knows them, and says them again when it is opened anew. */
  #passOwn(session: Session, exchange: Exchange): Promise<object> | undefined {
    const { method, params } = exchange.message;
    const { stop: signal } = exchange;
    const { level, uri } = params ?? {};
    switch (method) {
      case 'ping':
        return session.era === 'modern' ? Promise.resolve({}) : undefined;
      case 'logging/setLevel':
        if (isLoggingLevel(level)) {
          return session.setLogLevel(level, { signal }).then(() => {
            this.#level = level;
            return {};
          });
        }
        return session.era === 'modern' ? Promise.reject(badLevel(level)) : undefined;
      case 'resources/subscribe':
        if (typeof uri !== 'string') return undefined;
        if (!isUri(uri)) return Promise.reject(invalidParams('uri is too long'));
        if (this.#watched.size >= maxWatched && !this.#watched.has(uri)) {
          return Promise.reject(tooManyWatched());
        }
        if (!this.#connection.keep(weightOfUri(uri))) return Promise.reject(noRoomError());
        return session.subscribe(uri, { signal }).then(
          () => this.#watch(uri, true),
          (error: unknown) => {
            this.#connection.keep(-weightOfUri(uri));
            throw error;
          },
        );
      case 'resources/unsubscribe':
        if (typeof uri !== 'string') return undefined;
        return session.unsubscribe(uri, { signal }).then(() => this.#watch(uri, false));
      default:
        return undefined;
    }
  }

  /** A server that was put to sleep knows nothing of it; one of the newer era says nothing unless it is told to. */
  async #restoreLevel(session: Session): Promise<void> {
    const isTold = session.era === 'modern' && session.capabilities.logging !== undefined;
    const level = this.#level ?? (isTold ? 'info' : undefined);
    if (level === undefined) return;
    await session.setLogLevel(level).catch((error: unknown) => {
      this.#shared.logger.warn('the log level was not set again', { error: describeError(error) });
    });
  }

  /** Ends the session of a client that does not answer, or only listens. */
  #giveWay(): boolean {
    if (this.#upstream.session === undefined) return false;
    for (const exchange of this.#exchanges.values()) {
      if (!this.#questions.hasAskedDuring(exchange)) return false;
    }
    void this.#connection.close();
    return true;
  }

  #watch(uri: string, isWatched: boolean): object {
    const before = this.#watched.has(uri);
    if (isWatched) this.#watched.add(uri);
    else this.#watched.delete(uri);
    // Counted when it was asked for: once for each that is watched.
    if (before) this.#connection.keep(-weightOfUri(uri));
    if (this.#watched.size > 0) this.#letSleep ??= this.#upstream.hold();
    else {
      this.#letSleep?.();
      this.#letSleep = undefined;
    }
    return {};
  }

  /** Asks the client on behalf of the server, once it is ready to be asked. */
  async #ask(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    await this.#early.untilReady(params, signal);
    const token = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined;
    const report = (progress: Params): void => {
      this.tell(notificationOf('notifications/progress', { ...progress, progressToken: token }));
    };
    return this.#questions.ask(method, params, {
      signal,
      during: this.#exchanges,
      ...(isId(token) && { onProgress: report }),
    });
  }

  /** Tells the client what the server may have said while it was away. */
  #missed(method: string, params?: Params): void {
    void this.#hear({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Tells the client what the server says; with the answer of the one call it can only belong to. */
  #hear({ method, params }: Notification): MaybePromise<void> {
    if (method === 'notifications/tools/list_changed') this.#upstream.toolsChanged();
    if (this.#early.isEarly) {
      this.#early.say(notificationOf(method, params));
      return;
    }
    const { tell } = this.#shared;
    const said = withoutSubscription(params);
    tell?.({ side: 'client', direction: 'sent', message: notificationOf(method, said) });
    const [only, second] = this.#exchanges.values();
    const told =
      only === undefined || second !== undefined
        ? this.#connection.notify(method, said)
        : only.notify(method, said);
    if (isPromise(told)) return told;
  }
}

function tooManyWatched(): RpcError {
  return new RpcError(rpcErrors.overloaded, `More than ${maxWatched} subscriptions`);
}

function badLevel(level: unknown): RpcError {
  return new RpcError(rpcErrors.invalidParams, `Unknown logging level: ${String(level)}`);
}
