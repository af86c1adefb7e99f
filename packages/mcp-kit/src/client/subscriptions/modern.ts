import { createBackoff, createDeferred, describeError, KitError, unref } from '#base';
import { isId, isRecord, type Id, type Params } from '#jsonrpc';
import { metaKeys } from '#protocol';
import { waitWithin } from '../limit.ts';
import type { Agreed } from '../negotiate.ts';
import { defaults, type CallOptions } from '../options.ts';
import type { Subscription, SubscriptionFilter } from '../results.ts';
import { asError, honoredOf, type EraSubscriptions, type Subscriber } from './era.ts';

/** What has been open for so long was not cut at once. */
const steadyMs = 60_000;

/**
 * A modern server tells only whoever listens. One subscription stays open for all that is to be told, whatever is added, and
 * whoever cuts it; others are their owners'.
 */
export class ModernSubscriptions implements EraSubscriptions {
  readonly #session: Subscriber;
  readonly #resources: Set<string>;
  readonly #open = new Set<Id>();
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
    const id = subscriptionOf(params);
    const honored = params?.['notifications'];
    if (id !== undefined) this.#awaited.get(id)?.(isRecord(honored) ? honored : {});
  }

  isLate(params: Params | undefined): boolean {
    const id = subscriptionOf(params);
    return id !== undefined && !this.#open.has(id);
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
        this.#open.add(id);
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
          this.#open.delete(id);
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
      if (!this.#closed) this.#session.conversation.inbound.reportFailure(asError(error));
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
    if (error !== undefined) this.#session.conversation.inbound.reportFailure(error);
    this.#later();
  }

  #later(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.restore(), this.#backoff.next()));
  }
}

/** The subscription that something is told on. */
function subscriptionOf(params: Params | undefined): Id | undefined {
  const meta = params?.['_meta'];
  const id = isRecord(meta) ? meta[metaKeys.subscriptionId] : undefined;
  return isId(id) ? id : undefined;
}
