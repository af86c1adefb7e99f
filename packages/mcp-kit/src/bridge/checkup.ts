import { openSession } from '#client';
import { sessionOptions } from './openings.ts';
import type { Shared } from './shared.ts';
import { Upstream } from './upstream.ts';

/** How old bad news may become before somebody looks whether it still holds. */
const staleMs = 5000;
const answerMs = 5000;

/**
 * Looks after a server of which nothing good was heard for a while. Where whoever asks how it is also decides whether clients
 * come, no client would ever find out that it is well again.
 */
export class Checkup {
  readonly #shared: Shared;
  #underWay: Promise<void> | undefined;
  #closed = false;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Somebody asks how the server is. */
  begin(): void {
    if (this.#closed || !this.#shared.condition.hasBeenIll(staleMs)) return;
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#underWay;
  }

  async #look(): Promise<void> {
    const { target, options } = this.#shared;
    const upstream = new Upstream((how) => {
      const limits = {
        ...sessionOptions(options),
        timeoutMs: answerMs,
        connectTimeoutMs: answerMs,
      };
      return openSession(target, { ...limits, ...how, era: options.era ?? 'auto' });
    }, this.#shared);
    try {
      const session = await upstream.open();
      await upstream.run(() => session.ping());
    } catch {
      // What was found out is in the condition of the server.
    } finally {
      await upstream.close();
    }
  }
}
