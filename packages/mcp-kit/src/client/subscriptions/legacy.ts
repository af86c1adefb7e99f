import { createDeferred, describeError } from '#base';
import type { Agreed } from '../negotiate.ts';
import type { CallOptions } from '../options.ts';
import type { Subscription, SubscriptionFilter } from '../results.ts';
import { asError, honoredOf, type EraSubscriptions, type Subscriber } from './era.ts';

/** A legacy server tells of changed lists unasked; only resources need a request. */
export class LegacySubscriptions implements EraSubscriptions {
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
        this.#session.conversation.inbound.reportFailure(asError(error));
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
