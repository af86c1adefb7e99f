import { createBackoff, createDeferred, describeError, KitError, unref, type Logger } from '#base';
import { isId, isRecord, type Connection, type Id, type Params } from '#jsonrpc';
import { metaKeys, type Era, type Meta, type ServerCapabilities } from '#protocol';
import type { Conversation } from './conversation.ts';
import type { ServerFacts } from './facts.ts';
import { waitWithin, type LimitOptions } from './limit.ts';
import type { Agreed } from './negotiate.ts';
import { defaults, type CallOptions, type SessionOptions } from './options.ts';
import type { Subscription, SubscriptionFilter } from './results.ts';

/** What subscriptions need of their session. */
export interface Subscriber {
  readonly conversation: Conversation;
  readonly facts: ServerFacts;
  /** What a modern request says about its sender. */
  readonly envelope: Meta;
  request(method: string, params: Params, options: CallOptions): Promise<unknown>;
  /** Something may have been missed. */
  missed(): void;
}

/** How changes are asked for in one era. */
interface Asking {
  /** What to ask for besides what somebody listens to. */
  wanted(capabilities: ServerCapabilities): SubscriptionFilter;
  subscribe(uri: string, options: CallOptions): Promise<unknown>;
  unsubscribe(uri: string, options: CallOptions): Promise<unknown>;
  listen(agreed: Agreed, filter: SubscriptionFilter, options: CallOptions): Promise<Subscription>;
  /** Tells a server what it has never heard of, or has forgotten. */
  restore(agreed: Agreed): void;
}

/** What the owner of a session wants to be told, in whichever era and on whatever connection. */
export class Subscriptions {
  readonly #session: Subscriber;
  readonly #options: SessionOptions;
  readonly #logger: Logger;
  readonly #modern = new ModernSubscriptions();
  readonly #legacy = new LegacySubscriptions();
  readonly #standing: StandingSubscription;
  /** The resources that `subscribe` was called for. */
  readonly #resources = new Set<string>();

  constructor(session: Subscriber, options: SessionOptions, logger: Logger) {
    this.#session = session;
    this.#options = options;
    this.#logger = logger;
    this.#standing = new StandingSubscription(
      {
        wanted: () => this.#asking.wanted(session.facts.capabilities),
        open: (filter) => this.listen(filter),
        missed: () => session.missed(),
      },
      logger,
    );
  }

  readonly #askings: Readonly<Record<Era, Asking>> = {
    legacy: {
      // It tells of lists unasked.
      wanted: () => ({}),
      subscribe: (uri, options) => this.#session.request('resources/subscribe', { uri }, options),
      unsubscribe: (uri, options) =>
        this.#session.request('resources/unsubscribe', { uri }, options),
      listen: ({ facts }, filter, options) =>
        this.#legacy.open(filter, facts.capabilities, {
          holds: (uri) => this.#resources.has(uri),
          subscribe: (uri) => this.subscribe(uri, options),
          unsubscribe: (uri) => this.unsubscribe(uri, {}),
        }),
      restore: ({ connection }) => {
        for (const uri of this.#resources) {
          connection.request('resources/subscribe', { uri }).catch((error: unknown) => {
            this.#logger.warn(`${uri}: not subscribed again`, { error: describeError(error) });
          });
        }
      },
    },
    modern: {
      wanted: (capabilities) => this.#allWanted(capabilities),
      subscribe: async (uri, options) => {
        await this.#syncWithin('resources/subscribe', options);
        const { resourceSubscriptions: honored } = this.#standing.honored;
        if (Array.isArray(honored) && honored.includes(uri)) return;
        throw new KitError('capability_missing', `${uri}: the server does not tell of its changes`);
      },
      unsubscribe: (_uri, options) => this.#syncWithin('resources/unsubscribe', options),
      listen: ({ connection }, filter, options) => {
        const { timeoutMs = this.#options.timeoutMs ?? defaults.timeoutMs, signal } = options;
        const { envelope } = this.#session;
        return this.#modern.open(connection, filter, { envelope, timeoutMs, signal });
      },
      restore: () => this.#standing.syncInBackground(),
    },
  };

  get #asking(): Asking {
    return this.#askings[this.#session.facts.edge.era];
  }

  async subscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.add(uri);
    try {
      await this.#asking.subscribe(uri, options);
    } catch (error) {
      this.#resources.delete(uri);
      this.#standing.syncInBackground();
      throw error;
    }
  }

  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.delete(uri);
    await this.#asking.unsubscribe(uri, options);
  }

  /** A subscription of its own; the options hold until it is open. */
  listen(filter: SubscriptionFilter, options: CallOptions = {}): Promise<Subscription> {
    return this.#session.conversation.run('subscriptions/listen', options, (agreed) =>
      this.#askings[agreed.facts.edge.era].listen(agreed, filter, options),
    );
  }

  /** Notes that the server has taken up a subscription. */
  acknowledge(params: Params | undefined): void {
    this.#modern.acknowledge(params);
  }

  /** A conversation has begun. */
  restore(agreed: Agreed): void {
    this.#askings[agreed.facts.edge.era].restore(agreed);
  }

  /** The connection they were told on is gone. */
  lost(): void {
    this.#standing.forget();
  }

  /** Takes back what the server was asked to tell. */
  close(): void {
    this.#standing.close();
  }

  /** The session has ended. */
  end(cause: Error | undefined): void {
    this.#legacy.end(cause);
  }

  #syncWithin(subject: string, options: CallOptions): Promise<void> {
    const { ended, maxTotalMs } = this.#session.conversation;
    const { signal, timeoutMs = options.maxTotalMs ?? maxTotalMs } = options;
    return waitWithin({ subject, signal, ended, timeoutMs }, () => this.#standing.sync());
  }

  /** What a modern server is asked to tell: it tells nothing else. */
  #allWanted(capabilities: ServerCapabilities): SubscriptionFilter {
    const { onNotification, watchLists = true } = this.#options;
    const lists = watchLists && onNotification !== undefined;
    return honoredOf(
      {
        toolsListChanged: lists,
        promptsListChanged: lists,
        resourcesListChanged: lists,
        resourceSubscriptions: [...this.#resources],
      },
      capabilities,
    );
  }
}

