import type { CallOptions } from '#client';
import { isId, isRecord, type Exchange, type Id } from '#jsonrpc';
import { notificationOf, type Tell } from './crossing.ts';

/** Under which name the client wants to hear of progress, if it does. */
function progressTokenOf({ message: { params } }: Exchange): Id | undefined {
  const meta = params?.['_meta'];
  const token = isRecord(meta) ? meta['progressToken'] : undefined;
  return isId(token) ? token : undefined;
}

/**
 * A request that is passed on: cancelled when its client does so, its progress told under the client's own name. Where the
 * server wants its answer fetched later, so does the client.
 */
export function passing(exchange: Exchange, tell: Tell): CallOptions {
  const progressToken = progressTokenOf(exchange);
  const { stop: signal } = exchange;
  const onReleased = (retryMs: number | undefined): void => exchange.release(retryMs);
  if (progressToken === undefined) return { signal, onReleased };
  return {
    signal,
    onReleased,
    onProgress: (progress) => {
      const params = { ...progress, progressToken };
      const message = notificationOf('notifications/progress', params);
      tell?.({ side: 'client', direction: 'sent', message });
      void exchange.notify('notifications/progress', params);
    },
  };
}
