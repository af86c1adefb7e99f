import { isPromise, type MaybePromise } from '#base';
import type { Notification } from '#jsonrpc';

export type NotificationListener = (notification: Notification) => MaybePromise<void>;

const maxWaiting = 256;

/** Hands notifications to a listener one after the other; a slow one makes them wait, and loses the oldest. */
export class NotificationQueue {
  readonly #listener: NotificationListener;
  readonly #onBug: (error: unknown, method: string) => void;
  readonly #waiting: Notification[] = [];
  #busy = false;
  dropped = 0;

  constructor(listener: NotificationListener, onBug: (error: unknown, method: string) => void) {
    this.#listener = listener;
    this.#onBug = onBug;
  }

  push(notification: Notification): void {
    if (!this.#busy) {
      this.#deliver(notification);
      return;
    }
    this.#waiting.push(notification);
    if (this.#waiting.length <= maxWaiting) return;
    this.#waiting.shift();
    this.dropped += 1;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting.length = 0;
  }

  #deliver(notification: Notification): void {
    try {
      const outcome = this.#listener(notification);
      if (!isPromise(outcome)) return;
      this.#busy = true;
      outcome.then(
        () => this.#next(),
        (error: unknown) => {
          this.#onBug(error, notification.method);
          this.#next();
        },
      );
    } catch (error) {
      this.#onBug(error, notification.method);
    }
  }

  #next(): void {
    this.#busy = false;
    while (!this.#busy) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#deliver(next);
    }
  }
}
