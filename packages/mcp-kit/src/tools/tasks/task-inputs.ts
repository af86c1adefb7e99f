import { createDeferred, KitError, type Deferred, type MaybePromise } from '#base';
import type { Exchange } from '#jsonrpc';
import {
  clientOf,
  isOver,
  supports,
  type Answers,
  type ClientCapabilities,
  type Inputs,
  type Learnt,
  type Requests,
} from '#protocol';
import { asking, noting, type Change, type TaskRecord } from './task-record.ts';

/** Questions of a handler whose call goes on as a task: they are kept with it until its client has answered. */
export class TaskInputs implements Inputs {
  readonly #former: Pick<Inputs, 'missing'>;
  readonly #change: (change: Change) => Promise<TaskRecord | undefined>;
  #news: Deferred<void> = createDeferred();

  constructor(
    former: Pick<Inputs, 'missing'>,
    change: (change: Change) => Promise<TaskRecord | undefined>,
  ) {
    this.#former = former;
    this.#change = change;
  }

  /** The task has changed. */
  woken(): void {
    const news = this.#news;
    this.#news = createDeferred();
    news.resolve();
  }

  missing(needed: ClientCapabilities): Error {
    return this.#former.missing(needed);
  }

  async ask<T extends Requests>(requests: T, exchange: Exchange): Promise<Answers<T>> {
    const { capabilities } = clientOf(exchange);
    const questions: Record<string, TaskRecord['questions'][string]> = {};
    for (const [key, { method, params, needs }] of Object.entries(requests)) {
      if (!supports(capabilities, needs)) throw this.missing(needs);
      questions[key] = { method, params };
    }
    const keys = Object.keys(questions);
    for (;;) {
      const news = this.#news.promise;
      exchange.signal.throwIfAborted();
      const record = await this.#change(asking(questions));
      if (record === undefined || isOver(record)) throw new KitError('aborted', 'the task is over');
      const { answers } = record;
      if (keys.every((key) => Object.hasOwn(answers, key))) {
        const given = keys.map((key) => [key, answers[key]]);
        // Each answer was checked against its question.
        return Object.fromEntries(given) as Answers<T>;
      }
      await news;
    }
  }

  async once<T>(key: string, effect: () => MaybePromise<T>): Promise<T> {
    const record = await this.#change((same) => same);
    // Only `effect` ever gives this key its value.
    if (record?.effects[key] !== undefined) return record.effects[key].value as T;
    const value = await effect();
    await this.#change(noting(key, value));
    return value;
  }

  tasks(): undefined {
    return undefined;
  }

  learnt(): Learnt {
    return { answers: {}, effects: {} };
  }
}

/** How questions of a request travel. */
export function inputsOf({ inputs, message }: Exchange): Inputs {
  if (inputs === undefined) throw new TypeError(`${message.method}: nobody can be asked`);
  // Nobody but the edges puts anything there.
  return inputs as Inputs;
}
