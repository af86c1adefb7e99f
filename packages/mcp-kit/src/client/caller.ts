import { describeError, KitError, silentLogger, type Logger } from '#base';
import { isRecord, RpcError, type Notification, type Params } from '#jsonrpc';
import { mcpErrors, type LoggingLevel, type Meta, type Target } from '#protocol';
import { Conversation } from './conversation.ts';
import { envelopeOf, identityOf, type Identity, type ServerFacts } from './facts.ts';
import { waitWithin } from './limit.ts';
import type { Agreed } from './negotiate.ts';
import { NotificationQueue } from './notification-queue.ts';
import { defaults, type CallOptions, type SessionOptions } from './options.ts';
import { readPage, walkPages, type PageOptions } from './pages.ts';
import { createResultCache, type CachePartition } from './result-cache.ts';
import type { ToolsPage } from './results.ts';
import { askModern, type ModernQuestion } from './rounds.ts';
import type { SessionStats } from './stats.ts';
import {
  Subscriptions,
  UnaskedSubscriptions,
  type Subscription,
  type SubscriptionFilter,
} from './subscriptions.ts';
import { ToolTable } from './tool-table.ts';
import { Visits } from './visits.ts';
import { Watch } from './watch.ts';

type Asked = Pick<ModernQuestion, 'method' | 'params'> & { readonly options: CallOptions };

/** Asks one server in the era it speaks, and keeps what holds for as long as the session does, on whatever connection. */
export class Caller {
  readonly #options: SessionOptions;
  readonly #logger: Logger;
  readonly #identity: Identity;
  readonly #conversation: Conversation;
  readonly #queue: NotificationQueue | undefined;
  readonly #cache: CachePartition;
  readonly #subscriptions = new Subscriptions();
  readonly #unasked = new UnaskedSubscriptions();
  readonly #visits = new Visits();
  readonly #watch: Watch;
  readonly #watched = new Set<string>();
  /** Whether arguments travel in headers as well. */
  readonly #mirrors: boolean;
  readonly tools: ToolTable;
  #logLevel: LoggingLevel | undefined;
  #envelope: Meta;
  #facts: ServerFacts | undefined;
  /** How often the server has told that something has changed. */
  #changes = 0;

