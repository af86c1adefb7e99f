import { createDeferred, describeError, ShortLivedMap, type MaybePromise } from '#base';
import type { Session } from '#client';
import {
  isId,
  isRecord,
  noRoomError,
  RpcError,
  rpcErrors,
  type Exchange,
  type Id,
  type Notification,
  type Params,
} from '#jsonrpc';
import {
  invalidParams,
  isLoggingLevel,
  isUri,
  weightOfUri,
  type Conversation,
  type ConversationLink,
  type LoggingLevel,
} from '#protocol';
import type { Shared } from './bridge.ts';
import { asRpcError } from './health.ts';
import { notificationOf, notify, passing, Questions, relay, relayed } from './relay.ts';
import { openForHandshake, withoutSubscription } from './translate.ts';
import { sessionOptions, Upstream, type Opening } from './upstream.ts';

const maxWatched = 1000;

/** A client that has said `initialize`: a conversation with the server of its own, in whichever era the server knows. */
export class LegacyClient {
  readonly #connection: ConversationLink;
  readonly #shared: Shared;
  readonly #upstream: Upstream;
  readonly #requested: unknown;
  /** Requests of the client under way, in the order they came. */
  readonly #exchanges = new ShortLivedMap<Id, Exchange>();
  readonly #questions: Questions;
  readonly #early: Early;
  /** Resources of whose changes the client wants to hear: its conversation must not be suspended. */
  readonly #watched = new Set<string>();
  #letSuspend: (() => void) | undefined;
  /** What the client has set. */
  #level: LoggingLevel | undefined;
  /** Tools whose results the client knows in another form than the server. */
  readonly #wrapped = new Set<string>();
  /** By the era of the server that was last reached. */
  #translation = relayed;

