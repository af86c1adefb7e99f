import { abortedBy, KitError, longestTimerMs, type Deferred } from '#base';
import type { Channel, MessageOptions, Sent } from './channel.ts';
import type { RequestOptions } from './exchange.ts';
import type { Awaited, InFlight } from './in-flight.ts';
import { encodeMessage, type Id, type Notification, type Params, type Request } from './message.ts';

/** The protocol's own words for what JSON-RPC leaves open. */
export interface Vocabulary {
  /** The notification that tells the peer a request is no longer wanted, if the method may be cancelled. */
  cancelled(id: Id, method: string, reason: string): { method: string; params: Params } | undefined;
  /** The parameters, with a token under which progress is reported. */
  withProgressToken(params: Params | undefined, id: Id): Params;
  /** What errors call a request, if not by its method alone. */
  subject?(method: string, params: Params | undefined): string;
}

interface Question {
  readonly id: Id;
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: RequestOptions;
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
  readonly vocabulary: Vocabulary | undefined;
  /** What errors call the other side. */
  readonly peer: string | undefined;
  send(text: string, options: MessageOptions): Sent;
  readonly notify: (method: string, params: Params) => void;
}

/** Asks, and settles exactly once: by the answer, the deadline, the caller's signal or the end of the connection. */
export function ask(inFlight: InFlight, question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    new Asked(inFlight, question, { resolve, reject }).begin();
  });
}

interface Told {
  readonly message: Notification;
  readonly signal: AbortSignal | undefined;
}

/** Tells, and settles when that is not lost: once the peer has taken it, where the channel can know, else once there was room. */
export async function tell(
  inFlight: InFlight,
  channel: Channel,
  { message, signal }: Told,
): Promise<void> {
  const text = encodeMessage(message);
  while (inFlight.open) {
    signal?.throwIfAborted();
    const told = channel.tell(text, { message, signal });
    if (told !== undefined) return told;
    const sent = channel.send(text, { message });
    if (sent !== 'sent') await channel.drained();
    if (sent !== 'dropped') return;
  }
  throw new KitError('closed', `${message.method}: the connection is closed`);
}

/** A question under way. One object, because thousands of them are made in a second. */
class Asked implements Awaited {
  readonly #inFlight: InFlight;
  readonly #question: Question;
  readonly #settle: Pick<Deferred<unknown>, 'resolve' | 'reject'>;
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  /** The timer stands for the longest wait in all. */
  #capped = false;
  #onAbort: (() => void) | undefined;

  constructor(
    inFlight: InFlight,
    question: Question,
    settle: Pick<Deferred<unknown>, 'resolve' | 'reject'>,
  ) {
    this.#inFlight = inFlight;
    this.#question = question;
    this.#settle = settle;
  }

  get method(): string {
    return this.#question.method;
  }

  begin(): void {
    const { id, options, maxTotalMs } = this.#question;
    const { signal, headers, origin } = options;
    if (signal?.aborted) throw abortedBy(this.#subject, signal.reason);
    const message = this.#message();
    const text = encodeMessage(message);
    this.#inFlight.expect(id, this);
    if (signal !== undefined) {
      this.#onAbort = () => this.#giveUp(abortedBy(this.#subject, signal.reason));
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    this.#arm(maxTotalMs);
    const sent = this.#question.send(text, { origin, message, headers });
    if (sent === 'dropped') {
      const error = new KitError(
        'overloaded',
        `${this.#subject}: too much is waiting to be written`,
      );
      this.#inFlight.settle(id)?.reject(error);
    }
  }

  resolve(result: unknown): void {
    this.#finish();
    this.#settle.resolve(result);
  }

  reject(reason: unknown): void {
    this.#finish();
    this.#settle.reject(reason);
  }

  touch(progress: object | undefined): void {
    const { options, maxTotalMs } = this.#question;
    // Nobody has asked for progress: whoever reports it anyway must not make us wait by it.
    if (progress !== undefined && options.onProgress === undefined) return;
    const leftMs = this.#startedMs + maxTotalMs - performance.now();
    clearTimeout(this.#timer);
    // At once, because a timer that is set anew at every sign of progress might never fire.
    if (leftMs <= 0) {
      this.#capped = true;
      this.expire();
      return;
    }
    this.#arm(leftMs);
    if (progress !== undefined) options.onProgress?.(progress as Params);
  }

  released(retryMs: number | undefined): void {
    this.#question.options.onReleased?.(retryMs);
  }

  #message(): Request {
    const { id, method, params, options, vocabulary } = this.#question;
    const wanted = options.onProgress !== undefined && vocabulary !== undefined;
    const sent = wanted ? vocabulary.withProgressToken(params, id) : params;
    return { jsonrpc: '2.0', id, method, params: sent };
  }

  /** Waits for an answer, but no longer than what is left in all. */
  #arm(leftMs: number): void {
    const { timeoutMs } = this.#question;
    this.#capped = leftMs < timeoutMs;
    this.#timer = setTimeout(expire, Math.min(timeoutMs, leftMs, longestTimerMs), this);
  }

  expire(): void {
    const { peer, timeoutMs, maxTotalMs } = this.#question;
    const allowedMs = Math.round(this.#capped ? maxTotalMs : timeoutMs);
    const from = peer === undefined ? '' : ` from ${peer}`;
    const what = `${this.#subject}: no answer${from} within ${allowedMs} ms`;
    this.#giveUp(new KitError('timeout', what));
  }

  get #subject(): string {
    const { method, params, vocabulary } = this.#question;
    return vocabulary?.subject?.(method, params) ?? method;
  }

  #giveUp(error: KitError): void {
    const { id, method, vocabulary, notify } = this.#question;
    if (this.#inFlight.settle(id) === undefined) return;
    this.reject(error);
    const reason = typeof error.cause === 'string' ? error.cause : error.message;
    const notice = vocabulary?.cancelled(id, method, reason);
    if (notice !== undefined) notify(notice.method, notice.params);
  }

  #finish(): void {
    clearTimeout(this.#timer);
    if (this.#onAbort === undefined) return;
    this.#question.options.signal?.removeEventListener('abort', this.#onAbort);
  }
}

function expire(asked: Asked): void {
  asked.expire();
}
