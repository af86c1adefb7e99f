import type { Logger } from '#base';
import type { Params } from '#jsonrpc';
import type { Meta, ServerCapabilities } from '#protocol';
import type { Conversation } from '../conversation.ts';
import type { ServerFacts } from '../facts.ts';
import type { Agreed } from '../negotiate.ts';
import type { CallOptions, SessionOptions } from '../options.ts';
import type { Subscription, SubscriptionFilter } from '../results.ts';

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
export interface EraSubscriptions {
  subscribe(uri: string, options: CallOptions): Promise<void>;
  unsubscribe(uri: string, options: CallOptions): Promise<void>;
  listen(agreed: Agreed, filter: SubscriptionFilter, options: CallOptions): Promise<Subscription>;
  /** Tells a server what it has never heard of, or has forgotten. */
  restore(agreed: Agreed): void;
}

/** What a filter asks for of what a server can tell; resources are left to the server. */
export function honoredOf(filter: SubscriptionFilter, can: ServerCapabilities): SubscriptionFilter {
  const { resourceSubscriptions = [] } = filter;
  const honored: Record<string, unknown> = {};
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    const name = `${kind}ListChanged` as const;
    if (filter[name] && can[kind]?.listChanged) honored[name] = true;
  }
  if (resourceSubscriptions.length > 0) honored['resourceSubscriptions'] = resourceSubscriptions;
  return honored;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