  constructor(conversation: Conversation, params: Params, shared: Shared) {
    const { connection } = conversation;
    this.#connection = connection;
    this.#shared = shared;
    this.#requested = params['protocolVersion'];
    this.#questions = new Questions(connection, shared.tell);
    this.#early = new Early(connection);
    const open: Opening = async (how) => {
      const { session, translation } = await openForHandshake(shared.target, params, {
        options: {
          ...sessionOptions(shared.options),
          ...how,
          onNotification: (notification) => this.#hear(notification),
        },
        ask: (method, asked, signal) => this.#ask(method, { ...asked }, signal),
        wrapped: this.#wrapped,
      });
      this.#translation = translation;
      await this.#restoreLevel(session);
      return session;
    };
    this.#upstream = new Upstream(open, shared, connection.principal);
    this.#upstream.evict = () => this.#evict();
    this.#upstream.isUnattended = () => conversation.isUnattended();
    this.#upstream.onRestored = (capabilities) => {
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        if (capabilities[kind]?.listChanged) this.#missed(`notifications/${kind}/list_changed`);
      }
      for (const uri of this.#watched) this.#missed('notifications/resources/updated', { uri });
    };
  }

  /** What the client is told of the server. */
  async open(): Promise<object> {
    try {
      const session = await this.#upstream.open();
      return this.#translation.greeting(session, this.#requested);
    } catch (error) {
      throw asRpcError(error);
    }
  }

  /** The client has heard it: from now on it may be told and asked. */
  becomeReady(): void {
    for (const notification of this.#early.end()) void this.#hear(notification);
  }

  async serve(exchange: Exchange): Promise<unknown> {
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
    if (session === undefined || !this.#translation.hears(method)) return;
    session.notify(method, params).catch((error: unknown) => {
      this.#shared.logger.warn(`${method} was not passed on`, { error: describeError(error) });
    });
  }

  close(): Promise<void> {
    this.#early.end();
    return this.#upstream.close();
  }

  async #pass(session: Session, exchange: Exchange): Promise<unknown> {
    const { tell, tools } = this.#shared;
    const { method, params } = exchange.message;
    const translation = this.#translation;
    const own = translation.answer(method, params) ?? this.#passOwn(session, exchange);
    if (own !== undefined) return own;
    const options = passing(exchange, tell);
    const result = await relay(session, { exchange, translation, options });
    if (method === 'tools/list') tools.learnNames(result);
    return result;
  }

  /** The methods that change the conversation: the session knows them, and says them again when it is opened anew. */
  #passOwn(session: Session, exchange: Exchange): Promise<object> | undefined {
    const { method, params } = exchange.message;
    const { stop: signal } = exchange;
    const { level, uri } = params ?? {};
    switch (method) {
      case 'logging/setLevel':
        if (!isLoggingLevel(level)) return undefined;
        return session.setLogLevel(level, { signal }).then(() => {
          this.#level = level;
          return {};
        });
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

  /** A server whose session was suspended knows nothing of it. */
  async #restoreLevel(session: Session): Promise<void> {
    const level = this.#level ?? this.#translation.logLevel(session);
    if (level === undefined) return;
    await session.setLogLevel(level).catch((error: unknown) => {
      this.#shared.logger.warn('the log level was not set again', { error: describeError(error) });
    });
  }

  /** Ends the session of a client that has left, does not answer, or only listens. */
  #evict(): boolean {
    if (this.#upstream.session === undefined) return false;
    const calls = this.#upstream.isUnattended() ? [] : this.#exchanges.values();
    for (const exchange of calls) {
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
    if (this.#watched.size > 0) this.#letSuspend ??= this.#upstream.hold();
    else {
      this.#letSuspend?.();
      this.#letSuspend = undefined;
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
    const onProgress = isId(token) ? report : undefined;
    return this.#questions.ask(method, params, { signal, during: this.#exchanges, onProgress });
  }

  /** Tells the client what the server may have said while it was away. */
  #missed(method: string, params?: Params): void {
    void this.#hear(notificationOf(method, params));
  }

  /** Tells the client what the server says; with the answer of the one call it can only belong to. */
  #hear({ method, params }: Notification): MaybePromise<void> {
    if (method.endsWith('/list_changed')) this.#upstream.listChanged(method);
    if (this.#early.isEarly) {
      this.#early.say(notificationOf(method, params));
      return;
    }
    const said = notificationOf(method, withoutSubscription(params));
    const [only, second] = this.#exchanges.values();
    const to = only === undefined || second !== undefined ? this.#connection : only;
    return notify(to, said, this.#shared.tell);
  }
}

function tooManyWatched(): RpcError {
  return new RpcError(rpcErrors.overloaded, `More than ${maxWatched} subscriptions`);
}

/** How much a server may say and ask before its client is ready, as text. */
const maxEarlyLength = 32 * 1024;

/** What a server says and asks before its client is ready to hear it: kept as text, counted, and not for longer than it is wanted. */
class Early {
  readonly #connection: ConversationLink;
  #said: string[] | undefined = [];
  readonly #asking = new Set<() => void>();
  #length = 0;

  constructor(connection: ConversationLink) {
    this.#connection = connection;
  }

  /** The client is not ready yet. */
  get isEarly(): boolean {
    return this.#said !== undefined;
  }

  /** Keeps it for later, unless it is too much. */
  say(notification: Notification): void {
    const text = JSON.stringify(notification);
    if (this.#count(text.length)) this.#said?.push(text);
  }

  /** Settles when the client can be asked, or nobody asks any more. */
  async untilReady(params: Params, signal: AbortSignal): Promise<void> {
    if (!this.isEarly) return;
    const { length } = JSON.stringify(params);
    if (!this.#count(length)) {
      throw new RpcError(rpcErrors.overloaded, 'The client is not ready, and was asked too much');
    }
    const { promise, resolve } = createDeferred<void>();
    const goOn = (): void => resolve();
    this.#asking.add(goOn);
    signal.addEventListener('abort', goOn, { once: true });
    try {
      if (!signal.aborted) await promise;
      signal.throwIfAborted();
    } finally {
      this.#asking.delete(goOn);
      signal.removeEventListener('abort', goOn);
      this.#count(-length);
    }
  }

  /** The client is ready, or gone; gives what was said. */
  end(): readonly Notification[] {
    const said = this.#said ?? [];
    this.#said = undefined;
    for (const text of said) this.#count(-text.length);
    for (const goOn of this.#asking) goOn();
    return said.map((text) => JSON.parse(text) as Notification);
  }

  #count(length: number): boolean {
    if (this.#length + length > maxEarlyLength || !this.#connection.keep(2 * length)) return false;
    this.#length += length;
    return true;
  }
}
