import type { MaybePromise } from '#base';
import type { Exchange } from '#jsonrpc';
import type { InputRequest } from './model/inputs.ts';
import type { Task } from './model/tasks.ts';
import type { ClientCapabilities } from './model/types.ts';

/** Questions, by the name under which the handler wants the answer. */
export type Requests = Readonly<Record<string, InputRequest>>;

/** The answers to questions, by the same names. */
export type Answers<T extends Requests> = {
  readonly [K in keyof T]: T[K] extends InputRequest<infer Answer> ? Answer : never;
};

/** What was asked and done so far on behalf of a request. */
export interface Learnt {
  /** By the names under which they were asked for. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What each effect gave; wrapped, because nothing would not survive JSON. */
  readonly effects: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** What a client understands of tasks. */
export interface TaskTerms {
  /** It has asked for a task, and takes no other answer. */
  readonly isWanted: boolean;
  /** How long it wants to be able to ask for it. */
  readonly ttlMs?: number | undefined;
  /** The result that tells it of a task. */
  started(task: Task): object;
}

/** How a handler's questions reach the client, and what the client understands; the edge of an era chooses it. */
export interface Inputs {
  /** What to throw when the client cannot do what is needed. */
  missing(needed: ClientCapabilities): Error;
  /** Asks the client of a request, if it can be asked that. */
  ask<T extends Requests>(requests: T, exchange: Exchange): Promise<Answers<T>>;
  once<T>(key: string, effect: () => MaybePromise<T>): Promise<T>;
  /** Whether a request may be answered with a task; throws where it must be, and its client understands none. */
  tasks(exchange: Exchange, must: boolean): TaskTerms | undefined;
  /** What is known already when the request becomes a task. */
  learnt(): Learnt;
}
