import type { ShortLivedMap } from '#base';
import type { Connection, Exchange, Id, Params } from '#jsonrpc';
import type { Tell } from './crossing.ts';
import { asRpcError } from './failures.ts';

/** People need longer than machines. */
const personMs = 10 * 60_000;

interface Question {
  /** The calls it may belong to: those that were under way when it was asked. */
  readonly calls: Set<Exchange>;
  withdraw(reason: unknown): void;
}

export interface Asking {
  /** Fires when the server takes the question back. */
  readonly signal: AbortSignal;
  /** The calls of the client that are under way. */
  readonly during: Pick<ShortLivedMap<Id, Exchange>, 'get' | 'values'>;
  readonly onProgress?: (progress: Params) => void;
}

/** What a server asks a client of the older era. A question ends with the last call it can belong to. */
export class Questions {
  readonly #connection: Connection;
  readonly #tell: Tell;
  readonly #open = new Set<Question>();
  #lastId = 0;

  constructor(connection: Connection, tell: Tell) {
    this.#connection = connection;
    this.#tell = tell;
  }

  /** Asks; with the answer of the newest call, where there is one. */
  async ask(method: string, params: Params, asking: Asking): Promise<unknown> {
    const { signal, during, onProgress } = asking;
    const id = (this.#lastId += 1);
    const calls = new Set(during.values());
    const newest = [...calls].at(-1);
    const stop = new AbortController();
    const withdraw = (reason: unknown): void => {
      stop.abort(reason);
      // The answer it came with may have ended: then it is said where the client hears everything else.
      if (newest === undefined || (isOneOf(during, newest) && !newest.cancelled)) return;
      const said = typeof reason === 'string' && { reason };
      void this.#connection.notify('notifications/cancelled', { requestId: id, ...said });
    };
    const question = { calls, withdraw };
    const takeBack = (): void => withdraw(signal.reason);
    signal.addEventListener('abort', takeBack, { once: true });
    if (calls.size > 0) this.#open.add(question);
    const options = {
      id,
      signal: stop.signal,
      timeoutMs: personMs,
      maxTotalMs: personMs,
      ...(onProgress && { onProgress }),
    };
    const message = { jsonrpc: '2.0', id, method, params };
    this.#tell?.({ side: 'client', direction: 'sent', message });
    try {
      const result = await (newest === undefined
        ? this.#connection.request(method, params, options)
        : newest.call(method, params, options));
      const answer = { jsonrpc: '2.0', id, result };
      this.#tell?.({ side: 'client', direction: 'received', message: answer });
      return result;
    } catch (error) {
      throw asRpcError(error);
    } finally {
      this.#open.delete(question);
      signal.removeEventListener('abort', takeBack);
    }
  }

  /** Whether a call may be waiting for an answer of the client. */
  hasAskedDuring(exchange: Exchange): boolean {
    for (const { calls } of this.#open) if (calls.has(exchange)) return true;
    return false;
  }

  /** A call is over, and with it what only it can have been the reason for. */
  ended(exchange: Exchange): void {
    for (const { calls, withdraw } of this.#open) {
      if (calls.delete(exchange) && calls.size === 0) withdraw('the call that asked has ended');
    }
  }
}

function isOneOf(calls: Asking['during'], call: Exchange): boolean {
  return calls.get(call.message.id ?? 0) === call;
}
