import { isPromise, Stop, type Budget, type MaybePromise, type StopSignal } from '#base';
import type { RpcError } from './error.ts';
import type { Handlers } from './handlers.ts';
import type { Id, Message, Params } from './message.ts';

/** Headers of a message: names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header as one string, when it was sent once. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Where a message came from, so that its answer can go back the same way; only its channel knows the rest. */
export interface Origin {
  /** What its request is known by where ids of several clients meet: an object of its own that refers to nothing, as tables keep keys. */
  readonly key?: object | undefined;
  /** The headers of the message, where the channel has any. */
  readonly headers?: Headers | undefined;
  /** The scopes its sender was granted; undefined where nobody checks them. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** Who sent it, where several clients share one connection. */
  readonly principal?: string | undefined;
  /** Whether somebody waits for the answer; absent where that is always so. */
  readonly attended?: boolean | undefined;
  /** Lets whoever waits for the answer hang up and fetch it later; absent where answers cannot be fetched. */
  release?(retryMs: number | undefined): void;
}

/** How long a request waits, and who hears of it meanwhile. */
export interface RequestOptions {
  /** How long to wait for an answer or a sign of progress. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait in all, whatever progress says. */
  readonly maxTotalMs?: number | undefined;
  readonly signal?: StopSignal | undefined;
  /** Receives the parameters of each progress notification for this request. */
  readonly onProgress?: ((params: Params) => void) | undefined;
  /** Called when the other side hangs up for now, and lets the answer be fetched after the wait it names. */
  readonly onReleased?: ((retryMs: number | undefined) => void) | undefined;
  /** The message on whose behalf this is sent. */
  readonly origin?: Origin | undefined;
  /** Headers to send with it, where the transport has any. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Instead of the next number; must not be under way already. */
  readonly id?: Id | undefined;
}

/** The sending half of a conversation. */
export interface Link {
  notify(method: string, params?: Params, origin?: Origin): MaybePromise<void>;
  request(method: string, params?: Params, options?: RequestOptions): Promise<unknown>;
  /** Who is at the other end, where the transport knows. */
  readonly principal?: string | undefined;
  /** Take what arrives on it; undefined where it is made for one request, which stands alone. */
  readonly handlers?: Handlers | undefined;
  /** What is held for the other end is counted here; absent where nothing is counted. */
  readonly budget?: Budget | undefined;
}

/** Which trace a request is part of, in the terms of W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits, shared by all requests of a trace. */
  readonly traceId: string;
  /** 16 hexadecimal digits, the request's own. */
  readonly spanId: string;
  /** The request this one was made from, where it said so. */
  readonly parentId: string | undefined;
  readonly flags: string;
  readonly state: string | undefined;
}

/** What a call takes besides its parameters: its objects, those of its handler, and its connection. */
const callBytes = 8 * 1024;

/** About how much memory a call takes whose request has so many bytes: characters may take two, and so do small values. */
export function weightOfCall(bytes: number): number {
  return callBytes + 2 * bytes;
}

/** One message being served, and what its handler may do until it has answered. */
export class Exchange {
  #message: Message;
  /** How many bytes the message was, where the transport tells. */
  bytes = 0;
  readonly origin: Origin | undefined;
  readonly link: Link;
  /** What the protocol above knows of the client; it has functions to read it. */
  client: object | undefined;
  /** How questions of its handler travel, chosen where its client is known. */
  inputs: object | undefined;
  /** Why it must not be served. Layers that count all messages see the exchange before this is thrown. */
  refusal: RpcError | undefined;
  /** What its answer leaves out that only clients of another era are to know. */
  legacyOffer: object | undefined;
  /** The tool that it calls in the end, where that is not the one it names. */
  tool: string | undefined;
  /** Known once somebody has asked for it. */
  trace: TraceContext | undefined;
  #controller: AbortController | undefined;
  #stop: Stop | undefined;
  #cancelled = false;
  #reason: unknown;

  constructor(message: Message, link: Link, origin?: Origin) {
    this.#message = message;
    this.link = link;
    this.origin = origin;
  }

  get message(): Message {
    return this.#message;
  }

  /** About how much memory it takes until it has ended. */
  get weight(): number {
    return weightOfCall(this.bytes);
  }

  /** Forgets the parameters: a request that stays open for hours need not hold megabytes of them. */
  forgetParams(): void {
    const { params: _forgotten, ...message } = this.#message;
    this.#message = message;
    this.bytes = 0;
  }

  /** Who asks, where the transport knows. */
  get principal(): string | undefined {
    return this.link.principal ?? this.origin?.principal;
  }

  /** The scopes its sender was granted; undefined where nobody checks them. */
  get scopes(): ReadonlySet<string> | undefined {
    return this.origin?.scopes;
  }

  /** The headers of the message; undefined where the transport has none. */
  get headers(): Headers | undefined {
    return this.origin?.headers;
  }

  /** True for a request of a batch that is not the first. */
  get isFurther(): boolean {
    return this.origin instanceof Batch && this.origin.first !== this;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Made on first use: most handlers never look, and a controller costs more than a small call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The same for code that only passes it on: it costs next to nothing. */
  get stop(): StopSignal {
    if (this.#stop === undefined) {
      this.#stop = new Stop();
      if (this.#cancelled) this.#stop.abort(this.#reason);
    }
    return this.#stop;
  }

  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#stop?.abort(reason);
    this.#controller?.abort(reason);
  }

  /** Sends a notification that belongs to this request; await it to be slowed down by a slow reader. */
  notify(method: string, params?: Params): MaybePromise<void> {
    if (!this.#cancelled) return this.link.notify(method, params, this.origin);
  }

  /** Lets the client hang up and fetch the answer later, where the transport can. */
  release(retryMs: number | undefined): void {
    routeOf(this.origin)?.release?.(retryMs);
  }

  /** Another request of the same sender, to ask instead of this one. */
  instead(method: string, params?: Params): Exchange {
    const { jsonrpc, id = 0 } = this.#message;
    return new Exchange({ jsonrpc, id, method, params }, this.link, this.origin);
  }

  /** This request as it is asked further on: with other parameters, perhaps over another link. It is cancelled with this one. */
  forwarded(params: Params | undefined, link: Link = this.link): Exchange {
    const exchange = new Exchange({ ...this.#message, params }, link, this.origin);
    exchange.bytes = this.bytes;
    exchange.client = this.client;
    exchange.trace = this.trace;
    const { stop } = this;
    const cancel = (): void => exchange.cancel(stop.reason);
    if (stop.aborted) cancel();
    else stop.addEventListener('abort', cancel, { once: true });
    return exchange;
  }

  /** Asks the other side something on behalf of this request. */
  call(method: string, params?: Params, options?: RequestOptions): Promise<unknown> {
    return this.link.request(method, params, {
      signal: this.stop,
      ...options,
      origin: routeOf(this.origin),
    });
  }
}

/** Why a request is refused, once the layers that count all requests have seen it: they throw it, perhaps with more to it. */
export function refusalOf(exchange: Exchange, see?: (exchange: Exchange) => unknown): unknown {
  try {
    const seen = see?.(exchange);
    if (isPromise(seen)) seen.catch(() => {});
    return exchange.refusal;
  } catch (error) {
    return error;
  }
}

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
