import type { Origin } from './channel.ts';

/** The most messages one batch may carry. */
export const maxBatch = 100;

/** Messages that came in one array came the same way. */
export function routeOf(origin: Origin | undefined): Origin | undefined {
  return origin instanceof Batch ? origin.origin : origin;
}

/** The origin of messages that came in one array: gathers their answers, to be sent as one array. */
export class Batch {
  readonly origin: Origin | undefined;
  readonly #answers: string[] = [];
  #outstanding: number;

  constructor(origin: Origin | undefined, outstanding: number) {
    this.origin = origin;
    this.#outstanding = outstanding;
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
