import { createDeferred } from '#base';
import { isId, isRecord, type Connection, type Id, type Params } from '#jsonrpc';
import { metaKeys, type Meta, type ServerCapabilities } from '#protocol';
import { waitWithin, type LimitOptions } from './limit.ts';

/** What to be told about. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[];
  readonly [kind: string]: unknown;
}

/** A standing wish to be told. */
export interface Subscription {
  /** Under which name the server tells; the older era has none. */
  readonly id?: string;
  /** What the server agreed to tell. */
  readonly honored: SubscriptionFilter;
  /** Settles when nothing more will come; with the cause if it was not `close`. */
  readonly closed: Promise<Error | undefined>;
  close(): void;
}

/** How a server of the older era is told about single resources. */
export interface Subscriber {
  /** Whether somebody else wants to be told about it. */
  holds(uri: string): boolean;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
}

/** A server of the older era tells of changed lists unasked; only resources need a word. */
export class UnaskedSubscriptions {
  readonly #open = new Set<(cause: Error | undefined) => void>();
  /** Resources that the server was asked for here, and for how many subscriptions. */
  readonly #shared = new Map<string, { count: number; readonly asked: Promise<void> }>();

  async open(
    filter: SubscriptionFilter,
    { tools, prompts, resources }: ServerCapabilities,
    subscriber: Subscriber,
  ): Promise<Subscription> {
    const uris = resources?.subscribe === true ? (filter.resourceSubscriptions ?? []) : [];
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
      honored: {
        ...(filter.toolsListChanged && tools?.listChanged && { toolsListChanged: true }),
        ...(filter.promptsListChanged && prompts?.listChanged && { promptsListChanged: true }),
        ...(filter.resourcesListChanged &&
          resources?.listChanged && { resourcesListChanged: true }),
        ...(uris.length > 0 && { resourceSubscriptions: uris }),
      },
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
  #join(uri: string, subscriber: Subscriber): Promise<void> {
    const shared = this.#shared.get(uri) ?? { count: 0, asked: subscriber.subscribe(uri) };
    shared.count += 1;
    this.#shared.set(uri, shared);
    return shared.asked;
  }

  /** The last one takes it back. */
  #leave(uri: string, subscriber: Subscriber): void {
    const shared = this.#shared.get(uri);
    if (shared === undefined) return;
    shared.count -= 1;
    if (shared.count > 0) return;
    this.#shared.delete(uri);
    subscriber.unsubscribe(uri).catch(() => {});
  }
}

/** The subscriptions of the stateless era that are open on any connection. */
export class Subscriptions {
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
