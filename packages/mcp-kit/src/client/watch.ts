import { createBackoff, describeError, unref, type Logger } from '#base';
import type { Subscription, SubscriptionFilter } from './subscriptions.ts';

/** What has been open for so long was not cut at once. */
const steadyMs = 60_000;

export interface WatchSource {
  /** What is to be told now; nothing when nothing is. */
  wanted(): SubscriptionFilter | undefined;
  open(filter: SubscriptionFilter): Promise<Subscription>;
  /** Something may have been missed. */
  gap(): void;
}

/** Keeps one subscription open for all that is to be told, whatever is added, and whoever cuts it. */
export class Watch {
  readonly #source: WatchSource;
  readonly #logger: Logger;
  readonly #backoff = createBackoff();
  #current:
    | { readonly filter: string; readonly subscription: Subscription; readonly since: number }
    | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(source: WatchSource, logger: Logger) {
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
    const wanted = this.#closed ? undefined : this.#source.wanted();
    const filter = wanted === undefined ? '' : JSON.stringify(wanted);
    if (filter === (this.#current?.filter ?? '')) return;
    const before = this.#current;
    const subscription = wanted === undefined ? undefined : await this.#source.open(wanted);
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
    this.#source.gap();
    this.#later();
  }

  #later(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = unref(setTimeout(() => this.syncInBackground(), this.#backoff.next()));
  }
}