  constructor(target: Target, options: SessionOptions) {
    const { logger = silentLogger, onNotification } = options;
    this.#options = options;
    this.#logger = logger;
    this.#mirrors = target.wire === 'http';
    this.#identity = identityOf(options);
    this.#envelope = envelopeOf(this.#identity);
    this.tools = new ToolTable(logger);
    this.#cache = (options.cache ?? createResultCache()).partition(target.key);
    this.#conversation = new Conversation(
      target,
      { identity: this.#identity, options, logger },
      {
        notification: (notification) => this.#hear(notification),
        opened: (agreed) => this.#opened(agreed),
        lost: (cause) => this.#lost(cause),
      },
    );
    this.#queue =
      onNotification &&
      new NotificationQueue(onNotification, (error, method) =>
        this.#conversation.reportBug(error, method),
      );
    this.#watch = new Watch(
      {
        wanted: () => this.#wanted(),
        open: (filter) => this.listen(filter),
        gap: () => this.#cache.clear(),
      },
      logger,
    );
    void this.closed.then((cause) => {
      this.#watch.close();
      this.#queue?.clear();
      this.#unasked.end(cause);
    });
  }

  async open(): Promise<void> {
    await this.#conversation.open();
  }

  /** What the server said when the present conversation began. */
  get facts(): ServerFacts {
    if (this.#facts === undefined) throw new KitError('closed', 'the session has not been opened');
    return this.#facts;
  }

  get isOpen(): boolean {
    return this.#conversation.isOpen;
  }

  get closed(): Promise<Error | undefined> {
    return this.#conversation.closed;
  }

  get stats(): SessionStats {
    const { malformed, samples, handshakes } = this.#conversation;
    return { malformed, samples, handshakes, droppedNotifications: this.#queue?.dropped ?? 0 };
  }

  /** Asks, unless the answer to the same question may still be used. */
  request(method: string, params?: Params, options: CallOptions = {}): Promise<unknown> {
    const kept = this.isOpen ? this.#cache.find(method, params) : undefined;
    return kept === undefined ? this.ask(method, params, options) : Promise.resolve(kept);
  }

  /** Asks the server itself. */
  ask(method: string, params?: Params, options: CallOptions = {}): Promise<unknown> {
    return this.#conversation.run(method, options, (agreed, limits) =>
      agreed.facts.era === 'legacy'
        ? this.#askLegacy(agreed, { method, params, options: limits })
        : this.#askModern(agreed, { method, params, options: limits }),
    );
  }

  async notify(method: string, params?: Params): Promise<void> {
    await this.#conversation.run(method, {}, async ({ connection, facts }) => {
      await connection.tell(method, facts.era === 'legacy' ? params : this.#enveloped(params));
    });
  }

  async setLogLevel(level: LoggingLevel, options: CallOptions): Promise<void> {
    if (this.facts.era === 'legacy') await this.request('logging/setLevel', { level }, options);
    this.#logLevel = level;
    this.#envelope = envelopeOf(this.#identity, level);
  }

  async subscribe(uri: string, options: CallOptions): Promise<void> {
    this.#watched.add(uri);
    try {
      if (this.facts.era === 'legacy') {
        await this.request('resources/subscribe', { uri }, options);
        return;
      }
      await this.#syncWithin('resources/subscribe', options);
      const { resourceSubscriptions: honored } = this.#watch.honored;
      if (Array.isArray(honored) && honored.includes(uri)) return;
      throw new KitError('capability_missing', `${uri}: the server does not tell of its changes`);
    } catch (error) {
      this.#watched.delete(uri);
      this.#watch.syncInBackground();
      throw error;
    }
  }

  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    this.#watched.delete(uri);
    if (this.facts.era === 'modern') await this.#syncWithin('resources/unsubscribe', options);
    else await this.request('resources/unsubscribe', { uri }, options);
  }

  #syncWithin(subject: string, options: CallOptions): Promise<void> {
    const { signal, timeoutMs = this.#maxTotalMs(options) } = options;
    const { ended } = this.#conversation;
    return waitWithin({ subject, signal, ended, timeoutMs }, () => this.#watch.sync());
  }

  /** A subscription of its own. */
  listen(filter: SubscriptionFilter): Promise<Subscription> {
    const { timeoutMs = defaults.timeoutMs } = this.#options;
    return this.#conversation.run('subscriptions/listen', {}, ({ connection, facts }) =>
      facts.era === 'legacy'
        ? this.#unasked.open(filter, facts.capabilities, {
            holds: (uri) => this.#watched.has(uri),
            subscribe: (uri) => this.subscribe(uri, {}),
            unsubscribe: (uri) => this.unsubscribe(uri, {}),
          })
        : this.#subscriptions.open(connection, filter, { envelope: this.#envelope, timeoutMs }),
    );
  }

  /** Learns from a page of `tools/list`, and leaves out what cannot be called. */
  learn(page: ToolsPage): ToolsPage {
    const mirrored = this.#mirrors && this.facts.era === 'modern';
    const tools = this.tools.learn(page.tools, mirrored);
    return tools.length === page.tools.length ? page : { ...page, tools };
  }

  async close(): Promise<void> {
    await this.#conversation.close();
  }

  #askLegacy({ connection }: Agreed, asked: Asked): Promise<unknown> {
    const { elicitUrl } = this.#options.inputs ?? {};
    const { method, params, options } = asked;
    if (elicitUrl === undefined) return connection.request(method, params, options);
    const { timeoutMs = this.#options.timeoutMs ?? defaults.timeoutMs } = options;
    const limits = { ...options, timeoutMs, maxTotalMs: this.#maxTotalMs(options) };
    const { ended } = this.#conversation;
    return this.#visits.ask(connection, { method, params, options: limits, elicitUrl, ended });
  }

  #maxTotalMs({ maxTotalMs }: CallOptions): number {
    return maxTotalMs ?? this.#options.maxTotalMs ?? defaults.maxTotalMs;
  }

  async #askModern({ connection }: Agreed, asked: Asked): Promise<unknown> {
    const { method, params } = asked;
    const { ended } = this.#conversation;
    const options = { ...asked.options, maxTotalMs: this.#maxTotalMs(asked.options) };
    const offer = this.#conversation.offer;
    const ask = (limits: typeof options): ReturnType<typeof askModern> => {
      const headers =
        this.#mirrors && method === 'tools/call'
          ? this.tools.headersFor(params?.['name'], params?.['arguments'])
          : undefined;
      const envelope = this.#envelope;
      const question = { method, params, options: limits, headers, offer, envelope, ended };
      return askModern(connection, question);
    };
    const changes = this.#changes;
    const deadline = performance.now() + options.maxTotalMs;
    try {
      const { result, rounds } = await ask(options);
      // What was told meanwhile may have been about this.
      if (rounds === 0 && changes === this.#changes) this.#cache.keep(method, params, result);
      return result;
    } catch (error) {
      if (method !== 'tools/call' || !isHeaderMismatch(error) || !this.#mirrors) throw error;
      const timeoutMs = deadline - performance.now();
      const limit = { subject: method, signal: options.signal, ended, timeoutMs };
      await waitWithin(limit, (signal) => this.#relearnTools(signal));
      return (await ask({ ...options, maxTotalMs: deadline - performance.now() })).result;
    }
  }

  /** The server refused the call because of its headers: the tool is not what it was when it was listed, if it was. */
  async #relearnTools(signal: AbortSignal): Promise<void> {
    this.#cache.invalidate('notifications/tools/list_changed', undefined);
    this.tools.clear();
    const fetch = async (page: PageOptions): Promise<ToolsPage> => {
      const ask = (): Promise<unknown> => this.request('tools/list', { ...page }, { signal });
      return this.learn(await readPage<ToolsPage>('tools/list', 'tools', ask));
    };
    for await (const _ of walkPages('tools/list', fetch, ({ tools }) => tools));
  }

  #enveloped(params: Params | undefined): Params {
    const own = params?.['_meta'];
    return { ...params, _meta: { ...(isRecord(own) ? own : {}), ...this.#envelope } };
  }

  #hear(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'notifications/subscriptions/acknowledged') {
      this.#subscriptions.acknowledge(params);
      return;
    }
    if (method === 'notifications/elicitation/complete') this.#visits.complete(params);
    if (this.#cache.invalidate(method, params)) this.#changes += 1;
    this.#queue?.push(notification);
  }

  /** What the server is to be told again, because it has never heard of it or has forgotten. */
  #opened({ connection, facts }: Agreed): void {
    this.#facts = facts;
    this.#cache.clear();
    this.tools.clear();
    if (facts.era === 'modern') {
      this.#watch.syncInBackground();
      return;
    }
    const tell = (method: string, params: Params): void => {
      connection.request(method, params).catch((error: unknown) => {
        this.#logger.warn(`${method}: not restored`, { error: describeError(error) });
      });
    };
    if (this.#logLevel !== undefined) tell('logging/setLevel', { level: this.#logLevel });
    for (const uri of this.#watched) tell('resources/subscribe', { uri });
  }

  #lost(cause: Error | undefined): void {
    this.#watch.forget();
    try {
      this.#options.onLost?.(cause);
    } catch (error) {
      this.#conversation.reportBug(error, 'onLost');
    }
  }

  /** In the stateless era a server tells nothing unless it is asked to. */
  #wanted(): SubscriptionFilter | undefined {
    const { era, capabilities } = this.facts;
    if (era === 'legacy') return undefined;
    const { tools, prompts, resources } = capabilities;
    const listening = this.#queue !== undefined;
    const filter: SubscriptionFilter = {
      ...(listening && tools?.listChanged && { toolsListChanged: true }),
      ...(listening && prompts?.listChanged && { promptsListChanged: true }),
      ...(listening && resources?.listChanged && { resourcesListChanged: true }),
      ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched] }),
    };
    return Object.keys(filter).length === 0 ? undefined : filter;
  }
}

function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === mcpErrors.headerMismatch;
}
