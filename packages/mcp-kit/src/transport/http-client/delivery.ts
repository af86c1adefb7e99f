import { createDeferred, type KitError } from '#base';
import type { PostRequest } from './request.ts';

/** Sends a notification; settles when the server has taken it, or with why it has not. */
export async function delivered(
  request: PostRequest,
  signal: AbortSignal | undefined,
  send: () => void,
): Promise<void> {
  const delivery = createDeferred<void>();
  request.delivery = delivery;
  const giveUp = (): void => request.fail(signal?.reason as KitError);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    send();
    await delivery.promise;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}
