import { createDeferred, type Deferred } from '#base';
import type { Sent } from '#jsonrpc';
import type { Posted } from './posted.ts';

/** Characters on their way above which senders should wait; at four times as many they are no longer heard. */
const highWater = 4 * 1024 * 1024;

/** How much is on its way to the server. */
export class Backlog {
  #characters = 0;
  #drained: Deferred<void> | undefined;

  /** What becomes of one more message; whoever ignores `full` loses what they send, not our memory. */
  get next(): Sent {
    if (this.#characters > 4 * highWater) return 'dropped';
    return this.#characters > highWater ? 'full' : 'sent';
  }

  add({ size }: Posted): void {
    this.#characters += size;
  }

  /** The server has taken it, or never will. */
  release(post: Posted): void {
    this.#characters -= post.size;
    post.size = 0;
    if (this.#characters <= highWater) this.letGo();
  }

  /** Settles when there is room again. */
  drained(): Promise<void> {
    if (this.#characters <= highWater) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Nobody needs to wait any more. */
  letGo(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
