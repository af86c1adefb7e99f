import type { SdkNotification } from './peers.mjs';

type Wanted = (notification: SdkNotification) => boolean;

/** How long a notification may take before its absence is a failure. */
const patienceMs = 5000;

/** The notifications a client has received, to be looked at and waited for. */
export class Inbox {
  readonly all: SdkNotification[] = [];
  readonly #waiting = new Set<() => void>();

  put(notification: SdkNotification): void {
    this.all.push(notification);
    for (const look of this.#waiting) look();
  }

  of(method: string): SdkNotification[] {
    return this.all.filter((notification) => notification.method === method);
  }

  /** The first notification of this method that is wanted, when it is there. */
  async next(method: string, wanted: Wanted = () => true): Promise<SdkNotification> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no ${method} within ${patienceMs} ms`));
      }, patienceMs);
      const look = (): void => {
        const found = this.of(method).find(wanted);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  clear(): void {
    this.all.length = 0;
  }
}
