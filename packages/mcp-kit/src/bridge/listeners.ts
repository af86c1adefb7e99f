import type { Subscription, SubscriptionFilter } from '#client';
import { isRecord, type Exchange, type Params } from '#jsonrpc';
import { metaKeys } from '#protocol';
import { notify, type Tell } from './relay.ts';
import { named } from './task-names.ts';

interface Listener {
  readonly exchange: Exchange;
  readonly subscription: Subscription;
  /** What the client calls the tasks that it hears of. */
  readonly shown: ReadonlyMap<string, string>;
}

/** What was told before its subscription was known here. */
const maxUnclaimed = 64;

/** The open `subscriptions/listen` of clients, over one conversation with the server. */
export class Listeners {
  readonly #open = new Set<Listener>();
  readonly #unclaimed: { readonly method: string; readonly params: Params | undefined }[] = [];
  readonly #tell: Tell;
  /** Subscriptions that the server may have taken up already. */
  #opening = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  get size(): number {
    return this.#open.size + this.#opening;
  }

  /** A subscription is asked for: what is told before it is known here is kept for it, until the function that is given back is called. */
  expect(): () => void {
    let isExpected = true;
    this.#opening += 1;
    return () => {
      if (!isExpected) return;
      isExpected = false;
      this.#opening -= 1;
      if (this.#opening === 0) this.#unclaimed.length = 0;
    };
  }

  /** Tells a client of its subscription from now on; the function that is given back ends that. */
  add(listen: Listener): () => void {
    this.#open.add(listen);
    for (const { method, params } of this.#unclaimed.splice(0)) this.hear(method, params);
    return () => this.#open.delete(listen);
  }

  /** Passes on what belongs to subscriptions; whether it did. */
  hear(method: string, params: Params | undefined): boolean {
    const meta = params?.['_meta'];
    const id = isRecord(meta) ? meta[metaKeys.subscriptionId] : undefined;
    let isHeard = false;
    for (const { exchange, subscription, shown } of this.#open) {
      const concerned =
        id === undefined
          ? isOf(subscription.honored, method, params)
          : subscription.id !== undefined && subscription.id === id;
      if (!concerned) continue;
      isHeard = true;
      this.#pass(exchange, method, named(params, { shown }));
    }
    if (!isHeard && this.#opening > 0 && this.#unclaimed.length < maxUnclaimed) {
      this.#unclaimed.push({ method, params });
    }
    return isHeard;
  }

  /** The server was away: whoever hears of changes unasked may have missed some. */
  missed(): void {
    for (const { exchange, subscription } of this.#open) {
      const { id, honored } = subscription;
      if (id !== undefined) continue;
      for (const [method, list] of Object.entries(lists)) {
        if (honored[list] === true) this.#pass(exchange, method, undefined);
      }
      for (const uri of honored.resourceSubscriptions ?? []) {
        this.#pass(exchange, 'notifications/resources/updated', { uri });
      }
    }
  }

  #pass(exchange: Exchange, method: string, params: Params | undefined): void {
    void notify(exchange, { method, params: tagged(exchange, params) }, this.#tell);
  }
}

/** The parameters, under the name that the client gave the subscription. */
export function tagged({ message: { id } }: Exchange, params: Params | undefined): Params {
  const meta = params?.['_meta'];
  const own = isRecord(meta) ? meta : undefined;
  return { ...params, _meta: { ...own, [metaKeys.subscriptionId]: id } };
}

/** What tells of a changed list, and how it is asked for. */
const lists: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

/** Whether a change of which a server tells unasked is one that was asked for. */
function isOf(filter: SubscriptionFilter, method: string, params: Params | undefined): boolean {
  const list = lists[method];
  if (list !== undefined) return filter[list] === true;
  const uri = params?.['uri'];
  if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return false;
  // What changed may be a part of what was asked for.
  const isPart = (of: string): boolean => uri.startsWith(`${of.replace(/\/$/, '')}/`);
  return (filter.resourceSubscriptions ?? []).some((wanted) => uri === wanted || isPart(wanted));
}
