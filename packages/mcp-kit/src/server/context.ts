import { crypto, type MaybePromise } from '#base';
import { isId, isRecord, type Exchange, type Id } from '#jsonrpc';
import {
  callerOf,
  clientOf,
  conversationOf,
  reaches,
  supports,
  traceIdOf,
  type Answers,
  type ClientCapabilities,
  type ClientView,
  type Inputs,
  type LoggingLevel,
  type Meta,
  type Requests,
} from '#protocol';

export type { Answers, Requests } from '#protocol';

/** How questions of a request travel. */
function inputsOf({ inputs, message }: Exchange): Inputs {
  if (inputs === undefined) throw new TypeError(`${message.method}: nobody can be asked`);
  // Nobody but the edges puts anything there.
  return inputs as Inputs;
}

/** A part of the work, as a trace shows it; parts may have parts. */
export interface Spans {
  /** Runs part of the work under a name. */
  span<T>(name: string, work: (within: Spans) => MaybePromise<T>): MaybePromise<T>;
}

/**
 * What is to be put into the store of idempotency keys in the same transaction as the change itself, if the key still has the
 * value that is expected: then whoever asks again learns that it was done exactly when it was.
 */
export interface CommitNote {
  readonly key: string;
  readonly expected: string | undefined;
  /** Absent where it was not said what will be returned. */
  readonly value: string | undefined;
  /** What to put there, whatever it has, once the change has been taken back. */
  readonly undone: string;
  readonly ttlMs: number;
}

/** What governs one call besides its request: its time, its trace, the names it gives. */
export interface Scope extends Spans {
  /** Fires when the request's signal does, and when the time for the call is up. */
  readonly signal: AbortSignal;
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** Why nothing may be asked now, if so. */
  readonly noQuestions: Error | undefined;
  newId(label: string): string;
  commit(answer: { readonly output: unknown } | undefined): Promise<CommitNote | undefined>;
}

const unnamed: Spans = { span: (_name, work) => work(unnamed) };

/** What a handler may do besides returning: tell, ask, and notice that nobody waits any more. */
export class Context {
  readonly client: ClientView;
  readonly #exchange: Exchange;
  #progressToken: Id | undefined;
  #progressed = -Infinity;
  #effects: Map<string, Promise<unknown>> | undefined;
  #scope: Scope | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.client = clientOf(exchange);
  }

  /** What is behind a context; for those who govern calls. */
  static exchangeOf(context: Context): Exchange {
    return context.#exchange;
  }

  /** Puts the rest of a request under a scope; for those who govern calls, once. */
  static govern(context: Context, scope: Scope): void {
    context.#scope = scope;
  }

  /** Fires when the caller cancels or goes away, and when the time for the call is up. */
  get signal(): AbortSignal {
    return this.#scope?.signal ?? this.#exchange.signal;
  }

  /** Who asks, where the transport authenticated them; behind a bridge that tells its callers apart, which of them. */
  get principal(): string | undefined {
    return callerOf(this.#exchange);
  }

  /** The same object for all requests of one session or connection; undefined where every request stands alone. */
  get conversation(): object | undefined {
    return conversationOf(this.#exchange);
  }

  /** The name of this request, within the trace of the client or one of its own: logs, traces and failures have the same. */
  get traceId(): string {
    return traceIdOf(this.#exchange);
  }

  /** The request's `_meta`, as received. */
  get meta(): Meta {
    const meta = this.#exchange.message.params?.['_meta'];
    return isRecord(meta) ? meta : {};
  }

  /** Runs part of the work under a name that the trace of the call shows, where calls are traced. */
  span<T>(name: string, work: (within: Spans) => MaybePromise<T>): MaybePromise<T> {
    return (this.#scope ?? unnamed).span(name, work);
  }

  /** What to tell whom this call calls, as HTTP headers or as `_meta`, so that traces join; empty where calls are not traced. */
  get traceHeaders(): Readonly<Record<string, string>> {
    return this.#scope?.traceHeaders ?? {};
  }

  /**
   * A name for something new. Under one plan, and under one idempotency key, the same label gives the same name however often
   * the handler runs; elsewhere it is random.
   */
  newId(label: string): string {
    return this.#scope?.newId(label) ?? crypto().randomUUID();
  }

  /**
   * The point of no return, right before the first change. It fails where the call was given up or its time is up, so that nothing
   * is changed; from here on the call is answered with what it comes to, however long that takes. A tool that calls it says
   * `commits: true`. Where the change and the keys are kept in one place that has transactions, say what will be returned: what
   * comes back, if anything, is to be kept in the same transaction.
   */
  async commit(...answer: readonly [output?: unknown]): Promise<CommitNote | undefined> {
    const told = answer.length === 0 ? undefined : { output: answer[0] };
    if (this.#scope !== undefined) return this.#scope.commit(told);
    this.#exchange.signal.throwIfAborted();
    return undefined;
  }

  /** Sends a log message, if the client wants messages of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): MaybePromise<void> {
    const threshold = this.client.logLevel;
    if (threshold === undefined || !reaches(level, threshold)) return;
    return this.#exchange.notify('notifications/message', { level, logger, data });
  }

  /** Reports progress, if the client asked for it; values that do not increase are left out. */
  progress(progress: number, total?: number, message?: string): MaybePromise<void> {
    this.#progressToken ??= readToken(this.meta);
    if (this.#progressToken === undefined || !(progress > this.#progressed)) return;
    this.#progressed = progress;
    return this.#exchange.notify('notifications/progress', {
      progressToken: this.#progressToken,
      progress,
      total,
      message,
    });
  }

  /**
   * Asks the client or its user, all at once, and waits for the answers.
   * In the modern era the handler ends here and runs again from its start when the answers arrive:
   * put what must happen only once into `once`, or after the last question.
   */
  ask<T extends Requests>(requests: T): Promise<Answers<T>> {
    const refusal = this.#scope?.noQuestions;
    if (refusal !== undefined) return Promise.reject(refusal);
    return inputsOf(this.#exchange).ask(requests, this.#exchange);
  }

  /** Runs an effect the first time only, however often the handler is run again to take answers in. */
  once<T>(key: string, effect: () => MaybePromise<T>): Promise<T> {
    this.#effects ??= new Map();
    let done = this.#effects.get(key);
    if (done === undefined) {
      done = inputsOf(this.#exchange).once(key, effect);
      this.#effects.set(key, done);
    }
    // Only `effect` ever gives this key its value.
    return done as Promise<T>;
  }

  /** Refuses the request unless the client declared these capabilities. */
  requireClient(needed: ClientCapabilities): void {
    if (supports(this.client.capabilities, needed)) return;
    throw inputsOf(this.#exchange).missing(needed);
  }

  /**
   * Lets a waiting client hang up and fetch the answer later, where the transport can: the call goes on.
   * Worth it before long work; elsewhere it does nothing.
   */
  release(options: { readonly retryMs?: number } = {}): void {
    this.#exchange.release(options.retryMs);
  }
}

function readToken(meta: Meta): Id | undefined {
  const token = meta['progressToken'];
  return isId(token) ? token : undefined;
}
