import { createDeferred, KitError } from '#base';
import type { Outgoing, Sent } from './channel.ts';
import type { RequestOptions } from './exchange.ts';
import type { InFlight } from './in-flight.ts';
import type { Id, Params, Request } from './message.ts';

/** The protocol's own words for what JSON-RPC leaves open. */
export interface Vocabulary {
  /** The notification that tells the peer a request is no longer wanted, if the method may be cancelled. */
  cancelled(id: Id, method: string, reason: string): { method: string; params: Params } | undefined;
  /** The parameters, with a token under which progress is reported. */
  withProgressToken(params: Params | undefined, id: Id): Params;
}

interface Question {
  readonly id: Id;
  readonly method: string;
  readonly params: Params | undefined;
  readonly options: RequestOptions & { readonly timeoutMs: number; readonly maxTotalMs: number };
  readonly vocabulary: Vocabulary | undefined;
  send(text: string, outgoing: Outgoing): Sent;
  notify(method: string, params: Params): void;
}

/** A timer set for longer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Asks, and settles exactly once: by the answer, the deadline, the caller's signal or the end of the connection. */
export async function ask(inFlight: InFlight, question: Question): Promise<unknown> {
  const { id, method, params, options, vocabulary } = question;
  const { signal, onProgress, timeoutMs, maxTotalMs, headers } = options;
  if (signal?.aborted) throw asAbort(signal, method);
  const sentParams = onProgress && vocabulary ? vocabulary.withProgressToken(params, id) : params;
  const message: Request =
    sentParams === undefined
      ? { jsonrpc: '2.0', id, method }
      : { jsonrpc: '2.0', id, method, params: sentParams };
  const text = JSON.stringify(message);
  const deferred = createDeferred<unknown>();
  const deadline = performance.now() + maxTotalMs;
  let timer: NodeJS.Timeout | undefined;

  const finish = (settle: () => void): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    settle();
  };
  const giveUp = (error: KitError): void => {
    const awaited = inFlight.settle(id);
    if (awaited === undefined) return;
    awaited.reject(error);
    const notice = vocabulary?.cancelled(id, method, error.message);
    if (notice !== undefined) question.notify(notice.method, notice.params);
  };
  const onAbort = (): void => {
    if (signal !== undefined) giveUp(asAbort(signal, method));
  };
  const arm = (): void => {
    clearTimeout(timer);
    const leftMs = deadline - performance.now();
    const expire = (): void => {
      const allowedMs = Math.round(timeoutMs <= leftMs ? timeoutMs : maxTotalMs);
      giveUp(new KitError('timeout', `${method}: no answer within ${allowedMs} ms`));
    };
    // At once, because a timer that is set anew at every sign of progress might never fire.
    if (leftMs <= 0) expire();
    else timer = setTimeout(expire, Math.min(timeoutMs, leftMs, longestTimerMs));
  };

  inFlight.expect(id, {
    method,
    resolve: (result) => finish(() => deferred.resolve(result)),
    reject: (reason) => finish(() => deferred.reject(reason)),
    touch: (progress) => {
      arm();
      if (progress !== undefined) onProgress?.(progress as Params);
    },
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  arm();
  if (question.send(text, { message, headers }) === 'dropped') {
    const error = new KitError('overloaded', `${method}: too much is waiting to be written`);
    inFlight.settle(id)?.reject(error);
  }
  return deferred.promise;
}

function asAbort(signal: AbortSignal, method: string): KitError {
  return new KitError('aborted', `${method}: cancelled by the caller`, { cause: signal.reason });
}
