import { isTrouble, saidOf } from './failures.ts';

/** How the server behind a bridge is. */
export interface BridgeHealth {
  /** `degraded` from the moment the server is lost or cannot be reached until it has answered again. */
  readonly status: 'ok' | 'degraded';
  /** Conversations with the server that are open. */
  readonly upstreams: number;
  /** How often a conversation was lost. */
  readonly lost: number;
  /** What the trouble is. */
  readonly reason?: string;
}

/** What is known of the server from what became of the last requests. */
export class Condition {
  #trouble: string | undefined;
  #lost = 0;
  #heardMs = 0;

  get trouble(): string | undefined {
    return this.#trouble;
  }

  get timesLost(): number {
    return this.#lost;
  }

  /** Whether all that is known is bad, and has been for so long. */
  hasBeenIll(forMs: number): boolean {
    return this.#trouble !== undefined && performance.now() - this.#heardMs > forMs;
  }

  /** The server has opened a conversation or answered something. */
  good(): void {
    this.#trouble = undefined;
  }

  lost(cause: Error | undefined): void {
    this.#lost += 1;
    this.#note(cause?.message ?? 'the server hung up');
  }

  failed(error: unknown): void {
    if (isTrouble(error)) this.#note(error.message);
  }

  #note(trouble: string): void {
    this.#trouble = saidOf(trouble);
    this.#heardMs = performance.now();
  }
}
