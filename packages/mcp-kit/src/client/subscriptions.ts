import { createBackoff, createDeferred, describeError, KitError, unref, type Logger } from '#base';
import { isId, isRecord, type Id, type Params } from '#jsonrpc';
import { metaKeys, type Meta, type ServerCapabilities } from '#protocol';
import type { Conversation } from './conversation.ts';
import type { ServerFacts } from './facts.ts';
import { waitWithin } from './limit.ts';
import type { Agreed } from './negotiate.ts';
import { defaults, type CallOptions, type SessionOptions } from './options.ts';
import type { Subscription, SubscriptionFilter } from './results.ts';

/** What subscriptions need of their session. */
export interface Subscriber {
  readonly conversation: Conversation;
  readonly facts: ServerFacts;
  readonly options: SessionOptions;
  readonly logger: Logger;
  /** What a modern request says about its sender. */
  readonly envelope: Meta;
  request(method: string, params: Params, options: CallOptions): Promise<unknown>;
  /** Something may have been missed. */
  missed(): void;
}

/** How changes are asked for in one era. */
interface EraSubscriptions {
  subscribe(uri: string, options: CallOptions): Promise<void>;
  unsubscribe(uri: string, options: CallOptions): Promise<void>;
  listen(agreed: Agreed, filter: SubscriptionFilter, options: CallOptions): Promise<Subscription>;
  /** Tells a server what it has never heard of, or has forgotten. */
  restore(agreed: Agreed): void;
}

/** What the owner of a session wants to be told, in whichever era and on whatever connection. */
export class Subscriptions {
  readonly #session: Subscriber;
  readonly #by: { readonly legacy: LegacySubscriptions; readonly modern: ModernSubscriptions };

  constructor(session: Subscriber) {
    this.#session = session;
    const resources = new Set<string>();
    this.#by = {
      legacy: new LegacySubscriptions(session, resources),
      modern: new ModernSubscriptions(session, resources),
    };
  }

  subscribe(uri: string, options: CallOptions): Promise<void> {
    return this.#in(this.#session.facts).subscribe(uri, options);
  }

  unsubscribe(uri: string, options: CallOptions): Promise<void> {
    return this.#in(this.#session.facts).unsubscribe(uri, options);
  }

  /** A subscription of its own; the options hold until it is open. */
  listen(filter: SubscriptionFilter, options: CallOptions): Promise<Subscription> {
    return this.#session.conversation.run('subscriptions/listen', options, (agreed) =>
      this.#in(agreed.facts).listen(agreed, filter, options),
    );
  }

  /** A conversation has begun. */
  restore(agreed: Agreed): void {
    this.#in(agreed.facts).restore(agreed);
  }

  /** Notes that the server has taken up a subscription. */
  acknowledge(params: Params | undefined): void {
    this.#by.modern.acknowledge(params);
  }

  /** The connection they were told on is gone. */
  lost(): void {
    this.#by.modern.forget();
  }

  /** Takes back what the server was asked to tell. */
  close(): void {
    this.#by.modern.close();
  }

  /** The session has ended. */
  end(cause: Error | undefined): void {
    this.#by.legacy.end(cause);
  }

  #in({ edge }: ServerFacts): EraSubscriptions {
    return edge.hasSessions ? this.#by.legacy : this.#by.modern;
  }
}

/** What a filter asks for of what a server can tell; resources are left to the server. */
function honoredOf(filter: SubscriptionFilter, can: ServerCapabilities): SubscriptionFilter {
  const { resourceSubscriptions = [] } = filter;
  const honored: Record<string, unknown> = {};
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    const name = `${kind}ListChanged` as const;
    if (filter[name] && can[kind]?.listChanged) honored[name] = true;
  }
  if (resourceSubscriptions.length > 0) honored['resourceSubscriptions'] = resourceSubscriptions;
  return honored;
}

/** A legacy server tells of changed lists unasked; only resources need a request. */
class LegacySubscriptions implements EraSubscriptions {
  readonly #session: Subscriber;
  /** The resources that the server tells of. */
  readonly #resources: Set<string>;
  readonly #open = new Set<(cause: Error | undefined) => void>();
  /** Those that it was asked for by whoever listens, and by how many. */
  readonly #shared = new Map<string, { count: number; readonly asked: Promise<void> }>();

  constructor(session: Subscriber, resources: Set<string>) {
    this.#session = session;
    this.#resources = resources;
  }