/** What a filter asks for of what a server can tell; resources are left to the server. */
function honoredOf(
  filter: SubscriptionFilter,
  { tools, prompts, resources }: ServerCapabilities,
): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = filter;
  const { resourceSubscriptions = [] } = filter;
  const honored: Record<string, unknown> = {};
  if (toolsListChanged && tools?.listChanged) honored['toolsListChanged'] = true;
  if (promptsListChanged && prompts?.listChanged) honored['promptsListChanged'] = true;
  if (resourcesListChanged && resources?.listChanged) honored['resourcesListChanged'] = true;
  if (resourceSubscriptions.length > 0) honored['resourceSubscriptions'] = resourceSubscriptions;
  return honored;
}

/** How a legacy server is asked to tell of single resources. */
interface ResourceSubscriber {
  /** Whether somebody else wants to be told about it. */
  holds(uri: string): boolean;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

/** A legacy server tells of changed lists unasked; only resources need a request. */
class LegacySubscriptions {
  readonly #open = new Set<(cause: Error | undefined) => void>();
  /** Resources that the server was asked for here, and for how many subscriptions. */
  readonly #shared = new Map<string, { count: number; readonly asked: Promise<void> }>();

  async open(
    filter: SubscriptionFilter,
    capabilities: ServerCapabilities,
    subscriber: ResourceSubscriber,
  ): Promise<Subscription> {
    const canTell = capabilities.resources?.subscribe === true;
    const uris = canTell ? (filter.resourceSubscriptions ?? []) : [];
    const own = uris.filter((uri) => this.#shared.has(uri) || !subscriber.holds(uri));
    const leave = (): void => {
      for (const uri of own) this.#leave(uri, subscriber);
    };
    const asked = await Promise.allSettled(own.map((uri) => this.#join(uri, subscriber)));
    const refused = asked.find((outcome) => outcome.status === 'rejected');
    if (refused !== undefined) {
      leave();
      throw asError(refused.reason);
    }
    const { promise: closed, resolve } = createDeferred<Error | undefined>();
    this.#open.add(resolve);
    return {
      honored: honoredOf({ ...filter, resourceSubscriptions: uris }, capabilities),
      closed,
      close: () => {
        if (!this.#open.delete(resolve)) return;
        resolve(undefined);
        leave();
      },
    };
  }

  /** The session has ended. */
  end(cause: Error | undefined): void {
    for (const resolve of this.#open) resolve(cause);
    this.#open.clear();
    this.#shared.clear();
  }

  /** The first that wants to hear of a resource asks the server, and the others wait for that. */
  #join(uri: string, subscriber: ResourceSubscriber): Promise<void> {
    const shared = this.#shared.get(uri) ?? { count: 0, asked: subscriber.subscribe(uri) };
    shared.count += 1;
    this.#shared.set(uri, shared);
    return shared.asked;
  }

  /** The last one takes it back. */
  #leave(uri: string, subscriber: ResourceSubscriber): void {
    const shared = this.#shared.get(uri);
    if (shared === undefined) return;
    shared.count -= 1;
    if (shared.count > 0) return;
    this.#shared.delete(uri);
    subscriber.unsubscribe(uri).catch(() => {});
  }
}

/** The `subscriptions/listen` that are open on any connection. */
class ModernSubscriptions {
  readonly #awaited = new Map<Id, (honored: SubscriptionFilter) => void>();
  #last = 0;

  /** Notes that the server has taken up a subscription. */
  acknowledge(params: Params | undefined): void {
    const meta = params?.['_meta'];
    const id = isRecord(meta) ? meta[metaKeys.subscriptionId] : undefined;
    const honored = params?.['notifications'];
    if (isId(id)) this.#awaited.get(id)?.(isRecord(honored) ? honored : {});
  }

  /** Subscribes; settles when the server has said what it will tell. */
  async open(
    connection: Connection,
    filter: SubscriptionFilter,
    { envelope, ...limits }: { readonly envelope: Meta } & Omit<LimitOptions, 'subject'>,
  ): Promise<Subscription> {
    this.#last += 1;
    const id = `listen-${this.#last}`;
    const stop = new AbortController();
    try {
      return await waitWithin({ subject: 'subscriptions/listen', ...limits }, async () => {
        const acknowledged = createDeferred<SubscriptionFilter>();
        this.#awaited.set(id, acknowledged.resolve);
        const listening = connection.request(
          'subscriptions/listen',
          { notifications: filter, _meta: envelope },
          { id, signal: stop.signal, timeoutMs: Infinity, maxTotalMs: Infinity },
        );
        const closed = listening.then(
          () => undefined,
          (error: unknown) => (stop.signal.aborted ? undefined : asError(error)),
        );
        // A server that has nothing to tell ends the subscription at once.
        void closed.then((error) => {
          if (error === undefined) acknowledged.resolve({});
          else acknowledged.reject(error);
        });
        return { id, honored: await acknowledged.promise, closed, close: () => stop.abort() };
      });
    } catch (error) {
      stop.abort();
      throw error;
    } finally {
      this.#awaited.delete(id);
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** What has been open for so long was not cut at once. */
const steadyMs = 60_000;

interface StandingSource {
  /** What is to be told now. */
  wanted(): SubscriptionFilter;
  open(filter: SubscriptionFilter): Promise<Subscription>;
  /** Something may have been missed. */
  missed(): void;
}

/** Keeps one subscription open for all that is to be told, whatever is added, and whoever cuts it. */
class StandingSubscription {
  readonly #source: StandingSource;
  readonly #logger: Logger;
  readonly #backoff = createBackoff();
  #current:
    | { readonly filter: string; readonly subscription: Subscription; readonly since: number }
    | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(source: StandingSource, logger: Logger) {
    this.#source = source;
    this.#logger = logger;
  }

  /** What the server tells at present. */
  get honored(): SubscriptionFilter {
    return this.#current?.subscription.honored ?? {};
  }

  /** Brings the subscription in line with what is wanted; one at a time. */
  sync(): Promise<void> {
    const synced = this.#syncing.then(() => this.#sync());
    this.#syncing = synced.catch(() => {});
    return synced;
  }

  /** As `sync`, by and by, and again until it succeeds. */
  syncInBackground(): void {
    if (this.#closed) return;
    this.sync().catch((error: unknown) => {
      this.#logger.debug('not subscribed to changes', { error: describeError(error) });
      this.#later();
    });
  }

  /** The connection it was open on is gone. */
  forget(): void {
    this.#current?.subscription.close();
    this.#current = undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.forget();
  }

  async #sync(): Promise<void> {
    const wanted = this.#closed ? {} : this.#source.wanted();
    const filter = JSON.stringify(wanted);
    if (filter === (this.#current?.filter ?? '{}')) return;
    const before = this.#current;
    const subscription = filter === '{}' ? undefined : await this.#source.open(wanted);
    this.#current = subscription && { filter, subscription, since: performance.now() };
    before?.subscription.close();
    if (this.#closed) this.forget();
    void subscription?.closed.then((error) => this.#ended(subscription, error));
  }

  #ended(subscription: Subscription, error: Error | undefined): void {
    if (this.#current?.subscription !== subscription) return;
    // The server has nothing of this to tell: asking again would go on for ever.
    if (error === undefined && Object.keys(subscription.honored).length === 0) return;
    // One that is cut again and again is asked for less and less often.
    if (performance.now() - this.#current.since > steadyMs) this.#backoff.reset();
    this.#current = undefined;
    this.#source.missed();
    this.#later();
  }

  #later(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.syncInBackground(), this.#backoff.next()));
  }
}
