import type { Params } from '#jsonrpc';
import type { ServerFacts } from '../facts.ts';
import type { Agreed } from '../negotiate.ts';
import type { CallOptions } from '../options.ts';
import type { Subscription, SubscriptionFilter } from '../results.ts';
import type { EraSubscriptions, Subscriber } from './era.ts';
import { LegacySubscriptions } from './legacy.ts';
import { ModernSubscriptions } from './modern.ts';

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

  /** Whether something is told on a subscription that was left, by a server that did not know that yet. */
  isLate(params: Params | undefined): boolean {
    return this.#by.modern.isLate(params);
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