  async subscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.add(uri);
    try {
      await this.#session.request('resources/subscribe', { uri }, options);
    } catch (error) {
      this.#resources.delete(uri);
      throw error;
    }
  }

  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.delete(uri);
    await this.#session.request('resources/unsubscribe', { uri }, options);
  }

  async listen(
    { facts: { capabilities } }: Agreed,
    filter: SubscriptionFilter,
    options: CallOptions,
  ): Promise<Subscription> {
    const canTell = capabilities.resources?.subscribe === true;
    const uris = canTell ? (filter.resourceSubscriptions ?? []) : [];
    const own = uris.filter((uri) => this.#shared.has(uri) || !this.#resources.has(uri));
    const leave = (): void => {
      for (const uri of own) this.#leave(uri);
    };
    const asked = await Promise.allSettled(own.map((uri) => this.#join(uri, options)));
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

  restore({ connection }: Agreed): void {
    for (const uri of this.#resources) {
      connection.request('resources/subscribe', { uri }).catch((error: unknown) => {
        const said = { error: describeError(error) };
        this.#session.logger.warn(`${uri}: not subscribed again`, said);
      });
    }
  }

  /** The session has ended. */
  end(cause: Error | undefined): void {
    for (const resolve of this.#open) resolve(cause);
    this.#open.clear();
    this.#shared.clear();
  }

  /** The first that wants to hear of a resource asks the server, and the others wait for that. */
  #join(uri: string, options: CallOptions): Promise<void> {
    const shared = this.#shared.get(uri) ?? { count: 0, asked: this.subscribe(uri, options) };
    shared.count += 1;
    this.#shared.set(uri, shared);
    return shared.asked;
  }

  /** The last one takes it back. */
  #leave(uri: string): void {
    const shared = this.#shared.get(uri);
    if (shared === undefined) return;
    shared.count -= 1;
    if (shared.count > 0) return;
    this.#shared.delete(uri);
    this.unsubscribe(uri, {}).catch(() => {});
  }
}

/** What has been open for so long was not cut at once. */
const steadyMs = 60_000;

/**
 * A modern server tells only whoever listens. One subscription stays open for all that is to be told, whatever is added, and
 * whoever cuts it; others are their owners'.
 */
class ModernSubscriptions implements EraSubscriptions {
  readonly #session: Subscriber;
  readonly #resources: Set<string>;
  /** Those that the server has not taken up yet. */
  readonly #awaited = new Map<Id, (honored: SubscriptionFilter) => void>();
  #last = 0;
  readonly #backoff = createBackoff();
  /** The one for all. */
  #current:
    | { readonly filter: string; readonly subscription: Subscription; readonly since: number }
    | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(session: Subscriber, resources: Set<string>) {
    this.#session = session;
    this.#resources = resources;
  }

  /** Notes that the server has taken up a subscription. */
  acknowledge(params: Params | undefined): void {
    const meta = params?.['_meta'];
    const id = isRecord(meta) ? meta[metaKeys.subscriptionId] : undefined;
    const honored = params?.['notifications'];
    if (isId(id)) this.#awaited.get(id)?.(isRecord(honored) ? honored : {});
  }

  async subscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.add(uri);
    try {
      await this.#syncWithin('resources/subscribe', options);
      const honored = this.#current?.subscription.honored.resourceSubscriptions;
      if (Array.isArray(honored) && honored.includes(uri)) return;
      throw new KitError('capability_missing', `${uri}: the server does not tell of its changes`);
    } catch (error) {
      this.#resources.delete(uri);
      this.restore();
      throw error;
    }
  }

  async unsubscribe(uri: string, options: CallOptions): Promise<void> {
    this.#resources.delete(uri);
    await this.#syncWithin('resources/unsubscribe', options);
  }

  /** Settles when the server has said what it will tell. */
  async listen(
    { connection }: Agreed,
    filter: SubscriptionFilter,
    { timeoutMs = this.#session.options.timeoutMs ?? defaults.timeoutMs, signal }: CallOptions,
  ): Promise<Subscription> {
    this.#last += 1;
    const id = `listen-${this.#last}`;
    const stop = new AbortController();
    const { envelope } = this.#session;
    try {
      return await waitWithin({ subject: 'subscriptions/listen', signal, timeoutMs }, async () => {
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

  /** Brings the one for all in line with what is wanted, by and by, and again until it succeeds. */
  restore(): void {
    if (this.#closed) return;
    this.#sync().catch((error: unknown) => {
      this.#session.logger.debug('not subscribed to changes', { error: describeError(error) });
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

  /** All that is to be told besides what others listen to. */
  #wanted(): SubscriptionFilter {
    const { edge, capabilities } = this.#session.facts;
    // Another server may have taken its place.
    if (this.#closed || edge.hasSessions) return {};
    const { onNotification, watchLists = true } = this.#session.options;
    const isTold = watchLists && onNotification !== undefined;
    const lists = {
      toolsListChanged: isTold,
      promptsListChanged: isTold,
      resourcesListChanged: isTold,
    };
    return honoredOf({ ...lists, resourceSubscriptions: [...this.#resources] }, capabilities);
  }

  #syncWithin(subject: string, options: CallOptions): Promise<void> {
    const { ended, maxTotalMs } = this.#session.conversation;
    const { signal, timeoutMs = options.maxTotalMs ?? maxTotalMs } = options;
    return waitWithin({ subject, signal, ended, timeoutMs }, () => this.#sync());
  }

  /** One at a time. */
  #sync(): Promise<void> {
    const synced = this.#syncing.then(() => this.#syncNow());
    this.#syncing = synced.catch(() => {});
    return synced;
  }

  async #syncNow(): Promise<void> {
    const wanted = this.#wanted();
    const filter = JSON.stringify(wanted);
    if (filter === (this.#current?.filter ?? '{}')) return;
    const before = this.#current;
    const subscription = filter === '{}' ? undefined : await this.#openFor(wanted);
    this.#current = subscription && { filter, subscription, since: performance.now() };
    before?.subscription.close();
    if (this.#closed) this.forget();
    void subscription?.closed.then((error) => this.#ended(subscription, error));
  }

  #openFor(wanted: SubscriptionFilter): Promise<Subscription> {
    return this.#session.conversation.run('subscriptions/listen', {}, (agreed) =>
      this.listen(agreed, wanted, {}),
    );
  }

  #ended(subscription: Subscription, error: Error | undefined): void {
    if (this.#current?.subscription !== subscription) return;
    // The server has nothing of this to tell: asking again would go on for ever.
    if (error === undefined && Object.keys(subscription.honored).length === 0) return;
    // One that is cut again and again is asked for less and less often.
    if (performance.now() - this.#current.since > steadyMs) this.#backoff.reset();
    this.#current = undefined;
    this.#session.missed();
    this.#later();
  }

  #later(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.restore(), this.#backoff.next()));
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
