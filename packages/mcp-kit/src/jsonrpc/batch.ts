import type { Headers, Origin } from './channel.ts';
import type { Exchange } from './exchange.ts';

/** The most messages one batch may carry. */
export const maxBatch = 100;

/** Messages that came in one array came the same way. */
export function routeOf(origin: Origin | undefined): Origin | undefined {
  return origin instanceof Batch ? origin.origin : origin;
}

/** The origin of messages that came in one array: gathers their answers, to be sent as one array. */
export class Batch implements Origin {
  readonly origin: Origin | undefined;
  /** The first request of the array. */
  first: Exchange | undefined;
  readonly #answers: string[] = [];
  #outstanding: number;

  constructor(origin: Origin | undefined, outstanding: number) {
    this.origin = origin;
    this.#outstanding = outstanding;
  }

  get headers(): Headers | undefined {
    return this.origin?.headers;
  }

  get scopes(): ReadonlySet<string> | undefined {
    return this.origin?.scopes;
  }

  /** Takes one message's answer, or the news that it has none; true when it was the last. */
  add(answer: string | undefined): boolean {
    if (answer !== undefined) this.#answers.push(answer);
    return --this.#outstanding === 0;
  }

  /** The array to send, or nothing when no message of the batch had an answer. */
  get text(): string | undefined {
    return this.#answers.length === 0 ? undefined : `[${this.#answers.join(',')}]`;
  }
}
