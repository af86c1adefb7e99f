import { describeError, KitError, type Logger } from '#base';
import type { Params } from '#jsonrpc';
import type { Meta } from '#protocol';
import type { Conversation } from './conversation.ts';
import type { ServerFacts } from './facts.ts';
import { waitWithin } from './limit.ts';
import type { Agreed } from './negotiate.ts';
import { defaults, maxTotalOf, type CallOptions, type SessionOptions } from './options.ts';
import {
  Subscriptions,
  UnaskedSubscriptions,
  type Subscription,
  type SubscriptionFilter,
} from './subscriptions.ts';
import { Watch } from './watch.ts';

/** What these wishes need of their session. */
export interface Wishing {
  readonly conversation: Conversation;
  readonly facts: ServerFacts;
  /** What a stateless request says about its sender. */
  readonly envelope: Meta;
  request(method: string, params: Params, options: CallOptions): Promise<unknown>;
  /** Something may have been missed. */
  missed(): void;
}

/** What the owner of a session wants to be told, in whichever era and on whatever connection. */
export class Interests {
  readonly #session: Wishing;
  readonly #options: SessionOptions;
  readonly #logger: Logger;
  readonly #subscriptions = new Subscriptions();
  readonly #unasked = new UnaskedSubscriptions();
  readonly #watch: Watch;
  readonly #watched = new Set<string>();

  constructor(session: Wishing, options: SessionOptions, logger: Logger) {
    this.#session = session;
    this.#options = options;
    this.#logger = logger;
    this.#watch = new Watch(
      {
        wanted: () => this.#wanted(),
        open: (filter) => this.listen(filter),
        gap: () => session.missed(),
      },
      logger,
    );
  }

  async subscribe(uri: string, options: CallOptions): Promise<void> {
    this.#watched.add(uri);
    try {
      if (this.#session.facts.era === 'legacy') {
        await this.#session.request('resources/subscribe', { uri }, options);
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
    if (this.#session.facts.era === 'modern') {
      await this.#syncWithin('resources/unsubscribe', options);
    } else {
      await this.#session.request('resources/unsubscribe', { uri }, options);
    }
  }

  /** A subscription of its own; the options hold until it is open. */
  listen(filter: SubscriptionFilter, options: CallOptions = {}): Promise<Subscription> {
    const { timeoutMs = this.#options.timeoutMs ?? defaults.timeoutMs, signal } = options;
    const { conversation, envelope } = this.#session;
    return conversation.run('subscriptions/listen', options, ({ connection, facts }) =>
      facts.era === 'legacy'
        ? this.#unasked.open(filter, facts.capabilities, {
            holds: (uri) => this.#watched.has(uri),
            subscribe: (uri) => this.subscribe(uri, options),
            unsubscribe: (uri) => this.unsubscribe(uri, {}),
          })
        : this.#subscriptions.open(connection, filter, { envelope, timeoutMs, signal }),
    );
  }

  /** Notes that the server has taken up a subscription. */
  acknowledge(params: Params | undefined): void {
    this.#subscriptions.acknowledge(params);
  }

  /** Tells a server what it has never heard of, or has forgotten. */
  restore({ connection, facts }: Agreed): void {
    if (facts.era === 'modern') {
      this.#watch.syncInBackground();
      return;
    }
    for (const uri of this.#watched) {
      connection.request('resources/subscribe', { uri }).catch((error: unknown) => {
        this.#logger.warn(`${uri}: not subscribed again`, { error: describeError(error) });
      });
    }
  }

  /** The connection they were told on is gone. */
  lost(): void {
    this.#watch.forget();
  }

  /** Takes back what the server was asked to tell. */
  leave(): void {
    this.#watch.close();
  }

  /** The session has ended. */
  end(cause: Error | undefined): void {
    this.#unasked.end(cause);
  }

  #syncWithin(subject: string, options: CallOptions): Promise<void> {
    const { signal, timeoutMs = maxTotalOf(options, this.#options) } = options;
    const { ended } = this.#session.conversation;
    return waitWithin({ subject, signal, ended, timeoutMs }, () => this.#watch.sync());
  }

  /** In the stateless era a server tells nothing unless it is asked to. */
  #wanted(): SubscriptionFilter | undefined {
    const { era, capabilities } = this.#session.facts;
    if (era === 'legacy') return undefined;
    const { tools, prompts, resources } = capabilities;
    const { onNotification, watchLists = true } = this.#options;
    const listening = watchLists && onNotification !== undefined;
    const filter: SubscriptionFilter = {
      ...(listening && tools?.listChanged && { toolsListChanged: true }),
      ...(listening && prompts?.listChanged && { promptsListChanged: true }),
      ...(listening && resources?.listChanged && { resourcesListChanged: true }),
      ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched] }),
    };
    return Object.keys(filter).length === 0 ? undefined : filter;
  }
}
