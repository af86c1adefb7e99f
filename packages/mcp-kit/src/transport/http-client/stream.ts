import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { KitError, KitErrorCode } from '#base';
import {
  oversized,
  parseMessage,
  rpcErrors,
  type Limits,
  type Sink,
  type Unparsed,
} from '#jsonrpc';
import { Ends } from '../buffers.ts';
import {
  mediaType,
  type HttpConnection,
  type PendingRequest,
  type ResponseHandler,
} from './connection.ts';
import { refusal } from './failures.ts';
import { SseReader } from './sse.ts';

/** Where an event stream can be continued, and how soon. */
export interface StreamPosition {
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

/** How the messages of a stream are read. */
export interface StreamReading {
  readonly limits: Limits;
  readonly position: StreamPosition;
  /** Any JSON value; the elements of an array come one by one. */
  readonly value: (value: unknown) => void;
  readonly malformed: Sink['malformed'];
  /** A message is over a limit; only its first and last characters are known. */
  readonly skipped: (fault: Unparsed, head: string, tail: string) => void;
}

/** What hears of a stream beside its messages. */
interface StreamHandlers extends StreamReading {
  /** An event came, with or without data; the stream is alive. */
  readonly alive?: (() => void) | undefined;
  /** Takes events that are not messages. */
  readonly other?: ((type: string, data: Buffer) => void) | undefined;
  /** Nothing more will come; called once. */
  readonly over: () => void;
}

/** What some servers say last, in imitation of others. */
const doneMark = '[DONE]';

/** Reads a response as a stream of messages. */
export function readStream(response: IncomingMessage, handlers: StreamHandlers): void {
  const { position, limits } = handlers;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    handlers.over();
  };
  const reader = new SseReader(limits.maxBytes, {
    event: (type, data) => {
      if (over) return;
      handlers.alive?.();
      if (type !== 'message') handlers.other?.(type, data);
      else if (isDone(data)) finish();
      else readEvent(data, handlers);
    },
    position: (id) => {
      position.lastEventId = id;
      handlers.alive?.();
    },
    retry: (ms) => {
      position.retryMs = ms;
    },
    oversized: (head, tail) => {
      if (!over) handlers.skipped(oversized(limits), head, tail);
    },
  });
  response.on('data', (chunk: Buffer) => {
    if (!over) reader.push(chunk);
  });
  response.on('end', () => {
    if (!over) reader.end();
    finish();
  });
  response.on('close', finish);
}

function isDone(data: Buffer): boolean {
  return data.length === doneMark.length && data.toString('latin1') === doneMark;
}

function readEvent(data: Buffer, handlers: StreamReading): void {
  const parsed = parseMessage(data, handlers.limits);
  if (!parsed.ok) {
    const { head, tail } = new Ends(data);
    if (parsed.code === rpcErrors.invalidRequest) handlers.skipped(parsed, head, tail);
    else handlers.malformed(parsed.code, parsed.reason, head);
  } else if (Array.isArray(parsed.value)) {
    for (const inner of parsed.value) handlers.value(inner);
  } else {
    handlers.value(parsed.value);
  }
}

/** What is done after a refusal: the same request again, one from the present on, or none. */
export type NextTry = 'again' | 'anew' | 'stop';

/** A stream, and what is done where there is none. */
export interface EventStreamOptions extends StreamReading {
  readonly connection: HttpConnection;
  /** Beside what every GET says; asked for at each. */
  readonly headers: () => readonly string[];
  /** What a wait before the next try may grow to, if not to the usual. */
  readonly longestWaitMs?: number | undefined;
  /** There is no stream: whether and how to try again. No status is 0. */
  readonly refused: (status: number, error: KitError, wasOpen: boolean) => NextTry;
  /** Told once each time that the stream is missing although there should be one. */
  readonly troubled?: ((error: KitError) => void) | undefined;
}

/** What this side says no to, it says no to each time. */
const lasting: ReadonlySet<KitErrorCode> = new Set([
  'refused_by_policy',
  'invalid_argument',
  'unauthorized',
]);

