import { createDeferred, type MaybePromise } from '#base';
import type { InputContext, InputHandlers } from './inputs.ts';
import { orAborted, waitWithin } from './limit.ts';

/** How the owner's handlers are treated. */
export interface HandlerOptions {
  /** How many of the server's requests are handled at the same time; others wait in order. All, unless given. */
  readonly concurrency?: number;
  /** How long a handler may take before the server is told that it timed out; for ever, unless given. */
  readonly timeoutMs?: number;
}

/** Calls handlers, so many at a time, the others in order, each for no longer than it may take. */
export class HandlerQueue {
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  /** Those whose turn has not come, in order. */
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** How many took too long. */
  timeouts = 0;

  constructor({ concurrency = Infinity, timeoutMs = Infinity }: HandlerOptions = {}) {
    this.#concurrency = Math.max(1, concurrency);
    this.#timeoutMs = timeoutMs;
  }

  /** Runs a handler when its turn has come; one that is no longer wanted, or is late, is left alone and makes room. */
  async run<T>(
    subject: string,
    { signal: unwanted }: InputContext,
    handler: (context: InputContext) => MaybePromise<T>,
  ): Promise<T> {
    await this.#turn(unwanted);
    const limit = { subject, ended: unwanted, timeoutMs: this.#timeoutMs };
    let isLate = false;
    try {
      return await waitWithin(limit, async (signal) => {
        signal.addEventListener('abort', () => (isLate = !unwanted.aborted), { once: true });
        return handler({ signal });
      });
    } finally {
      if (isLate) this.timeouts += 1;
      this.#leave();
    }
  }

  async #turn(unwanted: AbortSignal): Promise<void> {
    if (this.#running < this.#concurrency) {
      this.#running += 1;
      return;
    }
    const turn = createDeferred<void>();
    this.#waiting.add(turn.resolve);
    try {
      await orAborted(unwanted, () => turn.promise);
    } catch (error) {
      // Its turn may have come in the same moment.
      if (!this.#waiting.delete(turn.resolve)) this.#leave();
      throw error;
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** The same handlers, each of which waits for its turn. */
export function queued(inputs: InputHandlers, queue: HandlerQueue): InputHandlers {
  const { elicit, elicitUrl, sample, roots } = inputs;
  return {
    ...(elicit && {
      elicit: (form, context) =>
        queue.run('elicitation/create', context, (turn) => elicit.call(inputs, form, turn)),
    }),
    ...(elicitUrl && {
      elicitUrl: (visit, context) =>
        queue.run('elicitation/create', context, (turn) => elicitUrl.call(inputs, visit, turn)),
    }),
    ...(sample && {
      sample: (params, context) =>
        queue.run('sampling/createMessage', context, (turn) => sample.call(inputs, params, turn)),
    }),
    ...(roots && {
      roots:
        typeof roots === 'function'
          ? (context) => queue.run('roots/list', context, (turn) => roots(turn))
          : roots,
    }),
  };
}
