import type { Logger } from '#base';
import type { Bus, BusListener, Synchronous } from './store.ts';

interface Subscription {
  readonly listener: BusListener;
  active: boolean;
}

interface Delivery {
  readonly topic: string;
  readonly message: string;
  readonly to: readonly Subscription[];
}

/** A bus within one process: listeners are called before `publish` returns, unless it is itself called by a listener. */
export function createMemoryBus(logger: Logger): Synchronous<Bus> & { clear(): void } {
  const topics = new Map<string, Set<Subscription>>();
  // A message published by a listener waits here, so that all listeners see the same order.
  const waiting: Delivery[] = [];
  let delivering = false;

  const deliver = ({ topic, message, to }: Delivery): void => {
    for (const subscription of to) {
      if (!subscription.active) continue;
      try {
        subscription.listener(message);
      } catch (error) {
        logger.error('a bus listener failed', { topic, cause: String(error) });
      }
    }
  };

  return {
    publish(topic, message) {
      const subscriptions = topics.get(topic);
      if (subscriptions === undefined) return;
      waiting.push({ topic, message, to: [...subscriptions] });
      if (delivering) return;
      delivering = true;
      for (const delivery of waiting) deliver(delivery);
      waiting.length = 0;
      delivering = false;
    },

    subscribe(topic, listener) {
      const subscription: Subscription = { listener, active: true };
      const subscriptions = topics.get(topic) ?? new Set();
      topics.set(topic, subscriptions.add(subscription));
      return () => {
        subscription.active = false;
        subscriptions.delete(subscription);
        if (subscriptions.size === 0 && topics.get(topic) === subscriptions) topics.delete(topic);
      };
    },

    clear() {
      for (const subscriptions of topics.values()) {
        for (const subscription of subscriptions) subscription.active = false;
      }
      topics.clear();
    },
  };
}
