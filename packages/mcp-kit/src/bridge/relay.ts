import type { MaybePromise, ShortLivedMap } from '#base';
import type { CallOptions, Session } from '#client';
import {
  isId,
  isRecord,
  type Exchange,
  type Id,
  type Message,
  type Notification,
  type Params,
} from '#jsonrpc';
import {
  callerOf,
  onBehalf,
  type ConversationLink,
  type Layer,
  type LoggingLevel,
} from '#protocol';
import { asRpcError } from './health.ts';

/** A message that crossed one of the two wires. */
export interface Crossing {
  /** Which wire: the one to the client, or the one to the server. */
  readonly side: 'client' | 'server';
  /** As the bridge sees it; `unreadable`: why what came is no message, and how it begins. */
  readonly direction: 'received' | 'sent' | 'unreadable';
  readonly message: unknown;
  /** On the wire to the server: which conversation with it. Ids mean something within one of them only. */
  readonly conversation?: number | undefined;
}

/** Tells of a message; absent where nobody listens. */
export type Tell = ((crossing: Crossing) => void) | undefined;

/** Tells of every message of a client, and of the answers to its requests. */
export function telling(tell: NonNullable<Tell>): Layer {
  return (next) => (exchange) => {
    const { message } = exchange;
    tell({ side: 'client', direction: 'received', message });
    return message.id === undefined
      ? next(exchange)
      : tellAnswer(tell, exchange, () => next(exchange));
  };
}

async function tellAnswer(
  tell: NonNullable<Tell>,
  { message: { id } }: Exchange,
  answer: () => MaybePromise<unknown>,
): Promise<unknown> {
  try {
    const result = await answer();
    tell({ side: 'client', direction: 'sent', message: { jsonrpc: '2.0', id, result } });
    return result;
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    const said = { jsonrpc: '2.0', id, error: { code, message, data } };
    tell({ side: 'client', direction: 'sent', message: said });
    throw error;
  }
}

/** A notification as the wire has it. */
export function notificationOf(method: string, params: Params | undefined): Notification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
}

/** What a request and its answer become on their way between a client and a server. */
export interface Translation {
  request(params: Params | undefined, caller: string | undefined): Params | undefined;
  result(result: unknown, message: Message, caller: string | undefined): unknown;
  error(error: unknown, message: Message): unknown;
}

/** What a legacy client meets: how its requests become those of the server, and what is said in place of the server. */
export interface ForLegacyClient extends Translation {
  /** The answer to `initialize`. */
  greeting(session: Session, requested: unknown): object;
  /** The log level of a client that has set none. */
  logLevel(session: Session): LoggingLevel | undefined;
  /** The answer to what the server has no method for; nothing where it has one. */
  answer(method: string, params: Params | undefined): object | undefined;
  /** Whether the server knows such a notification. */
  hears(method: string): boolean;
}

/** At a legacy server everything passes as it is. */
export const relayed: ForLegacyClient = {
  request: (params) => params,
  result: (result) => result,
  error: (error) => error,
  greeting: ({ greeting }) => greeting,
  logLevel: () => undefined,
  answer: () => undefined,
  hears: () => true,
};

/** Tells a client something, and whoever listens that it was told. */
export function notify(
  to: Pick<Exchange, 'notify'>,
  { method, params }: Omit<Notification, 'jsonrpc'>,
  tell: Tell,
): MaybePromise<void> {
  tell?.({ side: 'client', direction: 'sent', message: notificationOf(method, params) });
  return to.notify(method, params);
}

/** A request on its way to the server: as it is, or in the words of the other era. */
export interface Relayed {
  readonly exchange: Exchange;
  readonly translation: Translation;
  readonly options: CallOptions;
}

/** Asks the server what a client asks, and gives back what it says. */
export async function relay(
  session: Session,
  { exchange, translation, options }: Relayed,
): Promise<unknown> {
  const { message } = exchange;
  const caller = callerOf(exchange);
  const params = onBehalf(caller, translation.request(message.params, caller));
  let result: unknown;
  try {
    result = await session.request(message.method, params, options);
  } catch (error) {
    throw translation.error(error, message);
  }
  return translation.result(result, message, caller);
}

/** Under which name the client wants to hear of progress, if it does. */
function progressTokenOf({ message: { params } }: Exchange): Id | undefined {
  const meta = params?.['_meta'];
  const token = isRecord(meta) ? meta['progressToken'] : undefined;
  return isId(token) ? token : undefined;
}

/**
 * A request that is passed on: cancelled when its client does so, its progress told under the client's own name. Where the
 * server wants its answer fetched later, so does the client.
 */
export function passing(exchange: Exchange, tell: Tell): CallOptions {
  const progressToken = progressTokenOf(exchange);
  const { stop: signal } = exchange;
  const onReleased = (retryMs: number | undefined): void => exchange.release(retryMs);
  if (progressToken === undefined) return { signal, onReleased };
  return {
    signal,
    onReleased,
    onProgress: (progress) => {
      const params = { ...progress, progressToken };
      void notify(exchange, notificationOf('notifications/progress', params), tell);
    },
  };
}

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
  readonly onProgress: ((progress: Params) => void) | undefined;
}

/** What a server asks a legacy client. A question ends with the last call it can belong to. */
export class Questions {
  readonly #connection: ConversationLink;
  readonly #tell: Tell;
  readonly #open = new Set<Question>();

  constructor(connection: ConversationLink, tell: Tell) {
    this.#connection = connection;
    this.#tell = tell;
  }

  /** Asks; with the answer of the newest call, where there is one. */
  async ask(method: string, params: Params, asking: Asking): Promise<unknown> {
    const { signal, during, onProgress } = asking;
    const id = this.#connection.nextId();
    const calls = new Set(during.values());
    const newest = [...calls].at(-1);
    const stop = new AbortController();
    const withdraw = (reason: unknown): void => {
      stop.abort(reason);
      // The answer it came with may have ended: then it is said where the client hears everything else.
      if (newest === undefined || (isOneOf(during, newest) && !newest.cancelled)) return;
      const why = typeof reason === 'string' ? reason : undefined;
      void this.#connection.notify('notifications/cancelled', { requestId: id, reason: why });
    };
    const question = { calls, withdraw };
    const takeBack = (): void => withdraw(signal.reason);
    signal.addEventListener('abort', takeBack, { once: true });
    if (calls.size > 0) this.#open.add(question);
    const limits = { signal: stop.signal, timeoutMs: personMs, maxTotalMs: personMs };
    const options = { id, onProgress, ...limits };
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
