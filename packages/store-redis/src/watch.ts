import { createWatchers, type Watchers } from 'mcp-kit/internal';
import { newClient } from './client.ts';

/** Who is called back, by channel. */
export interface Watch extends Pick<Watchers, 'add'> {
  close(): void;
}

/** Hears of logs that grow, on a connection of its own. Whatever may have been missed counts as growth. */
export function openWatch(url: string): Watch {
  const redis = newClient(url);
  const watchers = createWatchers();
  const subscribed = new Set<string>();
  let isConnecting = false;
  let isClosed = false;
  const subscribe = (channel: string): void => {
    // What was added before the server knew of it is found by whoever looks now.
    const heard = redis.ssubscribe(channel).then(() => watchers.wake(channel));
    // Where that fails the connection does: everything is said again on the next.
    heard.catch(() => {
      if (!isClosed) redis.disconnect(true);
    });
  };
  const update = (channel: string): void => {
    const isWanted = watchers.has(channel);
    if (isWanted === subscribed.has(channel)) return;
    if (isWanted) subscribed.add(channel);
    else subscribed.delete(channel);
    if (redis.status !== 'ready') return;
    if (isWanted) subscribe(channel);
    else redis.sunsubscribe(channel).catch(() => undefined);
  };
  redis.on('smessage', (channel: string) => watchers.wake(channel));
  redis.on('ready', () => {
    for (const channel of subscribed) subscribe(channel);
  });
  return {
    add(channel, woken) {
      const end = watchers.add(channel, woken);
      update(channel);
      if (!isConnecting) {
        isConnecting = true;
        // It goes on trying.
        redis.connect().catch(() => undefined);
      }
      return () => {
        end();
        update(channel);
      };
    },
    close() {
      isClosed = true;
      redis.disconnect();
    },
  };
}