/** An event stream that is fetched, and fetched again whenever it is cut, until it is stopped or refused. */
export class EventStream implements ResponseHandler {
  readonly #options: EventStreamOptions;
  #pending: PendingRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Tries since the last event. */
  #failures = 0;
  #wasOpen = false;
  #troubled = false;
  #stopped = false;
  /** What has become of the request that waits for `send`. */
  #prepared: 'held' | 'failed' | undefined;
  /** Told when the server has answered what was prepared. */
  #then: (() => void) | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Fetches now. */
  start(): void {
    this.#fetch(false);
  }

  /** Opens a connection; `send` fetches. */
  prepare(): void {
    this.#prepared = 'held';
    this.#fetch(true);
  }

  /** Fetches what was prepared; `then` is called when the server has answered, or will not. */
  send(then: () => void): void {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#then = then;
    if (prepared === 'held') this.#pending?.send();
    else if (prepared === 'failed' && !this.#stopped) this.start();
    else this.#settle();
  }

  #settle(): void {
    const then = this.#then;
    this.#then = undefined;
    then?.();
  }

  #fetch(held: boolean): void {
    const { connection, headers, position } = this.#options;
    const list = ['accept', 'text/event-stream', ...headers()];
    if (position.lastEventId !== undefined) list.push('last-event-id', position.lastEventId);
    this.#pending = connection.send({ method: 'GET', headers: list, held }, this);
  }

  /** Fetches after the wait that is due. */
  continue(): void {
    if (this.#stopped) return;
    const { position, longestWaitMs } = this.#options;
    const waitMs = backOff(this.#failures, position.retryMs, longestWaitMs);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.start(), waitMs);
  }

  /** Ends it at once; nothing is delivered any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#pending?.abort();
  }

  answered(response: IncomingMessage): void {
    const { statusCode: status = 0 } = response;
    this.#settle();
    if (status === 200 && mediaType(response) === 'text/event-stream') {
      this.#read(response);
      return;
    }
    this.#pending?.abort();
    this.#refused(status, refusal(response, ''));
  }

  /** No connection means an outage, which passes; anything else is somebody's word, and will be the same next time. */
  failed(error: KitError): void {
    const status = Number(error.details?.['status'] ?? 0);
    const isSaid = error.code === 'http_status' || lasting.has(error.code);
    this.#settle();
    if (this.#prepared === 'held') this.#prepared = 'failed';
    else if (isSaid) this.#refused(status, error);
    else {
      this.#trouble(error);
      this.continue();
    }
  }

  #refused(status: number, error: KitError): void {
    const next = this.#options.refused(status, error, this.#wasOpen);
    // A server may have no such stream at all, and says so in many ways.
    const hasNone = next === 'stop' && !this.#wasOpen && error.code === 'http_status';
    if (!hasNone) this.#trouble(error);
    if (next === 'anew') this.#options.position.lastEventId = undefined;
    if (next !== 'stop') this.continue();
  }

  #trouble(error: KitError): void {
    if (this.#troubled || this.#stopped) return;
    this.#troubled = true;
    this.#options.troubled?.(error);
  }

  #read(response: IncomingMessage): void {
    this.#wasOpen = true;
    this.#troubled = false;
    const { limits, position, value, malformed, skipped } = this.#options;
    const unlessStopped =
      <Args extends unknown[]>(then: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!this.#stopped) then(...args);
      };
    readStream(response, {
      limits,
      position,
      value: unlessStopped(value),
      malformed: unlessStopped(malformed),
      skipped: unlessStopped(skipped),
      alive: () => {
        this.#failures = 0;
      },
      over: () => {
        this.#pending?.abort();
        this.continue();
      },
    });
  }
}

const firstMs = 1000;
const usuallyLongestMs = 30_000;
const growth = 1.6;
/** However impatient a server is. */
const leastMs = 25;
/** From the second try in vain. */
const leastAgainMs = 100;

/**
 * How long to wait before the next try, after so many in vain; `retryMs` is what the server asked for, and more than
 * `longestMs` is waited only when it is more.
 */
export function backOff(
  failures: number,
  retryMs: number | undefined,
  longestMs: number = usuallyLongestMs,
): number {
  if (retryMs !== undefined && failures === 0) return Math.max(retryMs, leastMs);
  const base = Math.max(retryMs ?? firstMs, leastAgainMs);
  const grown = Math.min(base * growth ** failures, Math.max(longestMs, base));
  // Clients that lost the same server must not come back all at once.
  return retryMs === undefined
    ? grown * (0.8 + 0.4 * Math.random())
    : grown * (1 + 0.2 * Math.random());
}
