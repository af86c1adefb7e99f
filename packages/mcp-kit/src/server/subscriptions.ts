import { createDeferred, KitError } from '#base';
import {
  isRecord,
  noRoomError,
  RpcError,
  rpcErrors,
  type Exchange,
  type Id,
  type Params,
} from '#jsonrpc';
import { invalidParams, isUri, metaKeys, weightOfListen, type ServerCapabilities } from '#protocol';
import type { ListKind } from './feature.ts';

interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

interface Subscription {
  readonly exchange: Exchange;
  readonly filter: Filter;
  readonly finish: () => void;
}

const maxSubscriptions = 10_000;
const maxWatched = 1000;

/** The open `subscriptions/listen` requests of the stateless era. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();
  #closed = false;

  get size(): number {
    return this.#open.size;
  }

  /** Stays open, telling what the filter asks for, until the client leaves or the server closes. */
  async listen(exchange: Exchange, offered: ServerCapabilities): Promise<object> {
    const { id } = exchange.request;
    const filter = honour(exchange.request.params, offered);
    // What it came with may be megabytes, and it stays for hours.
    exchange.forgetParams();
    if (this.#open.size >= maxSubscriptions) {
      throw new RpcError(rpcErrors.overloaded, 'Too many subscriptions');
    }
    if (exchange.link.budget?.admits('listens', weightOfListen(filter)) === false)
      throw noRoomError();
    await exchange.notify('notifications/subscriptions/acknowledged', {
      notifications: filter,
      ...tag(id),
    });
    if (!this.#closed && Object.keys(filter).length > 0) await this.#hold(exchange, filter);
    return tag(id);
  }

  async #hold(exchange: Exchange, filter: Filter): Promise<void> {
    const { promise, resolve, reject } = createDeferred<void>();
    const subscription: Subscription = { exchange, filter, finish: resolve };
    const gone = (): void => reject(new KitError('aborted', 'the subscriber left'));
    const { signal } = exchange;
    if (signal.aborted) return;
    this.#open.add(subscription);
    signal.addEventListener('abort', gone, { once: true });
    const letGo = (): boolean => {
      held?.resize(0);
      reject(noRoomError());
      return true;
    };
    const held = exchange.link.budget?.hold('listens', weightOfListen(filter), { letGo });
    try {
      await promise;
    } finally {
      held?.resize(0);
      this.#open.delete(subscription);
    }
  }

  listChanged(kind: ListKind): void {
    for (const { exchange, filter } of this.#open) {
      if (filter[`${kind}ListChanged`] !== true) continue;
      void exchange.notify(`notifications/${kind}/list_changed`, tag(exchange.request.id));
    }
  }

  resourceUpdated(uri: string): void {
    for (const { exchange, filter } of this.#open) {
      if (filter.resourceSubscriptions?.includes(uri) !== true) continue;
      void exchange.notify('notifications/resources/updated', { uri, ...tag(exchange.request.id) });
    }
  }

  /** Completes every open subscription. */
  close(): void {
    this.#closed = true;
    for (const { finish } of this.#open) finish();
  }
}

/** The part of the requested filter that this server can serve. */
function honour(params: Params | undefined, offered: ServerCapabilities): Filter {
  const wanted = params?.['notifications'];
  if (!isRecord(wanted)) throw invalidParams('notifications must be an object');
  const uris = wanted['resourceSubscriptions'];
  if (uris !== undefined && !isStrings(uris)) {
    throw invalidParams(`resourceSubscriptions must be at most ${maxWatched} URIs`);
  }
  const filter: { -readonly [K in keyof Filter]: Filter[K] } = {};
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    const member = `${kind}ListChanged` as const;
    if (wanted[member] === true && offered[kind]?.listChanged === true) filter[member] = true;
  }
  if (uris !== undefined && uris.length > 0 && offered.resources?.subscribe === true) {
    filter.resourceSubscriptions = uris;
  }
  return filter;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= maxWatched && value.every(isUri);
}

/** Every message of a subscription names the request that opened it. */
function tag(id: Id): { readonly _meta: Params } {
  return { _meta: { [metaKeys.subscriptionId]: id } };
}
